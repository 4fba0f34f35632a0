// Versions in pieces. See value_contents.hpp.
#include "models/service/value_contents.hpp"

#include <algorithm>
#include <array>

namespace racksim::models {

namespace {
constexpr std::size_t kMostOfPiece = 64;
}

ValueContents::ValueContents(std::uint64_t object_bytes)
    : object_bytes_(object_bytes),
      piece_bytes_(std::min<std::size_t>(object_bytes, kMostOfPiece)),
      pieces_of_object_(object_bytes_ / piece_bytes_) {}

void ValueContents::write(sim::Key object, sim::Value value, std::size_t offset, std::span<const std::byte> bytes) {
  Object& state = objects_[object];
  const sim::Value before{state.value};
  const Version* last = versions_.find(before);
  const std::uint32_t known = last != nullptr ? last->number : 0;
  const bool counts = last != nullptr && last->counts;
  if (bytes.empty() && !counts) {
    versions_[value] = {.number = known, .before = before};
    state.value = value;
    return;
  }
  // What it held does not lie below its newest version: a number, or what is there after a loss. All of it is taken over.
  const bool whole = counts || known != state.newest;
  const std::uint32_t version = ++state.newest;
  const std::size_t end = offset + bytes.size();
  for (std::size_t piece = 0; piece < pieces_of_object_; ++piece) {
    const std::size_t begin = piece * piece_bytes_;
    const bool touched = offset < begin + piece_bytes_ && begin < end;
    if (whole || touched) change(object, piece, version, before, offset, bytes);
  }
  versions_[value] = {.number = version, .before = before};
  state.value = value;
}

void ValueContents::count(sim::Key object, sim::Value value) {
  Object& state = objects_[object];
  versions_[value] = {.counts = true, .before = state.value};
  state.value = value;
}

void ValueContents::change(sim::Key object, std::size_t piece, std::uint32_t version, sim::Value before,
                           std::size_t offset, std::span<const std::byte> bytes) {
  std::array<std::byte, kMostOfPiece> content;
  const std::size_t begin = piece * piece_bytes_;
  copy(object, before, begin, std::span(content).first(piece_bytes_));
  for (std::size_t i = std::max(begin, offset); i < std::min(begin + piece_bytes_, offset + bytes.size()); ++i) {
    content[i - begin] = bytes[i - offset];
  }
  const auto slot = static_cast<std::uint32_t>(bytes_.size() / piece_bytes_);
  bytes_.insert(bytes_.end(), content.begin(), content.begin() + static_cast<std::ptrdiff_t>(piece_bytes_));
  const std::uint64_t name = piece_of(object, begin);
  const std::uint32_t* known = pieces_.find(name);
  if (known == nullptr) {
    pieces_[name] = static_cast<std::uint32_t>(changes_.size());
    changes_.emplace_back();
  }
  changes_[known == nullptr ? changes_.size() - 1 : *known].push_back({version, slot});
}

void ValueContents::lose(sim::Key object, sim::Value value, sim::Value instead) {
  if (Version* lost = versions_.find(value)) lost->lost = true;
  Object& state = objects_[object];
  if (state.value == value && instead != 0) state.value = instead;
  for (const Version* now = versions_.find(state.value); now != nullptr && now->lost;) {
    state.value = now->before;
    now = versions_.find(state.value);
  }
}

const ValueContents::Change* ValueContents::find(std::uint64_t piece, std::uint32_t version) const {
  const std::uint32_t* known = pieces_.find(piece);
  if (known == nullptr) return nullptr;
  const std::vector<Change>& changes = changes_[*known];
  const auto after = std::upper_bound(changes.begin(), changes.end(), version,
                                      [](std::uint32_t v, const Change& change) { return v < change.version; });
  return after == changes.begin() ? nullptr : &*(after - 1);
}

void ValueContents::copy(sim::Key object, sim::Value value, std::size_t offset, std::span<std::byte> into) const {
  const Version* version = versions_.find(value);
  if (value != 0 && (version == nullptr || version->counts)) {
    for (std::size_t i = 0; i < into.size(); ++i) {
      const std::size_t place = offset + i;
      into[i] = place < sizeof value ? static_cast<std::byte>(value.number() >> 8 * place) : std::byte{};
    }
    return;
  }
  while (!into.empty()) {
    const std::size_t in_piece = offset % piece_bytes_;
    const std::span<std::byte> here = into.first(std::min(into.size(), piece_bytes_ - in_piece));
    const Change* change = version == nullptr ? nullptr : find(piece_of(object, offset), version->number);
    if (change != nullptr) {
      const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(change->slot * piece_bytes_ + in_piece);
      std::copy_n(from, here.size(), here.begin());
    } else if (first_) {
      first_(object, offset, here);
    } else {
      std::fill(here.begin(), here.end(), std::byte{});
    }
    into = into.subspan(here.size());
    offset += here.size();
  }
}

sim::Value ValueContents::current(sim::Key object) const {
  const Object* known = objects_.find(object);
  return known == nullptr ? sim::Value{0u} : sim::Value{known->value};
}

}  // namespace racksim::models

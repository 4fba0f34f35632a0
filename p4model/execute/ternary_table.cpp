// Terms, rows and order of TCAM entries. See ternary_table.hpp.
#include "p4model/execute/ternary_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "p4model/language/header.hpp"

namespace racksim::p4 {

namespace {

/// Bits of a key, or of all together, that are short: a list for each of their values takes little room.
constexpr unsigned kShortBits = 12;

constexpr unsigned kNibbleBits = 4;
/// Of a list that has bitmaps.
constexpr std::size_t kMostEntries = 64;
/// Bitmaps take some ten searches to make, and a list that is asked for a second time will be again.
constexpr unsigned kSearches = 2;

/// The least number of prefixes that together make up [first, last].
std::uint64_t prefixes_of(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t count = 1;; ++count) {
    // The largest aligned block that begins at `first` and ends by `last`.
    auto bits = static_cast<unsigned>(std::countr_zero(first));  // 64 for 0
    while (mask_of(bits) > last - first) --bits;
    if (mask_of(bits) == last - first) return count;
    first += std::uint64_t{1} << bits;
  }
}

}  // namespace

TernaryTable::TernaryTable(std::string name, std::vector<Field> fields, std::uint32_t rows, std::size_t data_words)
    : name_(std::move(name)), fields_(std::move(fields)), rows_(rows), data_words_(data_words) {
  const auto of_kind = [&](MatchKind kind) {
    return std::count_if(fields_.begin(), fields_.end(), [&](const Field& field) { return field.kind == kind; });
  };
  by_prefix_ = of_kind(MatchKind::lpm) == 1 && of_kind(MatchKind::ternary) == 0 && of_kind(MatchKind::range) == 0;
  first_is_exact_ = fields_.front().kind == MatchKind::exact && fields_.front().bits <= kShortBits;
  order_.resize(first_is_exact_ ? std::size_t{1} << fields_.front().bits : 1);
  bitmaps_.resize(order_.size());
  unsigned bits = 0;
  for (const auto& field : fields_) bits += field.bits;
  if (bits <= kShortBits) by_values_.resize(std::size_t{1} << bits);
  has_bitmaps_ = bits > kShortBits && of_kind(MatchKind::range) == 0;
}

void TernaryTable::list_values() const {
  std::vector<std::uint64_t> values(fields_.size());
  for (std::size_t place = 0; place < by_values_.size(); ++place) {
    auto rest = place;
    for (auto i = fields_.size(); i-- > 0; rest >>= fields_[i].bits) values[i] = rest & mask_of(fields_[i].bits);
    by_values_[place] = search(values.data());
  }
}

void TernaryTable::make_bitmaps(Bitmaps& bitmaps, std::size_t list) const {
  const auto& order = order_[list];
  bitmaps.made = true;
  bitmaps.nibbles.clear();
  for (std::size_t field = first_is_exact_ ? 1 : 0; field < fields_.size(); ++field) {
    for (unsigned shift = 0; shift < fields_[field].bits; shift += kNibbleBits) {
      Nibble nibble{static_cast<std::uint8_t>(field), static_cast<std::uint8_t>(shift), {}};
      std::uint64_t indifferent = 0;
      for (std::size_t place = 0; place < order.size(); ++place) {
        const Term& term = entries_[static_cast<std::size_t>(order[place])].terms[field];
        const std::uint64_t mask = term.mask >> shift & mask_of(kNibbleBits), bit = std::uint64_t{1} << place;
        const std::uint64_t wanted = term.first >> shift & mask_of(kNibbleBits);
        if (mask == 0) indifferent |= bit;
        for (std::size_t value = 0; mask != 0 && value < nibble.matching.size(); ++value) {
          if ((value & mask) == wanted) nibble.matching[value] |= bit;
        }
      }
      if (indifferent == ~std::uint64_t{0} >> (kMostEntries - order.size())) continue;
      for (std::uint64_t& matching : nibble.matching) matching |= indifferent;
      bitmaps.nibbles.push_back(nibble);
    }
  }
}

std::int32_t TernaryTable::look_up(const std::uint64_t* values) const {
  const std::size_t list = first_is_exact_ ? values[0] : 0;
  Bitmaps& bitmaps = bitmaps_[list];
  if (!bitmaps.made) {
    const auto& order = order_[list];
    if (order.empty() || order.size() > kMostEntries || ++bitmaps.searches < kSearches) return search(values);
    make_bitmaps(bitmaps, list);
  }
  std::uint64_t matching = ~std::uint64_t{0};
  for (const Nibble& nibble : bitmaps.nibbles) {
    matching &= nibble.matching[values[nibble.field] >> nibble.shift & mask_of(kNibbleBits)];
  }
  return matching == 0 ? kMiss : order_[list][static_cast<std::size_t>(std::countr_zero(matching))];
}

void TernaryTable::forget(std::size_t list) {
  listed_ = false;
  bitmaps_[list].made = false;
  bitmaps_[list].searches = 0;
}

std::int32_t TernaryTable::search(const std::uint64_t* values) const {
  for (const std::int32_t number : order_[first_is_exact_ ? values[0] : 0]) {
    const auto& terms = entries_[static_cast<std::size_t>(number)].terms;
    bool matches = true;
    for (std::size_t i = 0; i < terms.size() && matches; ++i) {
      const std::uint64_t seen = values[i] & terms[i].mask;
      matches = terms[i].first <= seen && seen <= terms[i].last;
    }
    if (matches) return number;
  }
  return kMiss;
}

void TernaryTable::refuse(std::size_t field, const std::string& what) const {
  throw std::runtime_error(fmt::format("table '{}': key field {}, {} of {} bits, {}", name_, field,
                                       name_of(fields_[field].kind), fields_[field].bits, what));
}

TernaryTable::Term TernaryTable::term_of(std::size_t field, const KeyMatch& match) const {
  using Form = KeyMatch::Form;
  const auto [bits, kind] = fields_[field];
  const std::uint64_t all = mask_of(bits);
  const auto within = [&](std::uint64_t value) {
    if (value > all) refuse(field, fmt::format("cannot hold {}", value));
    return value;
  };
  const auto masked = [&](std::uint64_t mask) {
    return Term{.mask = mask, .first = match.value() & mask, .last = match.value() & mask};
  };
  within(match.value());
  switch (match.form()) {
    case Form::value:
      return masked(all);
    case Form::any:
      if (kind == MatchKind::exact) refuse(field, "must be given a value");
      return kind == MatchKind::range ? Term{.mask = all, .first = 0, .last = all} : Term{};
    case Form::masked:
      if (kind != MatchKind::ternary) refuse(field, "takes no mask");
      return masked(within(match.extent()));
    case Form::prefix:
      if (kind != MatchKind::lpm && kind != MatchKind::ternary) refuse(field, "takes no prefix");
      if (match.extent() > bits) refuse(field, fmt::format("has no prefix of {} bits", match.extent()));
      return masked(all & ~mask_of(bits - static_cast<unsigned>(match.extent())));
    case Form::range:
      if (kind != MatchKind::range) refuse(field, "takes no range");
      if (match.value() > match.extent()) {
        refuse(field, fmt::format("cannot be in the empty range from {} to {}", match.value(), match.extent()));
      }
      return {.mask = all, .first = match.value(), .last = within(match.extent())};
  }
  refuse(field, "is asked for in an unknown form");
}

TernaryTable::Entry TernaryTable::make(std::span<const KeyMatch> key, std::uint32_t priority) const {
  if (key.size() != fields_.size()) {
    throw std::runtime_error(fmt::format("table '{}': a key has {} values, not {}", name_, fields_.size(), key.size()));
  }
  Entry entry;
  entry.rows = 1;
  entry.importance = priority;
  for (std::size_t i = 0; i < key.size(); ++i) {
    entry.terms.push_back(term_of(i, key[i]));
    const Term& term = entry.terms.back();
    if (fields_[i].kind == MatchKind::range) {
      // More than a table has rows is too many, whatever the number.
      const std::uint64_t rows = entry.rows * prefixes_of(term.first, term.last);
      entry.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, std::uint64_t{rows_} + 1));
    }
    if (by_prefix_ && fields_[i].kind == MatchKind::lpm) {
      if (priority != 0) refuse(i, fmt::format("decides by the longest prefix, not by priority {}", priority));
      entry.importance = static_cast<std::uint64_t>(64 - std::popcount(term.mask));
    }
  }
  return entry;
}

std::size_t TernaryTable::place_of(const Entry& like) const {
  const auto& order = order_[list_of(like)];
  const auto found = std::find_if(order.begin(), order.end(), [&](std::int32_t number) {
    const Entry& entry = entries_[static_cast<std::size_t>(number)];
    return entry.importance == like.importance && entry.terms == like.terms;
  });
  return static_cast<std::size_t>(found - order.begin());
}

void TernaryTable::store(Entry& entry, std::uint32_t action, std::span<const std::uint64_t> data) const {
  entry.action = action;
  entry.data.assign(data.begin(), data.end());
  entry.data.resize(data_words_);
}

void TernaryTable::add(std::span<const KeyMatch> key, std::uint32_t priority, std::uint32_t action,
                       std::span<const std::uint64_t> data) {
  Entry entry = make(key, priority);
  const std::size_t list = list_of(entry);
  auto& order = order_[list];
  if (place_of(entry) != order.size()) {
    throw std::runtime_error(fmt::format("table '{}': the key is already there", name_));
  }
  if (rows_used_ + entry.rows > rows_) {
    throw std::runtime_error(fmt::format("table '{}' is full: {} of {} rows are used, and the entry takes {}{}", name_,
                                         rows_used_, rows_, entry.rows > rows_ ? "more than " : "",
                                         std::min(entry.rows, rows_)));
  }
  rows_used_ += entry.rows;
  store(entry, action, data);
  // Behind those that are as important: the one added first wins.
  const auto place = std::find_if(order.begin(), order.end(), [&](std::int32_t number) {
    return entries_[static_cast<std::size_t>(number)].importance > entry.importance;
  });
  std::int32_t number = static_cast<std::int32_t>(entries_.size());
  if (free_.empty()) {
    entries_.push_back(std::move(entry));
  } else {
    number = free_.back();
    free_.pop_back();
    entries_[static_cast<std::size_t>(number)] = std::move(entry);
  }
  order.insert(place, number);
  ++size_;
  forget(list);
}

std::int32_t TernaryTable::entry_of(std::span<const KeyMatch> key, std::uint32_t priority) const {
  const Entry like = make(key, priority);
  const auto& order = order_[list_of(like)];
  const std::size_t place = place_of(like);
  return place == order.size() ? kMiss : order[place];
}

bool TernaryTable::modify(std::span<const KeyMatch> key, std::uint32_t priority, std::uint32_t action,
                          std::span<const std::uint64_t> data) {
  const Entry like = make(key, priority);
  const auto& order = order_[list_of(like)];
  const std::size_t place = place_of(like);
  if (place == order.size()) return false;
  store(entries_[static_cast<std::size_t>(order[place])], action, data);
  return true;
}

bool TernaryTable::remove(std::span<const KeyMatch> key, std::uint32_t priority) {
  const Entry like = make(key, priority);
  auto& order = order_[list_of(like)];
  const std::size_t place = place_of(like);
  if (place == order.size()) return false;
  const std::int32_t number = order[place];
  rows_used_ -= entries_[static_cast<std::size_t>(number)].rows;
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(place));
  --size_;
  free_.push_back(number);
  forget(list_of(like));
  return true;
}

}  // namespace racksim::p4

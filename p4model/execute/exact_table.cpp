#include "p4model/execute/exact_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "p4model/language/header.hpp"

namespace racksim::p4 {

namespace {
constexpr unsigned kMaxDirectBits = 12;
}

ExactTable::ExactTable(std::string name, const std::vector<unsigned>& bits, std::uint32_t max_entries,
                       std::size_t data_words)
    : name_(std::move(name)), data_words_(data_words), max_entries_(max_entries) {
  unsigned used = 64, total = 0;
  for (const auto field : bits) {
    if (used + field > 64) {
      used = 0;
      if (++words_ > kMaxKeyWords) {
        throw std::runtime_error(
            fmt::format("table '{}': its key takes more than {} words of 64 bits", name_, kMaxKeyWords));
      }
    }
    parts_.push_back({.word = static_cast<std::uint8_t>(words_ - 1),
                      .shift = static_cast<std::uint8_t>(used),
                      .mask = mask_of(field)});
    used += field;
    total += field;
  }
  if (total <= kMaxDirectBits) {
    direct_.assign(std::size_t{1} << total, kMiss);
  } else {
    slots_.assign(std::bit_ceil(std::size_t{2} * max_entries + 2), kMiss);
    slot_mask_ = slots_.size() - 1;
  }
}

ExactTable::Key ExactTable::pack(std::span<const std::uint64_t> values) const {
  if (values.size() != parts_.size()) {
    throw std::runtime_error(
        fmt::format("table '{}': a key has {} values, not {}", name_, parts_.size(), values.size()));
  }
  Key key{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > parts_[i].mask) {
      throw std::runtime_error(
          fmt::format("table '{}': value {} of key field {} exceeds its width", name_, values[i], i));
    }
    key[parts_[i].word] |= values[i] << parts_[i].shift;
  }
  return key;
}

void ExactTable::store(std::size_t entry, std::uint32_t action, std::span<const std::uint64_t> data) {
  actions_[entry] = action;
  std::copy(data.begin(), data.end(), data_.begin() + static_cast<std::ptrdiff_t>(entry * data_words_));
}

void ExactTable::add(const Key& key, std::uint32_t action, std::span<const std::uint64_t> data) {
  if (find(key) != kMiss) throw std::runtime_error(fmt::format("table '{}': the key is already there", name_));
  if (used_ == max_entries_) throw std::runtime_error(fmt::format("table '{}' is full with {} entries", name_, used_));
  std::size_t entry;
  if (free_.empty()) {
    entry = actions_.size();
    actions_.push_back(0);
    keys_.resize(keys_.size() + words_);
    data_.resize(data_.size() + data_words_);
  } else {
    entry = static_cast<std::size_t>(free_.back());
    free_.pop_back();
  }
  std::copy_n(key.begin(), words_, keys_.begin() + static_cast<std::ptrdiff_t>(entry * words_));
  store(entry, action, data);
  ++used_;
  if (!direct_.empty()) {
    direct_[key[0]] = static_cast<std::int32_t>(entry);
    return;
  }
  auto at = slot_of(key);
  while (slots_[at] != kMiss) at = (at + 1) & slot_mask_;
  slots_[at] = static_cast<std::int32_t>(entry);
}

bool ExactTable::modify(const Key& key, std::uint32_t action, std::span<const std::uint64_t> data) {
  const auto entry = find(key);
  if (entry == kMiss) return false;
  store(static_cast<std::size_t>(entry), action, data);
  return true;
}

std::size_t ExactTable::slot_holding(std::int32_t entry, const Key& key) const {
  auto at = slot_of(key);
  while (slots_[at] != entry) at = (at + 1) & slot_mask_;
  return at;
}

bool ExactTable::remove(const Key& key) {
  const auto entry = find(key);
  if (entry == kMiss) return false;
  --used_;
  free_.push_back(entry);
  if (!direct_.empty()) {
    direct_[key[0]] = kMiss;
    return true;
  }
  // Close the gap: an entry behind it moves up when its home slot does not lie between the gap and itself.
  auto gap = slot_holding(entry, key);
  for (auto at = (gap + 1) & slot_mask_; slots_[at] != kMiss; at = (at + 1) & slot_mask_) {
    Key other{};
    std::copy_n(keys_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(slots_[at]) * words_), words_,
                other.begin());
    const auto home = slot_of(other);
    if (((at - home) & slot_mask_) >= ((at - gap) & slot_mask_)) {
      slots_[gap] = slots_[at];
      gap = at;
    }
  }
  slots_[gap] = kMiss;
  return true;
}

}  // namespace racksim::p4

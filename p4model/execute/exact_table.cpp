#include "p4model/execute/exact_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "p4model/language/header.hpp"

namespace racksim::p4 {

namespace {
constexpr unsigned kMaxDirectBits = 12;
constexpr std::size_t kFewestSlots = 16;
}  // namespace

ExactTable::ExactTable(std::string name, const std::vector<unsigned>& bits, std::uint32_t max_entries,
                       std::size_t data_words)
    : name_(std::move(name)), max_entries_(max_entries) {
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
  record_words_ = words_ + 1 + data_words;
  direct_ = total <= kMaxDirectBits;
  entries_ = std::make_shared<Entries>();
  entries_->slots.assign(direct_ ? std::size_t{1} << total : kFewestSlots, kMiss);
  look_at_entries();
}

void ExactTable::look_at_entries() {
  slots_ = entries_->slots.data();
  last_slot_ = entries_->slots.size() - 1;
  records_ = entries_->records.data();
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

ExactTable::Entries& ExactTable::own_entries() {
  if (entries_.use_count() > 1) entries_ = std::make_shared<Entries>(*entries_);
  look_at_entries();
  return *entries_;
}

void ExactTable::store(Entries& all, std::int32_t entry, std::uint32_t action,
                       std::span<const std::uint64_t> data) const {
  auto* to = all.records.data() + static_cast<std::size_t>(entry) * record_words_ + words_;
  *to++ = action;
  std::copy(data.begin(), data.end(), to);
}

void ExactTable::grow(Entries& all) {
  const auto before = std::exchange(all.slots, std::vector<std::int32_t>(2 * all.slots.size(), kMiss));
  for (const auto entry : before) {
    if (entry == kMiss) continue;
    auto at = all.slot_of(hash_of(record(entry)));
    while (all.slots[at] != kMiss) at = all.behind(at);
    all.slots[at] = entry;
  }
  look_at_entries();
}

void ExactTable::add(const Key& key, std::uint32_t action, std::span<const std::uint64_t> data) {
  if (find(key) != kMiss) throw std::runtime_error(fmt::format("table '{}': the key is already there", name_));
  Entries& all = own_entries();
  if (all.used == max_entries_) {
    throw std::runtime_error(fmt::format("table '{}' is full with {} entries", name_, all.used));
  }
  std::int32_t entry;
  if (all.free.empty()) {
    entry = static_cast<std::int32_t>(all.records.size() / record_words_);
    all.records.resize(all.records.size() + record_words_);
  } else {
    entry = all.free.back();
    all.free.pop_back();
  }
  std::copy_n(key.begin(), words_,
              all.records.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(entry) * record_words_));
  store(all, entry, action, data);
  look_at_entries();
  ++all.used;
  if (direct_) {
    all.slots[key[0]] = entry;
    return;
  }
  if (2 * std::size_t{all.used} > all.slots.size()) grow(all);
  auto at = all.slot_of(hash_of(key));
  while (all.slots[at] != kMiss) at = all.behind(at);
  all.slots[at] = entry;
}

bool ExactTable::modify(const Key& key, std::uint32_t action, std::span<const std::uint64_t> data) {
  const auto entry = find(key);
  if (entry == kMiss) return false;
  store(own_entries(), entry, action, data);
  return true;
}

bool ExactTable::remove(const Key& key) {
  const auto entry = find(key);
  if (entry == kMiss) return false;
  Entries& all = own_entries();
  --all.used;
  all.free.push_back(entry);
  if (direct_) {
    all.slots[key[0]] = kMiss;
    return true;
  }
  auto gap = all.slot_of(hash_of(key));
  while (all.slots[gap] != entry) gap = all.behind(gap);
  // Close it: an entry behind it moves up when its home slot does not lie between the gap and itself.
  const auto distance = [&](std::size_t from, std::size_t to) { return (to - from) & (all.slots.size() - 1); };
  for (auto at = all.behind(gap); all.slots[at] != kMiss; at = all.behind(at)) {
    const auto home = all.slot_of(hash_of(record(all.slots[at])));
    if (distance(home, at) >= distance(gap, at)) {
      all.slots[gap] = all.slots[at];
      gap = at;
    }
  }
  all.slots[gap] = kMiss;
  return true;
}

}  // namespace racksim::p4

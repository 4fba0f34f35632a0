// Which number a line has, of frames or entries that lie elsewhere: a hash table with linear probing, at most three
// quarters full. Beside the number lies the line's hash, so that a search goes on, a number goes away and the table
// grows without a look at what the numbers stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/record/ids.hpp"

namespace racksim::line_cache {

class LineIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  /// What an entry takes of memory on average.
  static constexpr std::uint64_t kEntryBytes = 16;

  static std::uint64_t hash_of(sim::Key line) {
    std::uint64_t x = line.number();
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
    return x ^ x >> 29;
  }

  /// The line's number, or kNone. `is_of_line(number)` says whether one of a line of its hash is its own.
  template <class IsOfLine>
  std::uint32_t find(sim::Key line, const IsOfLine& is_of_line) const {
    const std::uint32_t hash = short_hash(line);
    for (std::size_t at = hash & mask(); slots_[at].number != kNone; at = (at + 1) & mask()) {
      if (slots_[at].hash == hash && is_of_line(slots_[at].number)) return slots_[at].number;
    }
    return kNone;
  }
  /// Gives a line, which has none, a number.
  void insert(sim::Key line, std::uint32_t number) {
    if (++used_ * 4 > slots_.size() * 3) grow();
    put({number, short_hash(line)});
  }
  /// Takes the line's number away, which it has, and returns it.
  template <class IsOfLine>
  std::uint32_t erase(sim::Key line, const IsOfLine& is_of_line) {
    const std::uint32_t hash = short_hash(line);
    std::size_t hole = hash & mask();
    while (slots_[hole].hash != hash || !is_of_line(slots_[hole].number)) hole = (hole + 1) & mask();
    const std::uint32_t number = slots_[hole].number;
    // What was pushed on by the one that goes moves back.
    for (std::size_t at = (hole + 1) & mask(); slots_[at].number != kNone; at = (at + 1) & mask()) {
      const std::size_t home = slots_[at].hash & mask();
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    --used_;
    return number;
  }

  // To have at hand what `find` will read.
  void prefetch(sim::Key line) const { __builtin_prefetch(&slots_[short_hash(line) & mask()]); }
  /// Where a search for the line begins: mostly its number, or kNone.
  std::uint32_t guess(sim::Key line) const { return slots_[short_hash(line) & mask()].number; }

  std::size_t size() const { return used_; }

 private:
  struct Slot {
    std::uint32_t number = kNone, hash = 0;
  };

  static std::uint32_t short_hash(sim::Key line) { return static_cast<std::uint32_t>(hash_of(line)); }
  std::size_t mask() const { return slots_.size() - 1; }
  void put(Slot slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].number != kNone) at = (at + 1) & mask();
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot slot : old) {
      if (slot.number != kNone) put(slot);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(16);  // a power of two
  std::size_t used_ = 0;
};

}  // namespace racksim::line_cache

// A hash map from 64-bit ids to small values, for state per key at millions of keys.
//
// Open addressing with linear probing in one array of a power of two, at most 3/4 full, that doubles; erasing shifts
// the cluster back, so no tombstones pile up. Memory: sizeof(id + value) × 1.34 to 2.67 an entry (16-byte entries: 21
// to 43 bytes), and half of that again for the moment of doubling. One cache miss a look-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace racksim::sim {

/// Values are default-constructed when they are first asked for. References stay valid until the next insertion or
/// erasure. Every 64-bit id is allowed.
template <typename Value>
class FlatMap {
 public:
  /// The value of this id, or nullptr.
  Value* find(std::uint64_t id) {
    if (id == kFree) return has_free_id_ ? &free_id_value_ : nullptr;
    if (slots_.empty()) return nullptr;
    auto& slot = slots_[probe(id)];
    return slot.id == id ? &slot.value : nullptr;
  }

  const Value* find(std::uint64_t id) const { return const_cast<FlatMap*>(this)->find(id); }

  /// Calls `visit(id, value)` for each entry. The order depends on the map's history: nothing that is observed may
  /// depend on it.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.id != kFree) visit(slot.id, slot.value);
    }
    if (has_free_id_) visit(kFree, free_id_value_);
  }

  /// The value of this id, inserted if it was absent.
  Value& operator[](std::uint64_t id) {
    if (id == kFree) {
      size_ += has_free_id_ ? 0 : 1;
      if (!std::exchange(has_free_id_, true)) free_id_value_ = Value{};
      return free_id_value_;
    }
    if (slots_.empty()) grow();
    auto i = probe(id);
    if (slots_[i].id == kFree) {
      if (size_ + 1 > slots_.size() / 4 * 3) {
        grow();
        i = probe(id);
      }
      slots_[i].id = id;
      ++size_;
    }
    return slots_[i].value;
  }

  /// Removes an id; false if it was absent.
  bool erase(std::uint64_t id) {
    if (id == kFree) {
      size_ -= has_free_id_ ? 1 : 0;
      return std::exchange(has_free_id_, false);
    }
    if (slots_.empty()) return false;
    auto hole = probe(id);
    if (slots_[hole].id == kFree) return false;
    // Every later entry of the cluster whose home lies at or before the hole moves into it.
    for (auto i = (hole + 1) & mask(); slots_[i].id != kFree; i = (i + 1) & mask()) {
      if (((i - home(slots_[i].id)) & mask()) >= ((i - hole) & mask())) {
        slots_[hole] = std::move(slots_[i]);
        hole = i;
      }
    }
    slots_[hole] = Slot{};
    --size_;
    return true;
  }

  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  struct Slot {
    std::uint64_t id = kFree;
    Value value{};
  };

  std::size_t mask() const { return slots_.size() - 1; }

  /// Where the probing for an id starts. The finalizer of MurmurHash3: ids are often multiples of a power of two.
  std::size_t home(std::uint64_t id) const {
    id = (id ^ id >> 33) * 0xff51afd7ed558ccd;
    id = (id ^ id >> 33) * 0xc4ceb9fe1a85ec53;
    return static_cast<std::size_t>(id ^ id >> 33) & mask();
  }

  /// The slot that holds the id, or the free one that it would take.
  std::size_t probe(std::uint64_t id) const {
    auto i = home(id);
    while (slots_[i].id != id && slots_[i].id != kFree) i = (i + 1) & mask();
    return i;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (auto& slot : old) {
      if (slot.id != kFree) slots_[probe(slot.id)] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  // The id that marks free slots lives outside them.
  bool has_free_id_ = false;
  Value free_id_value_{};
};

}  // namespace racksim::sim

// A hash map from 64-bit ids to small values, for state per key at millions of keys: tsl::robin_map (linear probing
// with Robin Hood hashing and backward shift deletion: Celis, Larson and Munro, "Robin Hood Hashing", FOCS 1985; no
// tombstones pile up, and only growing allocates), with what its users here agree on.
//
// Memory: (id + value + 8 bytes) × 1.34 to 2.67 an entry (values of 8 bytes: 32 to 64 bytes), and half of that again
// for the moment of doubling.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>

namespace racksim::sim {

/// Values are default-constructed when they are first asked for. References stay valid until the next insertion or
/// erasure. Every 64-bit id is allowed.
template <typename Value>
class FlatMap {
 public:
  FlatMap() { entries_.max_load_factor(kFullest); }

  /// The value of this id, or nullptr.
  Value* find(std::uint64_t id) {
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : &found.value();
  }
  const Value* find(std::uint64_t id) const {
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : &found.value();
  }

  /// Calls `visit(id, value)` for each entry. The order depends on the map's history and on nothing else, but nothing
  /// that is observed may depend on it.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [id, value] : entries_) visit(id, Value{value});
  }

  /// The value of this id, inserted if it was absent.
  Value& operator[](std::uint64_t id) { return entries_[id]; }

  /// Removes an id; false if it was absent.
  bool erase(std::uint64_t id) { return entries_.erase(id) > 0; }

  std::size_t size() const { return entries_.size(); }

 private:
  /// The library's own 1/2 would take up to a third more memory at millions of keys, and saves few probes.
  static constexpr float kFullest = 0.75F;

  /// The finalizer of MurmurHash3: ids are often multiples of a power of two, and std::hash leaves them so.
  struct Hash {
    std::size_t operator()(std::uint64_t id) const {
      id = (id ^ id >> 33) * 0xff51afd7ed558ccd;
      id = (id ^ id >> 33) * 0xc4ceb9fe1a85ec53;
      return static_cast<std::size_t>(id ^ id >> 33);
    }
  };

  tsl::robin_map<std::uint64_t, Value, Hash> entries_;
};

}  // namespace racksim::sim

// What memory held, instant by instant, as far as a read that is under way may have seen it.
//
// Memory: 24 bytes a key that was ever written, times the slack of FlatMap: 32 to 64 bytes. More only for keys that
// somebody is reading: 24 bytes a value that they held since the oldest of these reads began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// One memory of many keys, which writes change at the instants at which they are performed. Instants are positions in
/// one total order of events, from 1.
class PerformedMemory {
 public:
  /// A value that a key held, until the next one's `since`.
  struct Version {
    Value value = kNeverWritten;
    std::uint64_t since = 0;    ///< position; 0: before the run
    OperationId operation = 0;  ///< that wrote it; 0: not known any more
  };

  /// `version_limit` bounds the values that are kept of a key for a read that stays under way.
  explicit PerformedMemory(std::size_t version_limit) : version_limit_(version_limit) {}

  /// What the key holds now.
  Value value(Key key) const;
  void perform(Key key, const Version& version);
  /// Calls `visit(key)` for each key ever written, and for those that somebody reads, in no particular order.
  template <class Visit>
  void for_each_key(Visit&& visit) const {
    values_.for_each([&](std::uint64_t key, Value) { visit(Key{key}); });
    open_.for_each([&](std::uint64_t key, std::uint32_t) {
      if (values_.find(key) == nullptr) visit(Key{key});
    });
  }

  /// A key that somebody reads, as long as anybody does.
  using Reading = std::uint32_t;
  /// A read begins: what the key holds from now on is kept.
  Reading begin_read(Key key, std::uint64_t position);
  /// The read that began there is over.
  void end_read(Reading reading, std::uint64_t position);
  /// Whether all that the read which began there may have seen is kept: the limit has cut nothing off.
  bool keeps_for(Reading reading, std::uint64_t position) const;
  /// Whether the key held the value at an instant after this position, up to now.
  bool held(Reading reading, Value value, std::uint64_t after) const;
  /// What it held since then, oldest first.
  std::vector<Version> held_since(Reading reading, std::uint64_t after) const;

  /// Keys that somebody reads.
  std::size_t open_keys() const { return open_.size(); }

 private:
  struct History {
    Key key;
    std::deque<Version> versions;      // the last one is what the key holds
    std::vector<std::uint64_t> reads;  // that are under way and kept for, by their beginnings, ascending
    std::size_t under_way = 0;
  };

  static void forget(History& history);

  std::size_t version_limit_;
  FlatMap<Value> values_;  // of keys ever written
  FlatMap<Reading> open_;  // of keys that somebody reads
  std::vector<History> histories_;
  std::vector<Reading> vacant_;  // histories that no key uses
};

}  // namespace racksim::sim

// What memory held, instant by instant, as far as a read that is under way may have seen it.
//
// Memory: 32 bytes a key that was ever written, times the slack of FlatMap (2 M keys: 128 MiB); more only for keys that
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
    cells_.for_each([&](std::uint64_t key, const Cell&) { visit(Key{key}); });
  }

  /// A read begins: what the key holds from now on is kept.
  void begin_read(Key key, std::uint64_t position);
  /// The read that began there is over.
  void end_read(Key key, std::uint64_t position);
  /// Whether all that the read which began there may have seen is kept: the limit has cut nothing off.
  bool keeps_for(Key key, std::uint64_t position) const;
  /// Whether a key that is being read held the value at an instant after this position, up to now.
  bool held(Key key, Value value, std::uint64_t after) const;
  /// What it held since then, oldest first. Empty if nobody reads it.
  std::vector<Version> held_since(Key key, std::uint64_t after) const;

  /// Keys that somebody reads.
  std::size_t open_keys() const { return histories_.size() - vacant_.size(); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Cell {
    Value value = kNeverWritten;
    std::uint32_t history = kNone;  // if somebody reads it
  };
  struct History {
    std::deque<Version> versions;      // the last one is what the key holds
    std::vector<std::uint64_t> reads;  // that are under way, by their beginnings, ascending
  };

  const History* history_of(Key key) const;
  static void forget(History& history);

  std::size_t version_limit_;
  FlatMap<Cell> cells_;
  std::vector<History> histories_;
  std::vector<std::uint32_t> vacant_;  // histories that no key uses
};

}  // namespace racksim::sim

// Mutual exclusion: whoever holds a lock exclusively holds it alone, and everybody gives back what he holds.
//
// A session certainly holds a lock from the grant, when its request ends, to the beginning of its unlock (Dijkstra,
// "Solution of a Problem in Concurrent Programming Control", CACM 8(9), 1965; with shared holders: Courtois, Heymans
// and Parnas, "Concurrent Control with Readers and Writers", CACM 14(10), 1971). A session that a crash ended still
// holds: recovery that frees its locks says so by unlocks in its name.
//
// Memory: 32 bytes for each hold, in a vector a lock that is held, and a FlatMap of 24 bytes a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/oracles/oracle.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// Reads the ends of requests for locks and the beginnings of unlocks. A violation is
///  * a grant while another holder's mode excludes it, be it the same session;
///  * an unlock by a session that does not hold the lock, unless it gave up a request, which may have been granted, or
///    an earlier unlock, which may have had no effect (each excuses one);
///  * a lock that is held at finish().
class MutualExclusionOracle final : public Oracle {
 public:
  /// `event_log` gives the names of sessions and must outlive the oracle.
  explicit MutualExclusionOracle(const EventLog& event_log)
      : Oracle("mutual-exclusion", "lock"), event_log_(event_log) {}

  ObservedKinds kinds() const override {
    return {Observed::operation_begun, Observed::operation_ended, Observed::operation_given_up};
  }
  void observe(const Observation& observation) override;
  void finish(Time end) override;

  /// Locks that somebody holds.
  std::size_t held_locks() const { return held_.size(); }

 private:
  struct Hold {
    OperationId request;
    Time since;
    Source session;
    bool shared;
  };

  void grant(const Observation& observation, const OperationView& request);
  void release(const Observation& observation, Key lock);
  std::string told(const Hold& hold) const;

  const EventLog& event_log_;
  FlatMap<std::uint32_t> held_;  // lock to holds
  std::vector<std::vector<Hold>> holds_;
  std::vector<std::uint32_t> vacant_;
  // Requests and unlocks that were given up and have excused nothing, by lock and session.
  std::multiset<std::pair<std::uint64_t, std::uint32_t>> given_up_;
};

}  // namespace racksim::sim

// Fairness of locks: bounded overtaking.
//
// A request for a lock is overtaken when the lock is granted to an incompatible request that began later. A bound on
// the overtakings of one request excludes starvation; 0 is first come, first served (Lamport, "A New Solution of
// Dijkstra's Concurrent Programming Problem", CACM 17(8), 1974).
//
// SELCC (section 5.3) is deliberately not first come, first served: a node keeps a latch for its own threads until
// their accesses, of which reads count 1/threads each, exceed γ = 256 while another node waits, and then hands it to
// whoever has retried most often. Such a lease is at most 256 grants for each thread of the node, all of them readers
// that overtake a waiting writer one by one. The bound of a run is a lease of each node, 256 overtakings for each
// session: a request that waits for longer has met more than leases.
//
// Memory: 72 bytes a request that waits. Time: for each grant, what waits for its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/oracles/oracle.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// Reads the beginnings and ends of requests for locks. A request is reported once, when it is overtaken once more than
/// allowed. A try-lock does not wait, so it cannot be overtaken; but it overtakes. That a request is never granted, nor
/// anybody else's after it, is the business of ProgressOracle.
class LockFairnessOracle : public Oracle {
 public:
  /// How often a request may be overtaken where so many sessions ask for locks: by a lease of each node.
  static constexpr std::uint64_t leases(std::uint64_t sessions) { return 256 * sessions; }

  /// `event_log` gives the names of sessions and must outlive the oracle. A request may be overtaken `overtakings`
  /// times.
  LockFairnessOracle(const EventLog& event_log, std::uint64_t overtakings)
      : Oracle("lock-fairness", "request"), event_log_(event_log), allowed_(overtakings) {}

  void observe(const Observation& observation) override;

  /// How often the request that fared worst was overtaken.
  std::uint64_t most_overtakings() const { return most_; }
  /// Requests that are neither granted nor refused.
  std::size_t waiting() const { return begun_.size(); }

 private:
  struct Request {
    OperationId operation;
    std::uint64_t begun;  // position
    Time since;
    Source session;
    OperationKind kind;
    std::uint64_t overtakings;
  };

  struct PendingOperation {
    std::uint64_t position = 0;
    Key lock = 0;
  };

  void begin(const Observation& observation, const OperationView& request);
  void grant(const Observation& observation, const OperationView& winner, const PendingOperation& begun);
  void remove(Key lock, OperationId operation);

  const EventLog& event_log_;
  std::uint64_t allowed_;
  std::uint64_t position_ = 0;
  std::uint64_t most_ = 0;
  FlatMap<PendingOperation> begun_;                // by request, try-locks too
  FlatMap<std::uint32_t> queues_;                  // lock to queue
  std::vector<std::vector<Request>> queues_kept_;  // those that wait, by their beginnings
  std::vector<std::uint32_t> vacant_;
};

}  // namespace racksim::sim

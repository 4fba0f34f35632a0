// Served: whoever asks is answered, at the first attempt unless a fault explains why not.
//
// An operation that was sent again after a timeout ends as well as any other, and what was given up counts as ended. So
// a protocol that loses requests by itself, and lets its timeouts mend that, passes every oracle but this one.
//
// What explains a timeout (or that an operation was given up) is a disturbance by a fault:
//
//   * of a packet of that operation, lost or late, or behind a lost one on the same connection: not longer than
//     `patience` before the attempt. What is sent again later must be answered, if no fault hits it too. Of an
//     operation that is given up any disturbance of its packets counts: each of its attempts was judged by itself;
//   * of a packet of another operation, or of a control request, of the same fate (below), or of any packet of a
//     control request if a control request or a transport timed out: not longer than `settling` before the attempt;
//   * of machines (a crash, a slow core, a fast clock, a switch that restarts): if the attempt was under way
//     while one lasted, or began not longer than `settling` after its end.
//
// Nothing of this counts for an operation that began after the healing. A refusal that the protocol foresees and
// answers is no timeout. Overload, and timeouts shorter than the idle path, are no explanation: a scenario in which
// they are meant says so (`run.expect_timeouts`), and then only what is left over at the end counts.
//
// Memory: 56 bytes a pending operation, and 24 for each ended one that a fault has touched, of the last two stretches
// of `settling`, times the slack of FlatMap.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/oracles/oracle.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"
#include "sim/record/open_operations.hpp"

namespace racksim::sim {

/// What a ServedOracle has to know of the run.
struct ServedRules {
  bool expect_timeouts = false;  ///< the scenario overloads the rack, or has timeouts shorter than an idle path
  /// How long a sender may take to notice that a packet was lost, with back-off and the transport's own timeout.
  Duration patience = Duration::max();
  /// How long a fault may have after-effects: queues, back-offs, lost parts of what a cache holds.
  Duration settling = Duration::max();
  /// The fate of a key: operations on keys of one fate may wait for each other's packets, and for those of control
  /// requests, as those on a cached item do. Nothing for a key whose operations wait for their own packets alone.
  std::function<std::optional<std::uint64_t>(Key key)> fate = {};
};

/// Reads beginnings and ends of operations, sent_again and disturbance. Attach it before the first operation begins.
class ServedOracle final : public Oracle {
 public:
  /// `event_log` gives names and must outlive the oracle.
  ServedOracle(const EventLog& event_log, ServedRules rules);

  ObservedKinds kinds() const override {
    return {Observed::operation_begun, Observed::operation_ended, Observed::operation_given_up, Observed::sent_again,
            Observed::disturbance};
  }
  void observe(const Observation& observation) override;
  /// What is still pending was left unserved.
  void finish(Time end) override;
  /// All that began.
  std::uint64_t judged() const override { return event_log_.count(Observed::operation_begun); }

 private:
  struct Pending {
    Time began;
    Key key = 0;
    Source session;
    OperationKind kind{};
    std::optional<Time> disturbed;  ///< when last
  };

  void judge(const Observation& observation, const SentAgainView& again);
  bool is_explained(const Observation& observation, const SentAgainView& again, const Pending* pending);
  bool settles(Time disturbed, Time since) const { return since - disturbed <= rules_.settling; }
  void disturbed(const Observation& observation);
  void touch(OperationId operation, Time at);
  void remember(OperationId operation, Time at);
  /// When a fault last touched a packet of the operation, as far as it is remembered.
  std::optional<Time> last_touch(OperationId operation, const Pending* pending);
  std::string described(const Observation& observation, const SentAgainView& again, const Pending* pending) const;

  const EventLog& event_log_;
  ServedRules rules_;
  OpenOperations<Pending> pending_;
  FlatMap<Time> touched_, touched_before_;  // when: ended operations, of this stretch of `settling` and the one before
  Time stretch_began_;
  FlatMap<Time> fates_;           // the last disturbance of each
  std::optional<Time> control_;   // the last disturbance of a packet that may concern any key
  std::optional<Time> machines_;  // until when machines did not work as usual
  unsigned machine_faults_ = 0;   // that last
  Time healed_ = Time::max();
  bool any_ = false;  // any disturbance so far
};

}  // namespace racksim::sim

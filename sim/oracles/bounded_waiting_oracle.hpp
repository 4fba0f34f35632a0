// Bounded waiting: who waits is overtaken a bounded number of times, and never waits while nobody is served for longer
// than a bounded step.
//
// Operations on one unit of coherence (a line, a block, a key) wait for each other. Two bounds together exclude that one
// of them waits for ever, or for much longer than its turn:
//
//   * overtaking: an operation that had to wait itself, began later by some headway and is not compatible (two reads
//     are, and two shared requests for a lock) ends first. So often any one other session may do that while one waits:
//     Peterson and Fischer, "Economical Solutions for the Critical Section Problem in a Distributed System", STOC 1977,
//     call it bounded waiting. 0 is first come, first served, however many there are;
//   * steps: the time between two ends on one unit while somebody waits for it. It does not run while an application
//     holds a lock there, nor while one that holds any lock does nothing (`hold` of micro): what a lock keeps for it (a
//     frame, an entry of the switch) others may need.
//
// The bounds are the protocol's: its queues, turns, priorities and back-offs say how far its order may stray
// (ProtocolOptions::waiting). What a fault has disturbed, or what began soon after, is not judged.
//
// Memory: 88 bytes a pending operation and 8 for each session that has overtaken it, 48 a unit that somebody waits for or
// holds, 24 a session, and 24 a unit where the wait of who has it counts. Time: for each end, what waits for its unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/oracles/oracle.hpp"
#include "sim/oracles/waiting_bounds.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// What waits: accesses for each other, or requests for a lock. An access and a request do not exclude each other.
enum class Waiting : std::uint8_t { accesses, locks };

/// Reads beginnings and ends of operations, and disturbances. A try-lock does not wait, so it cannot be overtaken; but it
/// overtakes. The oracle of locks is called lock-fairness. Attach it before the first operation begins.
class BoundedWaitingOracle : public Oracle {
 public:
  /// `event_log` gives names and must outlive the oracle. It judges nothing if there is neither bound.
  BoundedWaitingOracle(const EventLog& event_log, const WaitingBounds& bounds, Waiting of)
      : Oracle(of == Waiting::locks ? "lock-fairness" : "bounded-waiting",
               of == Waiting::locks ? "request" : "operation"),
        event_log_(event_log),
        bounds_(bounds),
        of_(of) {}

  ObservedKinds kinds() const override {
    return {Observed::operation_begun, Observed::operation_ended, Observed::operation_given_up, Observed::disturbance};
  }
  void observe(const Observation& observation) override;

  /// How often one session overtook the operation that fared worst, and the longest step, of those that were judged.
  std::uint64_t most_overtakings() const { return most_; }
  Duration longest_step() const { return longest_; }

 private:
  struct Operation {
    OperationId operation;
    Time since, clock;
    Source session;
    Key key;
    std::uint64_t in_front;  // operations under way when it began
    OperationKind kind;
    std::vector<std::pair<Source, std::uint32_t>> overtaken_by{};  // how often
  };
  struct Unit {
    std::vector<Operation> waiting{};  // by their beginnings
    Time moved, clock;                 // the latest end, or beginning of what waits alone
    unsigned held = 0;                 // locks, by applications
  };

  void disturb(const Observation& observation);
  /// Whether an operation of this kind may wait, or overtake.
  bool is_judged(OperationKind kind) const {
    return of_ == Waiting::locks ? requests_lock(kind) : accesses_memory(kind);
  }
  /// Accesses name keys of a unit, locks name it.
  std::uint64_t number_of(const OperationView& operation) const {
    return operation.key >> (accesses_memory(operation.kind) ? bounds_.unit_bits : 0);
  }
  Unit& unit(std::uint64_t number);
  void begin(const Observation& observation, const OperationView& operation);
  void end(const Observation& observation, const OperationView& operation, bool ended);
  void leave_waiting(const Observation& observation, std::uint64_t number, bool done);
  void leave(std::uint64_t number, std::uint32_t place);
  void overtake(const Operation& winner, const Observation& observation, Unit& unit);
  /// How often one of a session may overtake one of another; kAny if nothing bounds it.
  std::uint64_t allowed(Source winner, Source loser);
  std::string_view node_of(Source session) const;
  void step(const Operation& ended, const Observation& observation, const Unit& unit, Duration of_holder);
  void move(Unit& unit, Time now);
  /// Counts an operation or a lock of a session in or out.
  void count(Source session, int operations, int locks, Time now);
  /// Runs but while somebody sits on a lock.
  Time clock(Time now) const { return now - sat_ - (sitting_ == 0 ? Duration{} : now - sitting_since_); }
  /// How long the node that had the unit waited for it; from now on it is that of who ended.
  Duration taken(const Operation& ended, std::uint64_t number, Time now);
  /// Whether no fault explains what happened from `since` until `now`.
  bool is_calm(Time since, Time now);
  std::string told(const Operation& waiting) const;

  const EventLog& event_log_;
  const WaitingBounds bounds_;
  const Waiting of_;
  FlatMap<std::uint32_t> numbers_;  // unit to its place
  std::vector<Unit> units_;
  std::vector<std::uint32_t> vacant_;
  struct Effect {
    Time at, until;
  };
  std::vector<Effect> to_come_;    // of faults that are known ahead of their instants
  std::optional<Time> disturbed_;  // until when faults explain what happens
  unsigned machine_faults_ = 0;    // that last
  std::uint64_t under_way_ = 0;
  /// What a session has under way that this oracle judges, and the most that it had; all its operations, and its locks.
  struct UnderWay {
    std::uint64_t now = 0, most = 0;
    int operations = 0, locks = 0;
    bool sits() const { return locks > 0 && operations == 0; }
  };
  std::vector<UnderWay> of_sessions_;  // by their sources
  unsigned sitting_ = 0;               // sessions that hold a lock and do nothing
  Time sitting_since_;                 // the first of them
  Duration sat_{};                     // how long there was one, before
  /// The node that has a unit, and the longest wait of one of its sessions for it.
  struct Holder {
    std::string_view node;
    Duration waited;
  };
  FlatMap<Holder> holders_;  // by units
  std::uint64_t most_ = 0;
  Duration longest_{};
};

}  // namespace racksim::sim

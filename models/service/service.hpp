// What the memory service and the key-value service share: sessions, and the record of their operations.
//
// Applications call the non-virtual face of a service. It numbers operations, gives every write a unique value, tells
// the event log when each operation begins and ends, and counts throughput and latency: the oracles' histories come
// from here, so a protocol gets all oracles by implementing the hooks. An operation whose task is destroyed, as a crash
// does, is recorded as given up.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "sim/kernel/task.hpp"
#include "sim/metrics/histogram.hpp"
#include "sim/metrics/latency_over_time.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/metrics/window_sums.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/history.hpp"
#include "sim/record/wait.hpp"

namespace racksim::models {

/// Who issues operations: an application thread or, where a thread serves several clients, one of these. What an oracle
/// calls a session is this, wherever its operations are carried out. All count from 0.
struct Session {
  NodeId node = 0;
  std::uint16_t thread = 0;
  std::uint16_t number = 0;  ///< of those of the thread
};

/// Is told of operations what the event log does not know, just before their end is recorded there. It must not act on
/// the simulation.
class OperationWitness {
 public:
  virtual ~OperationWitness() = default;
  /// `by` has answered it: a label that the protocol declares (answer_labels.hpp).
  virtual void answered(sim::OperationId operation, const std::string& by) = 0;
  /// It is no operation of its session, but one that the protocol carries out in the name of a dead one.
  virtual void is_for_dead(sim::OperationId operation) = 0;
};

class Service {
 public:
  /// Makes `sessions_per_thread` sessions for each of `threads_per_node` threads on each of the first `nodes` nodes.
  Service(sim::Calendar& calendar, sim::EventLog& event_log, sim::Metrics& metrics, unsigned nodes,
          unsigned threads_per_node, unsigned sessions_per_thread = 1);
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Operations that ended in the window of measurement.
  const sim::Counter& operations() const { return operations_; }
  std::uint64_t measured_operations() const { return operations_.in_window(); }
  /// Operations that have ended since time zero, measured or not, over time.
  const sim::WindowSums& over_time() const { return over_time_; }
  /// Of the same operations how long they took, in longer slots.
  const sim::LatencyOverTime& latency_over_time() const { return latency_over_time_; }
  /// Operations that have begun and neither ended nor been given up.
  std::uint64_t pending_operations() const { return pending_; }
  /// When the oldest of them began; the end of time if there is none. Looks at every session.
  sim::Time oldest_pending() const;
  /// Whether a session holds a lock, for which the protocol may keep an event open.
  virtual bool holds_locks() const { return false; }
  /// Whether sessions of a node that has crashed and started again may go on: their operations wait until it is taken
  /// back.
  virtual bool takes_back(NodeId node) const {
    static_cast<void>(node);
    return false;
  }
  /// Adds the operations under way, and whom they wait for.
  void add_waits(std::vector<sim::Wait>& waits) const;
  /// Whose an operation of this run is.
  Session issuer(sim::OperationId operation) const { return session_number(session_of(operation)); }
  /// What its operations are recorded in.
  const sim::EventLog& history() const { return event_log_; }
  sim::EventLog& history() { return event_log_; }
  /// How many bytes an operation is about, as it has begun: of an access what it reads or writes, of a lock what that
  /// covers, of an allocation what it asks for; 0 of a fence, and of what is freed.
  virtual std::uint64_t bytes_of(const sim::OperationView& begun) const = 0;
  /// At most one, before the run, which it must outlive.
  void attach(OperationWitness& witness) { witness_ = &witness; }
  /// The value that the session's newest write or compare-and-swap was given; 0 before the first.
  sim::Value newest_value(Session session) const {
    const std::size_t index = index_of(session);
    return sessions_[index].writes == 0 ? sim::kNeverWritten : value_of(index);
  }

 protected:
  /// An operation under way.
  struct PendingOperation {
    sim::OperationId operation = 0;
    sim::Time at;
    sim::Key key = 0;
    sim::Value value = 0;  ///< what it writes, to the first of its objects, or adds
    std::uint32_t objects = 1;
    sim::OperationKind kind = sim::OperationKind::read;
    NodeId at_node = 0;  ///< that carries it out, and with which it dies
  };

  class Guard;
  /// What a service keeps of a session.
  struct SessionState {
    sim::Source source;
    std::uint64_t operations = 0;
    std::uint64_t writes = 0;
    std::uint64_t measured = 0;               // operations that ended in the window of measurement
    std::vector<PendingOperation> dead = {};  // not yet recorded
    Guard* newest = nullptr;                  // of the operations under way
  };

  /// Kept in the coroutine of an operation: notes that the operation has died if the coroutine is destroyed first.
  class Guard {
   public:
    Guard(Service& service, Session session, const PendingOperation& begun)
        : state_(service.sessions_[service.index_of(session)]), begun_(begun), next_(state_.newest) {
      if (next_ != nullptr) next_->before_ = this;
      state_.newest = this;
    }
    ~Guard() {
      if (!over_) state_.dead.push_back(begun_);
      if (next_ != nullptr) next_->before_ = before_;
      (before_ != nullptr ? before_->next_ : state_.newest) = next_;
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    void over() { over_ = true; }
    const PendingOperation& begun() const { return begun_; }
    /// The next older one of the session.
    const Guard* next() const { return next_; }

   private:
    SessionState& state_;
    PendingOperation begun_;
    Guard *before_ = nullptr, *next_;
    bool over_ = false;
  };

  /// A node has died, and with it the operations there whose guards are gone: they count as given up. For the event of
  /// a crash, after the tasks have been destroyed.
  void sessions_died(NodeId node);

  /// Warms up by running the protocol itself: carries out the task, before the run begins (calendar.hpp, `skip_to`). It
  /// takes time, but none of the run's, and nothing is recorded. Throws std::logic_error if it does not end before time
  /// zero.
  void run_before(sim::Task<void> task);
  /// What a warm-up access has for an operation: none that a history knows.
  static constexpr sim::OperationId kWarmOperation = 0;

  /// A value that no write has written yet, never 0; the first of so many, which follow each other.
  sim::Value next_value(Session session, std::uint32_t count = 1);
  /// `operand` is what it writes or adds, if it does; of a write `next_value` gives it, as many as there are objects.
  PendingOperation begin(Session session, sim::OperationKind kind, sim::Key key, std::uint64_t operand = 0,
                         std::uint32_t objects = 1);
  /// It has taken effect and its session knows. `value` is what a read has read or, of several objects, what a write has
  /// written to the first. Returns how long it took.
  sim::Duration end(Session session, const PendingOperation& begun, sim::Value value);
  /// The same of a read: what each object has, in their order.
  sim::Duration end(Session session, const PendingOperation& begun, std::span<const sim::Value> values);
  /// The same for an atomic operation, which has read `before`.
  sim::Duration end_atomic(Session session, const PendingOperation& begun, sim::Value before, bool wrote);
  /// The same for a request for a lock.
  sim::Duration end_lock(Session session, const PendingOperation& begun, bool granted);
  /// The same for what a protocol does in the name of a session that is dead: no throughput, no latency.
  void end_for_dead(Session session, const PendingOperation& begun);
  /// Its session has given it up: a write may have taken effect, may still do so, or never.
  void give_up(Session session, const PendingOperation& begun);

  /// For a protocol that may lose acknowledged writes, and says so (`ProtocolOptions::may_lose_writes`): a crash has
  /// undone the write that gave `key` this value. Each of them, at the crash or when it is found out, before anybody
  /// can read what was there before. `recovered` is what there is instead, if the protocol knows.
  void lost_write(sim::Key key, sim::Value value, sim::Loss why, sim::Value recovered = sim::kNeverWritten);

  OperationWitness* witness() const { return witness_; }  ///< null if there is none
  sim::Calendar& calendar() { return calendar_; }
  sim::EventLog& event_log() { return event_log_; }
  sim::Metrics& metrics() { return metrics_; }
  sim::Source source_of(Session session) const { return sessions_[index_of(session)].source; }
  /// The index of the session that began the operation, or wrote the value, of this number.
  static constexpr std::size_t session_of(std::uint64_t number) {
    return static_cast<std::size_t>(number >> sim::kNumberBits) - 1;
  }
  sim::Source source_of(std::size_t index) const { return sessions_[index].source; }
  std::size_t sessions() const { return sessions_.size(); }
  Session session_number(std::size_t index) const {
    const std::size_t thread = index / sessions_per_thread_;
    return {static_cast<NodeId>(thread / threads_per_node_), static_cast<std::uint16_t>(thread % threads_per_node_),
            static_cast<std::uint16_t>(index % sessions_per_thread_)};
  }
  std::size_t index_of(Session session) const {
    const std::size_t thread = static_cast<std::size_t>(session.node) * threads_per_node_ + session.thread;
    return thread * sessions_per_thread_ + session.number;
  }

  /// Who is waited for in an operation under way, by index, as far as the service can tell.
  virtual std::vector<std::size_t> waited_for(const PendingOperation& begun) const {
    static_cast<void>(begun);
    return {};
  }

 private:
  sim::Duration count(const PendingOperation& begun);
  /// Records `what` of each object of an operation behind the first; `value(i)` is what the i-th has.
  template <class ValueOf>
  void record_parts(sim::Observed what, sim::Source source, const PendingOperation& begun, ValueOf&& value) {
    for (std::uint32_t i = 1; i < begun.objects; ++i) {
      sim::record_part(event_log_, what, source, calendar_.now(), sim::OperationId{begun.operation + i}, begun.kind,
                       sim::Key{begun.key + i}, sim::Value{value(i)});
    }
  }
  /// Operations that ended in the window, by node.
  std::vector<double> operations_of_nodes() const;
  sim::Value value_of(std::size_t index) const {
    return sim::Value{sim::number_of_session(index, sessions_[index].writes)};
  }

  sim::Calendar& calendar_;
  sim::EventLog& event_log_;
  sim::Metrics& metrics_;
  unsigned threads_per_node_, sessions_per_thread_;
  std::vector<SessionState> sessions_;
  sim::Counter& operations_;
  sim::Histogram &latency_, &read_latency_, &write_latency_;
  sim::WindowSums over_time_;
  sim::LatencyOverTime latency_over_time_;
  std::uint64_t pending_ = 0;
  OperationWitness* witness_ = nullptr;
};

}  // namespace racksim::models

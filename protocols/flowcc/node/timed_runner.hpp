// An event runner with the network, the core and the timers of an application thread.
//
// Timeouts are 6 RTT for requests and 3 RTT for unlocks (§5.3). Both double with each retransmission: a request's
// because rule (ii) needs one above the round trip (event_runner.hpp), an unlock's because a home agent that takes
// longer to serve it than the timeout would be kept busy with copies of it.
//
// As printed a requester goes on later: it writes back, waits for the acknowledgement of the unlock before, unlocks,
// and only then has ended the event (§5.1.1, §5.3.2). By the safe rules the write-back and the wait are asynchronous as
// the unlock itself is; rule (iii) and the lock that is held meanwhile make that safe.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "protocols/flowcc/events/event_runner.hpp"
#include "protocols/flowcc/node/node_state.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::flowcc {

class TimedRunner final : public EventHost {
 public:
  /// Sends through the thread's endpoint; `name` is how reports name it.
  TimedRunner(Shared& shared, NodeState& node, models::Core& core, Endpoint& endpoint, RequesterId number,
              std::string name);

  EventRunner& events() { return runner_; }
  const EventRunner& events() const { return runner_; }
  const CoherenceEvent& event() const { return runner_.event(); }
  RequesterId number() const { return runner_.number(); }
  std::string name() const override { return name_; }

  /// How an event ended.
  enum class Outcome : std::uint8_t {
    done,
    lost_race,  ///< it does not make sense any more, or all have stopped
    busy        ///< refused, for somebody has the lock
  };
  /// Runs one coherence event to its end, which keeps its lock if it is told to.
  sim::Task<Outcome> run(MessageType type, Tag tag, sim::OperationId operation, bool keep_lock = false);
  /// For those who wait for its end.
  sim::Signal& ended() { return ended_; }

  /// Data have landed in the buffer of event `seq`; the thread has yet to notice.
  void data_landed(std::uint32_t seq, const BlockData& data);

  // The lock that an event has kept (lock_log.hpp).

  /// Has the witness note that an application has it; ends when it has.
  sim::Task<void> log_lock();
  /// Whether that is under way.
  bool logs_lock() const { return logged_lock_.has_value(); }
  /// For those who wait for that.
  sim::Signal& lock_logged() { return lock_logged_; }
  /// The application gives it back: the witness forgets it, and then the owner is told, if that is there.
  void release(bool owner_is_there);
  /// A WRITE to the log has ended.
  void log_written(const models::Completion& completion);
  /// All go on after a recovery, which has written anew what is held.
  void locks_logged() {
    logged_lock_.reset();
    lock_logged_.notify_all();
  }
  /// The number of a WRITE to the log among the requester's.
  static constexpr std::uint64_t kLogWrite = std::uint64_t{1} << 63;

  void abort(std::vector<BlockData>& write_backs);
  void crash() {
    runner_.crash();
    logged_lock_.reset();
  }

  /// What is under way, for a report of what is stuck; empty when quiescent.
  std::string describe() const;
  /// Its block and operation.
  sim::KeyAndOperations key_and_operations() const;

 private:
  void send(FlowCcHeader& header, sim::OperationId operation) override;
  void write_log(NodeId witness, Tag tag, std::uint32_t seq, bool held) {
    endpoint_.write_log(witness, {tag, number().number(), held},
                        kLogWrite | std::uint64_t{number().number()} << 32 | seq);
  }
  void write_back(const BlockData& data, std::uint32_t seq, sim::OperationId operation) override {
    const std::uint64_t wr_id = std::uint64_t{number().number()} << 32 | seq;
    endpoint_.write_block(shared_.home_of(data.tag), DataAddress::global_memory(data.tag), data, true, wr_id,
                          operation);
  }
  LocalCache& cache() override { return node_.cache(); }
  void permission_changed(Tag tag, sim::Permission permission, sim::OperationId operation) override {
    node_.permission_changed(tag, permission, operation);
  }
  void unlock_sent(std::size_t slot) override;
  void unlock_over(std::size_t slot) override;
  void unlock_dropped(std::size_t slot) override;
  void event_settled() override { settled_.notify_all(); }
  void event_ended() override {
    ended_.notify_all();
    node_.any_event_ended().notify_all();
  }
  void unlock_timed_out(std::uint32_t slot);
  void notice_data(std::uint64_t seq_and_version, sim::Value value);
  bool safe() const { return shared_.options.idempotence == FlowCcOptions::Idempotence::safe; }
  sim::Duration timeout(std::uint64_t rtts) const {
    return shared_.rack.options().rtt * static_cast<std::int64_t>(rtts);
  }

  struct Timer {
    sim::Duration patience;  ///< timeout of the latest transmission
    sim::EventId id;
  };

  Shared& shared_;
  NodeState& node_;
  models::Core& core_;
  sim::Clock& clock_;
  Endpoint& endpoint_;
  std::string name_;
  EventRunner runner_;
  sim::Signal settled_, ended_, unlock_sent_, unlock_acked_, lock_logged_;
  std::optional<std::uint32_t> logged_lock_;  // its event, while the WRITE is under way
  std::array<Timer, 2> timers_;               // of unlocks
};

/// Who of a node has an event under way on a block, or null.
TimedRunner* event_on(const NodeState& node, Tag tag);
/// Whether nobody of it has an event or an unlock under way.
bool quiescent(const NodeState& node);
/// Whether applications on the node have locks.
bool keeps_locks(const NodeState& node);

}  // namespace racksim::flowcc

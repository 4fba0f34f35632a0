// The requester-driven part of the protocol as a state machine (Concordia §5.1.1): generates a coherence request,
// gathers acknowledgements and data, installs them, generates the new metadata and unlocks asynchronously. What it
// needs of its thread (network, core, time, the node's cache) an EventHost does for it.
//
// Its answers to packet loss are §5.3's (sequence numbers per event, two lock scores by parity), with four rules added.
// As printed (`idempotence: "paper"`) the scheme holds on perfect wires and when a lost request, unlock or answer is
// sent again while nothing else happens, and leaks locks otherwise. After a spurious timeout the first transmission may
// fail and its failed ACK be under way while the second acquires the lock: the requester gives up an event whose lock
// is held. A copy that comes when its event is over takes a lock for nobody. A failed event sends no unlock, so that
// the next but one may begin while a lost unlock of its parity is outstanding, and both share a lock score. Each is a
// test (tests/protocols/flowcc/events/paper_order_test.cpp). The rules:
//
//   (i)   every packet a requester sends carries a serial number, and the owner of the block (for the switch: an array
//         in the first stage) drops packets whose serial does not increase;
//   (ii)  a failed ACK echoes the serial, and counts only if it answers the latest transmission;
//   (iii) no request is issued while an unlock of the same parity is unacknowledged;
//   (iv)  undoing a failed check takes back only what that packet's own pass acquired (LCF program, home agent).
//
// Rule (ii) needs a timeout above the round trip: below it each failed ACK finds that it does not answer the latest
// transmission, and the requester never learns (timed_runner.hpp).
//
// An event may keep its lock when it is over: then its unlock waits until the application gives the block back
// (block_locks.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/flowcc/events/coherence_event.hpp"
#include "protocols/flowcc/rules/counters.hpp"
#include "protocols/flowcc/rules/coverage.hpp"
#include "protocols/flowcc/rules/local_cache.hpp"
#include "protocols/flowcc/rules/options.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

/// What the thread of an event runner does for it.
class EventHost {
 public:
  /// Sends towards the home of the header's block. The host knows the node and its queue pair.
  virtual void send(FlowCcHeader& header, sim::OperationId operation) = 0;
  /// Writes a block home; `EventRunner::written_back(seq)` follows.
  virtual void write_back(const BlockData& data, std::uint32_t seq, sim::OperationId operation) = 0;
  virtual LocalCache& cache() = 0;
  virtual void permission_changed(Tag tag, sim::Permission permission, sim::OperationId operation) = 0;
  /// The unlock in this slot has been sent for the first time; `EventRunner::transmit_unlock(slot)` follows while it is
  /// not acknowledged.
  virtual void unlock_sent(std::size_t slot) = 0;
  /// And has been acknowledged.
  virtual void unlock_over(std::size_t slot) = 0;
  /// Or is of no use any more, for all have stopped or the thread has died.
  virtual void unlock_dropped(std::size_t slot) = 0;
  /// The event under way has its result, or has ended.
  virtual void event_settled() = 0;
  virtual void event_ended() = 0;
  /// As reports name the thread.
  virtual std::string name() const = 0;

 protected:
  ~EventHost() = default;
};

/// The events of one requester number, one after the other.
class EventRunner {
 public:
  /// Of a requester on a node. All are kept by reference.
  EventRunner(const FlowCcOptions& options, Counters& counters, const CoverageMarks& coverage, EventHost& host,
              NodeId node, RequesterId number);

  const CoherenceEvent& event() const { return event_; }
  RequesterId number() const { return number_; }
  bool quiescent() const { return !event_.active() && !unlocks_[0].active && !unlocks_[1].active; }
  /// Whether the request of the event under way has been sent.
  bool has_sent_request() const { return event_.active() && event_.seq() == seq_; }

  // An event's life, in its order.

  /// Claims the block, so that no sibling starts an event on it in the meantime.
  void claim(MessageType type, Tag tag, sim::OperationId operation, sim::Time now) {
    RACKSIM_INVARIANT(!event_.active(), "a requester has one coherence event under way");
    event_.begin(type, tag, node_, seq_ + 1, operation);
    event_.set_began(now);
  }
  /// Whether its request may be sent: rule (iii).
  bool may_send() const { return !safe() || !unlocks_[(seq_ + 1) & 1].active; }
  void send_request() {
    ++seq_;
    transmit_request(false);
  }
  void send_request_again() { transmit_request(true); }
  /// All acknowledgements are in: installs data or drops the copy, and hands the lock back with the new metadata,
  /// unless `keep_lock`. `end` follows.
  void complete(bool keep_lock = false);
  /// The entry is as it was before the event, which ends.
  void give_back();
  void end() {
    event_.end();
    host_.event_ended();
  }

  /// A lock that was kept is given back; if its witness has it in the log, after `log_cleared`.
  void release(bool logged) {
    for (Unlock& unlock : unlocks_) {
      if (!unlock.kept) continue;
      unlock.kept = false;
      unlock.logged = logged;
    }
    advance_unlocks();
  }
  /// The witness does not have the lock of event `seq` in its log any more.
  void log_cleared(std::uint32_t seq);
  /// Or forgotten, for nobody is there to be told.
  void drop_kept() {
    for (Unlock& unlock : unlocks_) {
      if (unlock.kept) unlock = {};
    }
  }
  /// Whether it keeps one.
  bool keeps_lock() const { return unlocks_[0].kept || unlocks_[1].kept; }
  /// Whether the lock that it keeps is a read lock.
  bool keeps_read_lock() const {
    return (unlocks_[0].kept && unlocks_[0].read) || (unlocks_[1].kept && unlocks_[1].read);
  }

  /// An answer.
  void received(const FlowCcHeader& h);
  /// Data have landed in the buffer of event `seq`, and the thread has noticed.
  void data_landed(std::uint32_t seq, const BlockData& data);
  /// The write-back of event `seq` has completed.
  void written_back(std::uint64_t seq);

  /// An unlock on its way, as seen from outside.
  struct PendingUnlock {
    Tag tag = 0;
    std::uint32_t seq = 0;
    bool written_back = false;  ///< global memory is up to date, or need not be
    bool sent = false;
    bool kept = false;    ///< the application has the lock
    bool logged = false;  ///< the application has not, but the log of its witness (node/lock_log.hpp)
    sim::OperationId operation = 0;
  };
  std::vector<PendingUnlock> pending_unlocks() const;
  /// Whether that of event `seq` has been sent, or is over.
  bool unlock_is_out(std::uint32_t seq) const {
    const Unlock& unlock = unlocks_[slot_of(seq)];
    return !unlock.active || unlock.sent;
  }
  /// For the host: sends it again.
  void transmit_unlock(std::size_t slot);
  const PendingUnlock& unlock_in(std::size_t slot) const { return unlocks_[slot]; }
  /// Calls `visit(tag)` for the block of each event and unlock under way.
  template <class Visit>
  void visit_blocks(Visit&& visit) const {
    if (event_.active()) visit(event_.tag());
    for (const Unlock& unlock : unlocks_) {
      if (unlock.active) visit(unlock.tag);
    }
  }
  /// Calls `visit(data)` for each block that it is writing back.
  template <class Visit>
  void visit_write_backs(Visit&& visit) const {
    for (const Unlock& unlock : unlocks_) {
      if (unlock.active && !unlock.written_back) visit(unlock.data);
    }
  }

  /// All stop: the event under way, if its request was sent, is over, and so are unlocks; a lock that is kept is not.
  /// Returns whether an event is, and adds the blocks whose write-back has not been completed. The host tells who
  /// waits.
  bool abort(std::vector<BlockData>& write_backs);
  /// The thread died with its node: nothing is under way any more, and the next number is 1.
  void crash() {
    event_.end();
    for (std::size_t slot = 0; slot < unlocks_.size(); ++slot) drop_unlock(slot);
    seq_ = serial_ = 0;
  }

  /// Events whose request did not have exactly one of the holders provide the data (provider_count.hpp), the first few.
  std::vector<models::Leak> wrong_providers() const {
    std::vector<models::Leak> all = wrong_providers_;
    if (auto wrong = event_.active() ? wrong_provider() : std::nullopt) all.push_back(std::move(*wrong));
    return all;
  }

  /// Passes all that has a future to `archive` (sim/exploration/archive.hpp).
  template <class Archive>
  void archive(Archive& archive) {
    event_.archive(archive);
    archive(seq_, serial_);
    for (Unlock& unlock : unlocks_) {
      if constexpr (Archive::kReads) unlock = {};
      archive(unlock.active);
      if (!unlock.active) continue;
      archive(unlock.tag, unlock.seq, unlock.written_back, unlock.sent, unlock.kept, unlock.logged, unlock.operation,
              unlock.read);
      archive(unlock.metadata.status, unlock.metadata.copyset);
      archive(unlock.data.tag, unlock.data.value, unlock.data.version);
    }
  }

 private:
  // An unlock from the end of its event until its acknowledgement. At most two are active: by the safe rules one per
  // parity, in the paper's order one that has been sent and one that waits for its acknowledgement.
  struct Unlock : PendingUnlock {
    bool active = false;
    bool read = false;
    GlobalMetadata metadata{};
    BlockData data{};  ///< that are written back
  };

  void transmit_request(bool again);
  void count_providers();
  std::optional<models::Leak> wrong_provider() const;  ///< of the event under way
  void install(bool dirty, const BlockData& data);
  void take_copy(CacheEntry* entry, bool write);
  void unlock_when_possible(GlobalMetadata metadata, bool write_back, const BlockData& data, bool keep);
  void advance_unlocks();
  /// The slot of the unlock of event `seq`, if it is active; else any.
  std::size_t slot_of(std::uint64_t seq) const { return unlocks_[1].active && unlocks_[1].seq == seq ? 1 : 0; }
  void drop_unlock(std::size_t slot) {
    if (!unlocks_[slot].active) return;
    unlocks_[slot] = {};
    host_.unlock_dropped(slot);
  }
  FlowCcHeader header(MessageType type, Tag tag, std::uint32_t seq);
  bool safe() const { return options_.idempotence == FlowCcOptions::Idempotence::safe; }

  const FlowCcOptions& options_;
  Counters& counters_;
  const CoverageMarks& coverage_;
  EventHost& host_;
  NodeId node_;
  RequesterId number_;
  CoherenceEvent event_;
  std::uint32_t seq_ = 0;
  std::uint32_t serial_ = 0;
  std::array<Unlock, 2> unlocks_;
  std::vector<models::Leak> wrong_providers_;
};

}  // namespace racksim::flowcc

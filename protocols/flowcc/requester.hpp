// A requester: one application thread of a memory node, with the protocol's requester-driven part (Concordia §5.1.1).
//
// It looks into the local cache, generates coherence requests, gathers acknowledgements and data, installs them,
// generates the new metadata and unlocks asynchronously. Its answers to packet loss are §5.3's (timeouts of 6 RTT for
// requests and 3 RTT for unlocks, sequence numbers per event, two lock scores by parity), with four rules added. As
// printed (`idempotence: "paper"`) the scheme holds on perfect wires and when a lost request, unlock or answer is sent
// again while nothing else happens, and leaks locks otherwise. After a spurious timeout the first transmission may fail
// and its failed ACK be under way while the second acquires the lock: the requester gives up an event whose lock is
// held. A copy that comes when its event is over takes a lock for nobody. A failed event sends no unlock, so that the
// next but one may begin while a lost unlock of its parity is outstanding, and both share a lock score. Each is a test
// (tests/protocols/flowcc/paper_order_test.cpp). The rules:
//
//   (i)   every packet a requester sends carries a serial number, and the owner of the block (for the switch: an array
//         in the first stage) drops packets whose serial does not increase;
//   (ii)  a failed ACK echoes the serial, and counts only if it answers the latest transmission;
//   (iii) no request is issued while an unlock of the same parity is unacknowledged;
//   (iv)  undoing a failed check takes back only what that packet's own pass acquired (LCF program, home agent).
//
// Rule (ii) needs a timeout above the round trip: below it each failed ACK finds that it does not answer the latest
// transmission, and the requester never learns. So a request's timeout doubles with each retransmission. An unlock's
// does too: a home agent that takes longer to serve an unlock than the timeout would be kept busy with copies of it.
//
// As printed a requester also goes on later: it writes back, waits for the acknowledgement of the unlock before,
// unlocks, and only then has ended the event (§5.1.1, §5.3.2). By the safe rules the write-back and the wait are
// asynchronous as the unlock itself is; rule (iii) and the lock that is held meanwhile make that safe.
//
// After a failed ACK the whole operation is retried at once: the paper names no back-off.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/flowcc/coherence_event.hpp"
#include "protocols/flowcc/local_cache.hpp"
#include "protocols/flowcc/network.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::flowcc {

class MemoryNode;

/// One application thread.
class Requester final : public models::PacketHandler, public models::CompletionHandler {
 public:
  Requester(Shared& shared, MemoryNode& node, unsigned thread, models::Core& core);

  /// Reads a block through the local cache; returns its value.
  sim::Task<sim::Value> read(Tag tag, sim::OperationId operation);
  /// Writes a block in the local cache.
  sim::Task<void> write(Tag tag, sim::Value value, sim::OperationId operation);

  /// The event under way on a block, for sibling threads that wait for its end.
  const CoherenceEvent& event() const { return event_; }
  sim::Signal& event_ended() { return event_ended_; }

  /// Data have landed in the buffer of event `seq`; the thread has yet to notice.
  void data_landed(std::uint32_t seq, const BlockData& data);

  unsigned number() const { return number_; }
  /// As histories name its session: "node2/thread0".
  std::string name() const;
  Endpoint& endpoint() { return endpoint_; }
  bool quiescent() const { return !event_.active() && !unlocks_[0].active && !unlocks_[1].active; }
  /// What is under way, for a report of what is stuck; empty when quiescent.
  std::string describe() const;
  /// An unlock on its way, as seen from outside.
  struct PendingUnlock {
    std::string name;  ///< "unlock of block 0x40 by node2/thread0"
    Tag tag = 0;
    std::uint32_t seq = 0;
    bool written_back = false;
    bool sent = false;
  };
  std::vector<PendingUnlock> pending_unlocks() const;
  /// Whether the request of the event under way has been sent.
  bool has_sent_request() const { return event_.active() && event_.seq() == seq_; }
  /// Its block and operation.
  sim::KeyAndOperations key_and_operations() const;
  /// Events whose request did not have exactly one of the holders provide the data (provider_count.hpp), the first few.
  std::vector<models::Leak> wrong_providers() const;
  /// Calls `visit(tag)` for the block of each event and unlock under way.
  template <class Visit>
  void visit_blocks(Visit&& visit) const {
    if (event_.active()) visit(event_.tag());
    for (const Unlock& unlock : unlocks_) {
      if (unlock.active) visit(unlock.tag);
    }
  }

  /// All stop: the event under way, if its request was sent, is over, and so are unlocks. Returns the event's number,
  /// and adds the blocks whose write-back has not been completed.
  std::optional<std::uint32_t> abort(std::vector<BlockData>& write_backs);

  /// Calls `visit(tag)` for each block that it is writing back.
  template <class Visit>
  void visit_write_backs(Visit&& visit) const {
    for (const Unlock& unlock : unlocks_) {
      if (unlock.active && !unlock.written_back) visit(unlock.data);
    }
  }

  /// The thread died with its node: nothing is under way any more, and the next number is 1.
  void crash();

  void on_packet(p4::PacketRef packet) override;
  void on_completion(const models::Completion& completion) override;

 private:
  // An unlock from the end of its event until its acknowledgement. At most two are active: by the safe rules one per
  // parity, in the paper's order one that has been sent and one that waits for its acknowledgement.
  struct Unlock {
    bool active = false;
    bool written_back = false;  ///< global memory is up to date, or need not be
    bool sent = false;
    bool read = false;
    std::uint32_t seq = 0;
    Tag tag = 0;
    GlobalMetadata metadata;
    BlockData data{};  ///< that are written back
    sim::OperationId operation = 0;
    sim::Duration patience;  ///< timeout of the latest transmission
    sim::EventId timer;
  };

  sim::Task<void> obtain(MessageType type, Tag tag, sim::OperationId operation);
  sim::Task<void> make_room(Tag tag, sim::OperationId operation);
  sim::Task<bool> run_event(MessageType type, Tag tag, sim::OperationId operation);
  void find_home(Tag tag) const;
  void give_back(Tag tag);
  void end_event();
  void transmit_request(bool again);
  void complete();
  void notice_data(std::uint64_t seq_and_version, sim::Value value);
  void count_providers();
  std::optional<models::Leak> wrong_provider() const;  ///< of the event under way
  void install(bool dirty, const BlockData& data);
  void unlock_when_possible(GlobalMetadata metadata, bool write_back, const BlockData& data);
  void advance_unlocks();
  /// The unlock of event `seq`, if it is active; else any.
  Unlock& unlock_of(std::uint64_t seq);
  void transmit_unlock(Unlock& unlock);
  void unlock_timed_out(std::uint32_t slot);
  FlowCcHeader header(MessageType type, Tag tag, std::uint32_t seq);
  bool safe() const { return shared_.options.idempotence == FlowCcOptions::Idempotence::safe; }
  sim::Duration timeout(std::uint64_t rtts) const;

  Shared& shared_;
  MemoryNode& node_;
  unsigned thread_;
  unsigned number_;
  models::Core& core_;
  sim::Clock& clock_;
  Endpoint endpoint_;
  CoherenceEvent event_;
  sim::Signal settled_, event_ended_, unlock_sent_, unlock_acked_;
  std::uint32_t seq_ = 0;
  std::uint32_t serial_ = 0;
  std::array<Unlock, 2> unlocks_;
  std::vector<models::Leak> wrong_providers_;
};

}  // namespace racksim::flowcc

// The receiving half of a reliable connection (InfiniBand specification, volume 1, chapter 9.7).
//
// It takes packets in the order of their numbers and reports one sequence error a gap; what it has had before it
// acknowledges again, reads again, or, if it was an atomic, answers from the results that it keeps, so that none is
// done twice. Acknowledgements and responses leave in the order of the requests. A SEND without a posted receive is
// told to come again (RNR NAK); a request that memory's registration does not allow ends the connection. Of that the
// requester is told as often as the request comes, and what was carried out before it is answered again: a response
// that was lost is no reason to fail.
//
// READs and atomics are carried out in the order of their requests, and each when its answer is there to be sent: that
// is one event of the calendar. Only an atomic whose answer has to wait for others is done at an event of its own, and
// what came before it by then.
#pragma once

#include <cstdint>
#include <optional>

#include "models/host/memory.hpp"
#include "models/host/short_queue.hpp"
#include "models/nic/completion_queue.hpp"
#include "models/nic/rc_link.hpp"
#include "models/nic/receive_queue.hpp"

namespace racksim::models {

/// What has landed in memory, in the order in which it is there.
class DmaWrites {
 public:
  virtual ~DmaWrites() = default;
  /// A WRITE is in memory at `when`.
  virtual void land(p4::PacketRef&& packet, sim::Time when, NodeId from, RemoteAddress at, std::uint32_t bytes) = 0;
};

class RcResponder final : PayloadSource {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual ReceiveQueue& receive_queue() = 0;
    /// A request was refused: the queue pair goes to the error state.
    virtual void responder_failed() = 0;
  };

  RcResponder(const RcLink& link, Memory& memory, DmaWrites& dma_writes, CompletionQueue& completions, Owner& owner)
      : link_(link), memory_(memory), dma_writes_(dma_writes), completions_(completions), owner_(owner) {}

  /// A request packet starts in the receive engine at `start`.
  void receive(p4::PacketRef&& packet, sim::Time start);
  /// The queue pair goes to the error state: completes the receive that half a message has come for as flushed.
  void flush();
  /// Forgets everything, and begins with this number.
  void reset(Psn first = {});
  /// Whether it has refused a request. From then on it carries out nothing new.
  bool has_refused() const { return refusal_.has_value(); }

 private:
  struct AtomicResult {
    Psn psn;
    std::uint64_t old_value = 0;
    bool done = false;
  };
  /// What memory has not seen yet, an atomic or a READ's part for one packet of its response; and the packet, which
  /// waits for what is found.
  struct Access {
    p4::PacketRef answer;
    Opcode opcode{};
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;  // of a READ
    std::uint32_t key = 0;    // of an atomic
    std::uint64_t compare = 0, swap_or_add = 0;
  };
  struct Message {
    std::uint64_t address = 0;  // of a WRITE
    std::uint32_t key = 0;
    std::uint32_t length = 0;  // that it says to have
    std::uint32_t bytes = 0;   // that have come
    Receive receive{};
    bool holds_receive = false;  // which has not completed
  };

  void receive_after_refusal(p4::PacketRef&& packet, sim::Time start);
  void take_again(p4::PacketRef&& packet, sim::Time start);
  void take_segment(p4::PacketRef&& packet, sim::Time start);
  void take_read(const p4::Packet& packet, sim::Time start);
  sim::Time behind_landings(sim::Time start) const;
  void read(const p4::Packet& packet, sim::Time start);
  void take_atomic(const p4::Packet& packet, sim::Time start);
  void fill(const p4::Packet& packet) override;
  /// The atomic with this number is due, in this life.
  void atomic_due(std::uint64_t life, std::uint32_t psn);
  /// Carries out what has come first.
  void access_memory();
  void do_atomic(const Access& atomic);
  Completion received(const p4::Packet& packet) const;
  p4::PacketRef make_atomic_answer(Psn psn, sim::OperationId operation);
  void answer_atomic(const AtomicResult& result, sim::OperationId operation);
  /// Whether memory allows it; if not, it is refused.
  bool allowed(Memory::Access access, RemoteAddress at, std::uint32_t bytes, Psn psn);
  void refuse(std::uint64_t syndrome, Psn psn);
  void acknowledge(std::uint64_t syndrome, Psn psn);

  const RcLink& link_;
  Memory& memory_;
  DmaWrites& dma_writes_;
  CompletionQueue& completions_;
  Owner& owner_;
  SendOrder order_{link_.engine, nullptr, link_.state(), this};  // of acknowledgements and responses
  Psn expected_psn_;
  std::uint32_t messages_received_ = 0;
  bool gap_reported_ = false;
  std::optional<std::uint64_t> refusal_;       // its syndrome
  Message message_;                            // being received
  sim::Time landed_ = sim::Time::beginning();  // when the latest WRITE is in memory
  ShortQueue<AtomicResult> results_;           // the latest, as many as a requester may have outstanding
  ShortQueue<Access> accesses_;                // in the order of their answers
  std::uint64_t life_ = 0;                     // another after each reset: events of before are recognised by it
};

}  // namespace racksim::models

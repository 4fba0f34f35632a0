// The sending half of a reliable connection (InfiniBand specification, volume 1, chapter 9.7).
//
// Work requests are cut into packets numbered by PSN; a READ takes the numbers of its response. What is not
// acknowledged is sent again from the oldest on: when the responder reports a gap, when a response shows that an
// earlier one was lost, when the responder had no receive (RNR NAK, after a pause of its choice), and after a timeout.
// READs and atomics that wait for their responses are limited in number, as packets without an acknowledgement are; a
// fenced work request waits for all responses.
//
// What a responder reports about a packet says that it has done all before. Where a response to that is missing it is
// asked for again first: an error ends the work request that earned it, never one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/host/memory.hpp"
#include "models/host/short_queue.hpp"
#include "models/nic/completion_queue.hpp"
#include "models/nic/rc_link.hpp"
#include "models/nic/verbs.hpp"

namespace racksim::models {

class RcRequester {
 public:
  /// Told when the connection has failed: everything posted has completed in error.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void requester_failed() = 0;
  };

  RcRequester(const RcLink& link, Memory& memory, CompletionQueue& completions, Owner& owner, sim::Lane timer_lane)
      : link_(link), memory_(memory), completions_(completions), owner_(owner), timer_lane_(timer_lane) {}

  /// Queues a work request; false if the send queue is full.
  bool take(const WorkRequest& request);
  /// A packet from the responder: an acknowledgement of any kind, or a response.
  void receive(p4::PacketRef&& packet, sim::Time start);
  /// Completes all that is queued as flushed, for an error of the other half.
  void flush();
  /// Forgets everything, and begins with this number.
  void reset(Psn first = {});
  /// Work requests that have not been completed.
  std::size_t outstanding() const { return queue_.size(); }

 private:
  struct Entry {
    WorkRequest request;
    Psn first_psn;                   // of those that have been sent at least once, as is the next
    std::uint32_t packets = 0;       // sequence numbers that it takes
    std::uint32_t answered = 0;      // packets of a READ's response that have come
    Content content;                 // what the only one brought
    std::vector<std::byte> parts;    // what several have brought
    Status wrong = Status::success;  // what this side does not even send
    std::uint64_t old_value = 0;     // that an atomic has found
    bool waits_for_response() const { return request.opcode == Opcode::read || is_atomic(); }
    bool is_atomic() const { return request.opcode == Opcode::compare_swap || request.opcode == Opcode::fetch_add; }
  };

  void send_more();
  bool may_send(const Entry& entry) const;
  void send_entry(const Entry& entry, Psn from_psn);
  void send_segment(const Entry& entry, std::uint32_t segment);
  void send_read(const Entry& entry, std::uint32_t answered);
  void send_atomic(const Entry& entry);
  void send_again();
  void take_acknowledgement(const p4::Packet& packet, sim::Time start);
  void take_response(p4::PacketRef&& packet, sim::Time start);
  /// Everything before this number has been acknowledged. Stops at what has no response yet, which is then lost.
  void acknowledged_before(Psn psn, sim::Time start);
  void complete_front(sim::Time start);
  void progressed();
  void restart_timer();
  void timer();
  void resume_after_rnr();
  void complete_in_error(const WorkRequest& request, Status status);
  void report_timeout(const WorkRequest& request, bool given_up);
  /// The oldest work request ends so, and all others are flushed.
  void fail(Status status);

  const RcLink& link_;
  Memory& memory_;
  CompletionQueue& completions_;
  Owner& owner_;
  sim::Lane timer_lane_;
  SendOrder order_{link_.engine, nullptr, link_.state()};
  ShortQueue<Entry> queue_;    // not completed, oldest first
  std::size_t sent_ = 0;       // how many of them have been sent at least once
  std::size_t responses_ = 0;  // how many of those wait for a response
  Psn next_psn_;
  Psn oldest_psn_;                       // not acknowledged
  std::optional<Psn> missing_response_;  // the PSN whose response is known to be lost, and asked for again
  std::uint64_t retries_ = 0, rnr_retries_ = 0;
  sim::Time deadline_;
  sim::EventId timer_event_, rnr_event_;
};

}  // namespace racksim::models

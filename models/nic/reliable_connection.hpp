// A reliable connection: RDMA WRITE and SEND that arrive once and in order over a network that loses packets.
//
// As RoCE v2 does it: messages are cut into MTU segments numbered by PSN, the last segment asks for a cumulative
// acknowledgement, a receiver accepts the expected segment only, reports one sequence error a gap, and the sender goes
// back to the oldest unacknowledged segment on such a report or on a timeout. (InfiniBand specification, chapter 9.7.)
#pragma once

#include <cstdint>
#include <deque>

#include "models/nic/nic.hpp"
#include "models/nic/verbs.hpp"
#include "models/packets/rdma_headers.hpp"
#include "sim/kernel/calendar.hpp"

namespace racksim::models {

/// One end of a connection, both sender and receiver.
class ReliableConnection {
 public:
  struct Message {
    bool is_write = true;
    bool signalled = false;
    std::uint64_t address = 0;
    Payload payload;
    std::uint64_t wr_id = 0;
    std::uint64_t operation = 0;
    std::uint32_t first_psn = 0;  ///< filled in by post, as is the next
    std::uint32_t segments = 0;
  };

  ReliableConnection(Nic& nic, std::uint32_t qpn, Core& poller, CompletionHandler& completions,
                     ReceiveHandler* receive_handler);

  /// Starts anew at sequence number 0. Receives posted before the first connection count, as in ibverbs, where a queue
  /// pair takes them from state INIT on; those of an earlier connection are gone, as after a transition to RESET.
  void connect(NodeId remote, std::uint32_t remote_qpn);
  /// Queues a message. On a failed connection the message fails; on one never connected it throws std::logic_error.
  void post(Message message);
  /// Posts `count` receives, connected or not; a connection that failed loses them when it is connected again.
  void post_receive(std::uint64_t count) { receives_ += count; }
  /// A packet for this queue pair starts in the receive engine at `start`.
  void receive(p4::PacketRef&& packet, sim::Time start);
  /// Forgets everything but the queue pair's existence.
  void power_off();
  /// Received messages that wait for the polling core.
  std::uint64_t packets_held() const { return arrived_.size(); }

 private:
  enum class State : std::uint8_t { unconnected, connected, failed };
  struct Arrived {
    p4::PacketRef packet;
    Payload payload;
  };

  p4::PacketRef make_packet(RcOpcode opcode, std::uint32_t psn);
  void send_segment(const Message& message, std::uint32_t segment);
  void send_from_oldest();
  void acknowledge(std::uint64_t syndrome, std::uint32_t psn);
  void take_acknowledgement(const p4::Packet& packet, sim::Time start);
  void take_request(p4::PacketRef&& packet, sim::Time start);
  void timer();
  void report_timeout(const Message& message, bool given_up);
  void fail();
  void complete(std::uint64_t wr_id, std::uint64_t generation);
  void report_failure(std::uint64_t wr_id, std::uint64_t generation);
  void poll(std::uint64_t generation);
  void reset();

  Nic& nic_;
  std::uint32_t qpn_;
  Core& poller_;
  CompletionHandler& completions_;
  ReceiveHandler* receive_handler_;
  sim::Lane timer_lane_;
  State state_ = State::unconnected;
  NodeId remote_ = 0;
  std::uint32_t remote_qpn_ = 0;

  // Sender.
  Nic::SendOrder order_;
  std::deque<Message> outstanding_;
  std::uint32_t next_psn_ = 0;
  std::uint32_t oldest_psn_ = 0;  // not acknowledged
  std::uint64_t retries_ = 0;
  sim::Time deadline_;
  sim::EventId timer_event_;

  // Receiver.
  std::uint32_t expected_psn_ = 0;
  std::uint32_t messages_received_ = 0;
  bool gap_reported_ = false;
  std::uint64_t write_address_ = 0;  // of the message being received
  std::uint32_t message_bytes_ = 0;
  std::uint64_t receives_ = 0;
  std::deque<Arrived> arrived_;
};

}  // namespace racksim::models

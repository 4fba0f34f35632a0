// Segmentation, acknowledgement and go-back-N of reliable connections. See reliable_connection.hpp.
#include "models/nic/reliable_connection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "models/nic/nic.hpp"
#include "models/packets/addressing.hpp"
#include "p4model/language/headers.hpp"
#include "sim/record/history.hpp"

namespace racksim::models {

ReliableConnection::ReliableConnection(Nic& nic, std::uint32_t qpn, Core& poller, CompletionHandler& completions,
                                       ReceiveHandler* receive_handler)
    : nic_(nic),
      qpn_(qpn),
      poller_(poller),
      completions_(completions),
      receive_handler_(receive_handler),
      timer_lane_(nic.context_.calendar.add_lane(fmt::format("node{}/nic/rc{}", nic.node(), qpn))) {}

void ReliableConnection::connect(NodeId remote, std::uint32_t remote_qpn) {
  if (state_ != State::unconnected) reset();  // a queue pair that was never connected keeps its receives
  state_ = State::connected;
  remote_ = remote;
  remote_qpn_ = remote_qpn;
}

void ReliableConnection::reset() {
  outstanding_.clear();
  next_psn_ = oldest_psn_ = expected_psn_ = messages_received_ = 0;
  retries_ = receives_ = 0;
  gap_reported_ = false;
  nic_.context_.calendar.cancel(timer_event_);
}

void ReliableConnection::power_off() {
  for (auto& message : arrived_) nic_.drop(*message.packet, DropReason::nic_off);
  arrived_.clear();
  reset();
  state_ = State::unconnected;
}

void ReliableConnection::post(Message message) {
  if (!nic_.is_on()) return;
  if (state_ == State::unconnected) {
    throw std::logic_error(fmt::format("node {}: queue pair {} is not connected", nic_.node(), qpn_));
  }
  poller_.charge(nic_.costs_.post);
  if (state_ == State::failed) {
    poller_.run<&ReliableConnection::report_failure>(nic_.costs_.completion, *this, message.wr_id, nic_.generation_);
    return;
  }
  const auto mtu = static_cast<std::uint32_t>(nic_.options_.mtu_bytes);
  message.first_psn = next_psn_;
  message.segments = std::max(1u, (message.payload.bytes + mtu - 1) / mtu);
  next_psn_ = (next_psn_ + message.segments) & kPsnMask;
  const sim::Time now = nic_.context_.calendar.now();
  if (outstanding_.empty()) deadline_ = now + nic_.options_.rc_retransmission_timeout;
  if (!nic_.context_.calendar.is_pending(timer_event_)) {
    timer_event_ = nic_.context_.calendar.at<&ReliableConnection::timer>(deadline_, timer_lane_, *this);
  }
  outstanding_.push_back(message);
  for (std::uint32_t i = 0; i < message.segments; ++i) send_segment(message, i);
}

p4::PacketRef ReliableConnection::make_packet(RcOpcode opcode, std::uint32_t psn) {
  auto packet = nic_.context_.packets.make();
  packet->push(p4::Ethernet{.dst = mac_of(remote_), .ether_type = p4::kEtherTypeIpv4});
  packet->push(p4::Ipv4{.protocol = p4::kProtocolUdp, .dst = ipv4_of(remote_)});
  packet->push(p4::Udp{.src_port = 0xc000 | (qpn_ & 0x3fff), .dst_port = kRoceUdpPort});
  packet->push(Bth{.opcode = static_cast<std::uint64_t>(opcode), .dest_qp = remote_qpn_, .psn = psn});
  return packet;
}

void ReliableConnection::send_segment(const Message& message, std::uint32_t segment) {
  const auto mtu = static_cast<std::uint32_t>(nic_.options_.mtu_bytes);
  const bool first = segment == 0, last = segment + 1 == message.segments;
  const std::uint32_t bytes = last ? message.payload.bytes - segment * mtu : mtu;
  const auto base = static_cast<std::uint8_t>(message.is_write ? RcOpcode::write_first : RcOpcode::send_first);
  // first, middle, last, only; "only" is 4 above "first" for both kinds.
  const auto opcode = static_cast<RcOpcode>(base + (first && last ? 4 : first ? 0 : last ? 2 : 1));
  auto packet = make_packet(opcode, (message.first_psn + segment) & kPsnMask);
  packet->get<Bth>().ack_request = last;
  if (first && message.is_write) packet->push(Reth{.address = message.address, .length = message.payload.bytes});
  packet->payload_bytes = ((bytes + 3) & ~3u) + kIcrcBytes;
  packet->get<Bth>().flags = ((bytes + 3) & ~3u) - bytes;  // the pad count
  if (last) packet->payload = message.payload.words;
  packet->operation = message.operation;
  nic_.stamp(*packet);
  nic_.post(std::move(packet), bytes <= nic_.options_.inline_bytes ? 0 : bytes, order_);
}

void ReliableConnection::send_from_oldest() {
  for (const auto& message : outstanding_) {
    for (std::uint32_t i = 0; i < message.segments; ++i) {
      if (psn_difference(message.first_psn + i, oldest_psn_) < 0) continue;
      ++nic_.counters_.retransmitted.value;
      send_segment(message, i);
    }
  }
}

void ReliableConnection::timer() {
  if (outstanding_.empty()) return;
  const sim::Time now = nic_.context_.calendar.now();
  if (now >= deadline_) {
    ++nic_.counters_.timeouts.value;
    if (retries_ == nic_.options_.rc_retry_count) return fail();
    report_timeout(outstanding_.front(), false);
    ++retries_;
    deadline_ = now + nic_.options_.rc_retransmission_timeout;
    send_from_oldest();
  }
  timer_event_ = nic_.context_.calendar.at<&ReliableConnection::timer>(deadline_, timer_lane_, *this);
}

void ReliableConnection::report_timeout(const Message& message, bool given_up) {
  const sim::Time now = nic_.context_.calendar.now();
  sim::record_sent_again(
      nic_.context_.journal, nic_.source_, now, message.operation,
      {sim::SentAgain::transport_timeout, 0, now - nic_.options_.rc_retransmission_timeout, given_up});
}

void ReliableConnection::fail() {
  ++nic_.counters_.failures.value;
  state_ = State::failed;
  for (const auto& message : outstanding_) {
    report_timeout(message, true);
    poller_.run<&ReliableConnection::report_failure>(nic_.costs_.completion, *this, message.wr_id, nic_.generation_);
  }
  outstanding_.clear();
}

void ReliableConnection::receive(p4::PacketRef&& packet, sim::Time start) {
  if (state_ != State::connected) return nic_.drop(*packet, DropReason::no_queue_pair);
  if (packet->get<Bth>().opcode == static_cast<std::uint64_t>(RcOpcode::acknowledge)) {
    take_acknowledgement(*packet, start);
    nic_.context_.census.absorb();
  } else {
    take_request(std::move(packet), start);
  }
}

void ReliableConnection::take_acknowledgement(const p4::Packet& packet, sim::Time start) {
  const bool nak = packet.get<Aeth>().syndrome == kSyndromeNakSequence;
  // An acknowledgement covers its PSN; a sequence error names the PSN it wants and covers what is before it.
  const auto psn = static_cast<std::uint32_t>(packet.get<Bth>().psn);
  const std::uint32_t next = nak ? psn : (psn + 1) & kPsnMask;
  if (psn_difference(next, oldest_psn_) < 0 || psn_difference(next, next_psn_) > 0) return;  // a late one
  if (next != oldest_psn_) {
    oldest_psn_ = next;
    retries_ = 0;
    deadline_ = nic_.context_.calendar.now() + nic_.options_.rc_retransmission_timeout;
  }
  while (!outstanding_.empty()) {
    const Message& message = outstanding_.front();
    if (psn_difference(message.first_psn + message.segments, oldest_psn_) > 0) break;
    if (message.signalled) {
      poller_.run_at<&ReliableConnection::complete>(nic_.dma_write(start, 64), nic_.costs_.completion, *this,
                                                    message.wr_id, nic_.generation_);
    }
    outstanding_.pop_front();
  }
  if (nak && !outstanding_.empty()) {
    ++nic_.counters_.naks.value;
    deadline_ = nic_.context_.calendar.now() + nic_.options_.rc_retransmission_timeout;
    send_from_oldest();
  }
}

void ReliableConnection::take_request(p4::PacketRef&& packet, sim::Time start) {
  const auto& bth = packet->get<Bth>();
  const auto opcode = static_cast<RcOpcode>(bth.opcode);
  const std::int32_t ahead = psn_difference(static_cast<std::uint32_t>(bth.psn), expected_psn_);
  const bool first = opcode == RcOpcode::write_first || opcode == RcOpcode::write_only ||
                     opcode == RcOpcode::send_first || opcode == RcOpcode::send_only;
  const bool last = opcode == RcOpcode::write_last || opcode == RcOpcode::write_only || opcode == RcOpcode::send_last ||
                    opcode == RcOpcode::send_only;
  const bool is_send = opcode <= RcOpcode::send_only;
  if (ahead != 0) {
    if (ahead < 0) {
      ++nic_.counters_.duplicates.value;
      if (bth.ack_request) acknowledge(kSyndromeAck, (expected_psn_ - 1) & kPsnMask);
    } else {
      ++nic_.counters_.out_of_order.value;
      sim::record_disturbance(nic_.context_.journal, nic_.source_, nic_.context_.calendar.now(), packet->operation,
                              sim::Disturbance::behind);
      if (!gap_reported_) acknowledge(kSyndromeNakSequence, expected_psn_);
      gap_reported_ = true;
    }
    nic_.context_.census.absorb();
    return;
  }
  if (is_send && first && receives_ == 0) {
    // The sender's timeout brings it again; the segments behind it are no news.
    ++nic_.counters_.not_ready.value;
    gap_reported_ = true;
    nic_.context_.census.absorb();
    return;
  }
  gap_reported_ = false;
  expected_psn_ = (expected_psn_ + 1) & kPsnMask;
  if (first) message_bytes_ = 0;
  if (const auto* reth = packet->find<Reth>()) write_address_ = reth->address;
  const auto bytes = packet->payload_bytes - kIcrcBytes - static_cast<std::uint32_t>(bth.flags);
  message_bytes_ += bytes;
  const sim::Time done = nic_.dma_write(start, bytes);
  if (!last) {
    nic_.delivered(*packet);
    return;
  }
  messages_received_ = (messages_received_ + 1) & kPsnMask;
  acknowledge(kSyndromeAck, static_cast<std::uint32_t>(bth.psn));
  const Payload payload{message_bytes_, packet->payload};
  if (is_send) {
    --receives_;
    arrived_.push_back({std::move(packet), payload});
    poller_.run_at<&ReliableConnection::poll>(done, nic_.costs_.receive, *this, nic_.generation_);
  } else {
    nic_.land(std::move(packet), done, remote_, write_address_, payload);
  }
}

void ReliableConnection::acknowledge(std::uint64_t syndrome, std::uint32_t psn) {
  auto packet = make_packet(RcOpcode::acknowledge, psn);
  packet->push(Aeth{.syndrome = syndrome, .msn = messages_received_});
  packet->payload_bytes = kIcrcBytes;
  nic_.stamp(*packet);
  Nic::SendOrder at_once;  // acknowledgements wait for no payload
  nic_.post(std::move(packet), 0, at_once);
}

void ReliableConnection::complete(std::uint64_t wr_id, std::uint64_t generation) {
  if (generation == nic_.generation_) completions_.on_completion(wr_id);
}

void ReliableConnection::report_failure(std::uint64_t wr_id, std::uint64_t generation) {
  if (generation == nic_.generation_) completions_.on_failure(wr_id);
}

void ReliableConnection::poll(std::uint64_t generation) {
  if (generation != nic_.generation_) return;
  const Arrived message = std::move(arrived_.front());
  arrived_.pop_front();
  nic_.delivered(*message.packet);
  if (receive_handler_) receive_handler_->on_receive(remote_, message.payload);
}

}  // namespace racksim::models

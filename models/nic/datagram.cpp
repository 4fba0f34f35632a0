// Sending and receiving datagrams. See datagram.hpp.
#include "models/nic/datagram.hpp"

#include <fmt/core.h>

#include <utility>

#include "models/nic/rc_link.hpp"
#include "models/packets/addressing.hpp"
#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::models {

Datagram::Datagram(NicEngine& engine, Qpn number, const Queues& queues)
    : QueuePair(engine, number, queues),
      lane_(engine.calendar().add_lane(fmt::format("node{}/nic/ud{}", engine.node(), number))) {
  set_state(State::ready);
}

bool Datagram::take(const WorkRequest& request) {
  if (!has_room()) return false;
  const bool sends = request.opcode == Opcode::send || request.opcode == Opcode::send_imm;
  if (!sends || request.length() > engine().options().mtu_bytes) {
    complete_in_error(request, sends ? Status::local_length_error : Status::local_operation_error);
    enter_error();
    return true;
  }
  const NodeId to = request.destination.node;
  const auto group = request.destination.group;
  auto packet = engine().context().packets.make();
  const RcOpcode opcode =
      request.opcode == Opcode::send ? RcOpcode::datagram_send_only : RcOpcode::datagram_send_only_imm;
  packet->set_headers(
      p4::Ethernet{.dst = group ? multicast_mac_of(*group) : mac_of(to), .ether_type = p4::kEtherTypeIpv4},
      p4::Ipv4{.protocol = p4::kProtocolUdp, .dst = group ? multicast_ipv4_of(*group) : ipv4_of(to)},
      p4::Udp{.src_port = 0xc000 | (number() & 0x3fff), .dst_port = kRoceUdpPort},
      Bth{.opcode = static_cast<std::uint64_t>(opcode), .dest_qp = group ? kMulticastQpn : request.destination.qpn},
      Deth{.source_qp = number()});
  if (request.opcode == Opcode::send_imm) packet->push(ImmDt{request.immediate});
  RcLink::set_payload(*packet, request.length());
  packet->content = request.content;
  packet->operation = request.operation;
  engine().stamp(*packet);
  const std::uint32_t bytes = request.length();
  sending_.push({.wr_id = request.wr_id, .opcode = request.opcode, .signalled = request.signalled});
  engine().post(std::move(packet), bytes <= engine().options().inline_bytes ? 0 : bytes, order_);
  return true;
}

bool Datagram::has_room() {
  if (sending_.size() < engine().options().send_queue) return true;
  while (leaving_ > 0 && !sending_.front().signalled && engine().calendar().has_passed(sending_.front().left, lane_)) {
    sending_.pop();
    --leaving_;
  }
  return sending_.size() < engine().options().send_queue;
}

// It is done when it is on the wire: nobody acknowledges a datagram.
void Datagram::leaves(sim::Time when) {
  Sending& sending = sending_[leaving_++];
  sending.left = when;
  if (sending.signalled) engine().calendar().at<&Datagram::completed>(when, lane_, *this, engine().generation());
}

// Whatever was posted before it has left before it.
void Datagram::completed(std::uint64_t generation) {
  if (generation != engine().generation()) return;
  while (!sending_.front().signalled) {
    sending_.pop();
    --leaving_;
  }
  const Sending sent_request = sending_.pop();
  --leaving_;
  Completion completion;
  completion.wr_id = sent_request.wr_id;
  completion.opcode = sent_request.opcode;
  completion.qpn = number();
  sent().push(engine().dma_write(engine().now(), CompletionQueue::kEntryBytes), std::move(completion));
}

void Datagram::receive(p4::PacketRef&& packet, sim::Time start) {
  const auto* deth = packet->find<Deth>();
  if (state() != State::ready || deth == nullptr) return engine().drop(*packet, DropReason::no_queue_pair);
  const std::uint32_t bytes = kGrhBytes + RcLink::payload_of(*packet);
  const auto receive = receives().take();
  if (!receive) {
    ++engine().counters().not_ready.value;
    return engine().drop(*packet, DropReason::ring_full);
  }
  Completion completion;
  completion.wr_id = receive->wr_id;
  completion.status = bytes > receive->bytes ? Status::local_length_error : Status::success;
  completion.opcode = Opcode::receive;
  completion.bytes = bytes;
  completion.qpn = number();
  completion.from = node_of_ipv4(packet->get_at<p4::Ipv4>(1).src);
  completion.from_qpn = Qpn{deth->source_qp};
  completion.content = packet->content;
  completion.operation = packet->operation;
  if (const auto* immediate = packet->find<ImmDt>()) {
    completion.immediate = static_cast<std::uint32_t>(immediate->immediate);
  }
  const sim::Time done = engine().dma_write(start, bytes);
  received().push(done, std::move(completion), std::move(packet));
}

void Datagram::power_off() {
  sending_.clear();
  leaving_ = 0;
  order_.reset();
  clear_own_receives();
  set_state(State::reset);
}

}  // namespace racksim::models

// Queue pairs and packets of a memory node's threads. See network.hpp.
#include "protocols/flowcc/network.hpp"

#include "sim/record/history.hpp"

namespace racksim::flowcc {

Endpoint::Endpoint(Shared& shared, NodeId node, models::Core& core, models::PacketHandler& packets,
                   models::CompletionHandler& completions, sim::Duration handling)
    : shared_(shared),
      node_(node),
      core_(core),
      nic_(shared.rack.server(node).nic()),
      raw_qpn_(nic_.create_raw_qp(core, packets, handling)) {
  for (unsigned remote = 0; remote < shared.shape.nodes; ++remote) {
    rc_qpns_.push_back(nic_.create_rc_qp(core, completions));
  }
}

void Endpoint::connect(Endpoint& a, Endpoint& b) {
  a.nic_.connect(a.rc_qpns_[b.node_], b.node_, b.rc_qpns_[a.node_]);
  if (&a != &b) b.nic_.connect(b.rc_qpns_[a.node_], a.node_, a.rc_qpns_[b.node_]);
}

p4::PacketRef Endpoint::make_packet(const FlowCcHeader& header, NodeId destination, std::uint64_t operation) {
  // The switch writes the UDP destination port, the receiver's queue pair.
  p4::PacketRef packet = shared_.rack.make_packet(destination, kFlowCcPort, 0);
  packet->push(header);
  packet->operation = operation;
  return packet;
}

void Endpoint::send(const FlowCcHeader& header, NodeId destination, std::uint64_t operation) {
  nic_.send_raw(raw_qpn_, make_packet(header, destination, operation));
}

void Endpoint::send_after(sim::Duration cost, const FlowCcHeader& header, NodeId destination, std::uint64_t operation) {
  shared_.calendar.at<&Endpoint::send_now>(core_.charge(cost), core_.lane(), *this,
                                           make_packet(header, destination, operation).release());
}

void Endpoint::send_now(p4::Packet* packet) {
  nic_.send_raw(raw_qpn_, p4::PacketRef::adopt(packet));
}

void Endpoint::report_timeout(Tag tag, std::uint64_t operation, sim::Duration patience) {
  const sim::Time now = shared_.calendar.now();
  sim::record_sent_again(shared_.journal, nic_.source(), now, operation,
                         {sim::SentAgain::timeout, tag, now - patience});
}

void Endpoint::write_block(NodeId destination, std::uint64_t address, Tag tag, std::uint64_t value, bool signalled,
                           std::uint64_t wr_id, std::uint64_t operation) {
  const models::Payload payload{static_cast<std::uint32_t>(shared_.shape.block_bytes), {tag, value}};
  nic_.post_write(rc_qpns_[destination], address, payload, wr_id, signalled, operation);
}

}  // namespace racksim::flowcc

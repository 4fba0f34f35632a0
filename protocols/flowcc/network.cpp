// Queue pairs and packets of a memory node's threads. See network.hpp.
#include "protocols/flowcc/network.hpp"

#include "models/addressing.hpp"
#include "p4model/headers.hpp"

namespace racksim::flowcc {

Endpoint::Endpoint(Shared& shared, NodeId node, models::Core& core, models::PacketHandler& packets,
                   models::CompletionHandler& completions)
    : shared_(shared),
      node_(node),
      core_(core),
      nic_(shared.rack.server(node).nic()),
      raw_qpn_(nic_.create_raw_qp(core, packets)) {
  for (unsigned remote = 0; remote < shared.shape.nodes; ++remote) {
    rc_qpns_.push_back(nic_.create_rc_qp(core, completions));
  }
}

void Endpoint::connect(Endpoint& a, Endpoint& b) {
  a.nic_.connect(a.rc_qpns_[b.node_], b.node_, b.rc_qpns_[a.node_]);
  if (&a != &b) b.nic_.connect(b.rc_qpns_[a.node_], a.node_, a.rc_qpns_[b.node_]);
}

void Endpoint::send(const FlowCcHeader& header, NodeId destination, std::uint64_t operation) {
  p4::PacketRef packet = shared_.rack.packets().make();
  p4::Ethernet ethernet;
  ethernet.dst = models::mac_of(destination);
  ethernet.ether_type = p4::kEtherTypeIpv4;
  p4::Ipv4 ipv4;
  ipv4.protocol = p4::kProtocolUdp;
  ipv4.dst = models::ipv4_of(destination);
  p4::Udp udp;
  udp.src_port = kFlowCcPort;
  packet->push(ethernet);
  packet->push(ipv4);
  packet->push(udp);
  packet->push(header);
  packet->operation = operation;
  nic_.send_raw(raw_qpn_, std::move(packet));
}

void Endpoint::write_block(NodeId destination, std::uint64_t address, Tag tag, std::uint64_t value, bool signalled,
                           std::uint64_t wr_id, std::uint64_t operation) {
  const models::Payload payload{static_cast<std::uint32_t>(shared_.shape.block_bytes), {tag, value}};
  nic_.post_write(rc_qpns_[destination], address, payload, wr_id, signalled, operation);
}

}  // namespace racksim::flowcc

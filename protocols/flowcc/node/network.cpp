// Queue pairs and packets of a memory node's threads. See network.hpp.
#include "protocols/flowcc/node/network.hpp"

#include "p4model/language/headers.hpp"
#include "sim/record/history.hpp"

namespace racksim::flowcc {

Endpoint::Endpoint(Shared& shared, NodeId node, models::Core& core, models::PacketHandler& packets,
                   models::CompletionHandler& completions, sim::Duration handling)
    : shared_(shared),
      node_(node),
      core_(core),
      nic_(shared.rack.server(node).nic()),
      raw_qpn_(nic_.create_raw_qp(core, packets, handling)) {
  models::CompletionQueue& queue = nic_.create_completion_queue(core, completions);
  for (unsigned remote = 0; remote < shared.shape.nodes; ++remote) {
    connections_.push_back(&nic_.create_reliable({queue, queue}));
  }
  remote_numbers_.resize(connections_.size());
}

void Endpoint::connect(Endpoint& a, Endpoint& b) {
  models::ReliableConnection &to_b = *a.connections_[b.node_], &to_a = *b.connections_[a.node_];
  to_b.connect(b.node_, to_a.number());
  if (&a != &b) to_a.connect(a.node_, to_b.number());
  a.remote_numbers_[b.node_] = to_a.number();
  b.remote_numbers_[a.node_] = to_b.number();
}

void Endpoint::connect_again(std::uint32_t connection) {
  for (NodeId remote = 0; remote < connections_.size(); ++remote) {
    if (!shared_.takes_part(remote, connection)) continue;
    connections_[remote]->connect(remote, remote_numbers_[remote], models::first_psn(connection));
  }
}

bool Shared::is_stale(const p4::Packet& packet, NodeId server) const {
  if (!options.migrates()) return false;  // there is one incarnation
  const bool stale = packet.get<p4::Udp>().src_port != flowcc_port(incarnations[server]);
  if (stale) ++migration.stale_packets.value;
  return stale;
}

p4::PacketRef Endpoint::make_packet(const FlowCcHeader& header, NodeId destination, sim::OperationId operation) {
  // The switch writes the UDP destination port, the receiver's queue pair.
  p4::PacketRef packet = shared_.rack.make_packet(destination, shared_.flowcc_port(shared_.incarnations[node_]), 0);
  packet->push(header);
  packet->operation = operation;
  return packet;
}

void Endpoint::send_hint(MessageType type, const HeatReport& blocks) {
  FlowCcHeader h;
  h.set_type(type);
  h.receiver = static_cast<std::uint64_t>(Receiver::shadow);
  h.node_id = node_;
  p4::PacketRef packet = make_packet(h, shared_.shadow_of[node_], 0);
  packet->payload_bytes = blocks.size * HeatReport::kBytesEach;
  packet->content = models::Content::of(blocks);
  nic_.send_raw(raw_qpn_, std::move(packet));
}

void Endpoint::write_list(NodeId destination, std::uint64_t address, const HeatReport& blocks, std::uint64_t wr_id) {
  models::WorkRequest write;
  write.opcode = models::Opcode::write;
  write.remote = {address, shared_.data_keys[destination]};
  write.content = models::Content::of(blocks);
  write.bytes = blocks.size * HeatReport::kBytesEach;
  write.wr_id = wr_id;
  connections_[destination]->post(write);
}

void Endpoint::write_log(NodeId witness, const LoggedLock& lock, std::uint64_t wr_id) {
  ++shared_.counters.lock_log_writes.value;
  models::WorkRequest write;
  write.opcode = models::Opcode::write;
  write.remote = {DataAddress::lock_log(RequesterId{lock.requester}), shared_.data_keys[witness]};
  write.content = models::Content::of(lock);
  write.bytes = LoggedLock::kBytes;
  write.wr_id = wr_id;
  connections_[witness]->post(write);
}

void Endpoint::write_block(NodeId destination, std::uint64_t address, const BlockData& block, bool signalled,
                           std::uint64_t wr_id, sim::OperationId operation) {
  models::WorkRequest write;
  write.opcode = models::Opcode::write;
  write.remote = {address, shared_.data_keys[destination]};
  write.content = models::Content::of(block);
  write.bytes = static_cast<std::uint32_t>(shared_.shape.block_bytes);
  write.signalled = signalled;
  write.wr_id = wr_id;
  write.operation = operation;
  connections_[destination]->post(write);
}

}  // namespace racksim::flowcc

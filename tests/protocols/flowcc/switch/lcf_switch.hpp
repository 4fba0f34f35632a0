// The LCF program on the pipeline of a rack's switch, driven packet by packet: no wires, no time.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "p4model/language/headers.hpp"
#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace racksim::flowcc::testing {

/// A copy of a packet as it leaves the switch.
struct Sent {
  models::NodeId node;  ///< whose port it leaves by
  FlowCcHeader header;
  std::uint64_t mac, ip, udp_port;
};

/// What a pass does with a packet.
struct PassResult {
  bool resubmit = false;
  std::uint64_t resubmit_data = 0;
  std::vector<Sent> sent;  ///< by node

  bool dropped() const { return !resubmit && sent.empty(); }
};

/// A switch whose tables, groups and blocks the protocol's own control plane has set up.
class LcfSwitch {
 public:
  explicit LcfSwitch(const Setup& setup)
      : run(setup),
        pipeline(run.rack.chassis().pipeline(run.rack.chassis().pipe_of(run.rack.port_of(0)))),
        entries_per_way_(setup.flowcc.entries_per_way) {}

  /// A request or unlock as requester `number`, one of `threads` on its node, sends it.
  FlowCcHeader packet(MessageType type, Tag tag, models::NodeId node, unsigned number, std::uint32_t seq,
                      std::uint32_t serial) {
    FlowCcHeader h;
    h.set_type(type);
    h.receiver = static_cast<std::uint64_t>(Receiver::home_agent);
    h.set_tag(tag);
    h.set_index = set_index(tag, entries_per_way_);
    h.node_id = node;
    h.requester = number;
    h.reply_qp = queue_pair(node, Receiver::requester);
    h.seq = seq;
    h.serial = serial;
    return h;
  }

  /// The first pass of a packet, or with data its second.
  PassResult pass(const FlowCcHeader& h, std::optional<std::uint64_t> resubmit_data = std::nullopt) {
    const auto destination = run.protocol->home_of(h.tag());
    p4::PacketRef packet = run.rack.make_packet(destination, kFlowCcPort, 0);
    packet->push(h);
    p4::IngressMetadata metadata;
    metadata.port = static_cast<std::uint16_t>(run.rack.port_of(static_cast<models::NodeId>(h.node_id)));
    metadata.resubmitted = resubmit_data.has_value();
    metadata.resubmit_data = resubmit_data.value_or(0);
    const p4::Verdict verdict = pipeline.run_ingress(*packet, metadata);
    PassResult result;
    result.resubmit = verdict.resubmit;
    result.resubmit_data = verdict.resubmit_data;
    if (verdict.resubmit) return result;
    copies_.clear();
    run.rack.chassis().replication().replicate(verdict, copies_);
    for (const p4::Copy& copy : copies_) {
      p4::PacketRef one = run.rack.packets().clone_headers(*packet);
      if (!pipeline.run_egress(*one, {copy.port, copy.rid, one->frame_bytes()})) continue;
      result.sent.push_back({node_at(copy.port), one->get<FlowCcHeader>(), one->get<p4::Ethernet>().dst,
                             one->get<p4::Ipv4>().dst, one->get<p4::Udp>().dst_port});
    }
    std::sort(result.sent.begin(), result.sent.end(), [](const Sent& a, const Sent& b) { return a.node < b.node; });
    return result;
  }

  /// The queue pair of a node's agent, or of its first application thread.
  std::uint64_t queue_pair(models::NodeId node, Receiver receiver) {
    MemoryNode& memory_node = run.protocol->node(node);
    switch (receiver) {
      case Receiver::home_agent:
        return memory_node.home_agent().endpoint().raw_qpn();
      case Receiver::cache_agent:
        return memory_node.cache_agent().endpoint().raw_qpn();
      case Receiver::requester:
      case Receiver::shadow:
        break;
    }
    return memory_node.requester(0).endpoint().raw_qpn();
  }

  std::uint64_t read(std::string_view array, std::uint64_t index) const {
    const p4::RegisterFile& registers = pipeline.registers();
    return registers.read(registers.array(array), index);
  }
  /// The way that holds a block, from 1; 0 if the switch does not own it.
  unsigned way_of(Tag tag) const {
    for (unsigned way = 1; way <= run.setup.flowcc.ways; ++way) {
      if (read("TAG" + std::to_string(way), set_index(tag, entries_per_way_)) == tag + 1) return way;
    }
    return 0;
  }
  /// A block's lock, as it stands in the array of its way.
  std::uint64_t lock(Tag tag) const {
    return read("LOCK" + std::to_string(way_of(tag)), set_index(tag, entries_per_way_));
  }
  GlobalMetadata metadata(Tag tag) { return run.protocol->metadata(tag); }
  void set_metadata(Tag tag, GlobalMetadata metadata) {
    p4::RegisterFile& registers = pipeline.registers();
    const auto way = std::to_string(way_of(tag));
    const auto index = set_index(tag, entries_per_way_);
    registers.write(registers.array("G_STATUS" + way), index, static_cast<std::uint64_t>(metadata.status));
    registers.write(registers.array("COPYSET" + way), index, metadata.copyset);
  }

  FlowCcScript run;
  p4::Pipeline& pipeline;

 private:
  models::NodeId node_at(unsigned port) const {
    for (models::NodeId node = 0; node < run.rack.nodes(); ++node) {
      if (run.rack.port_of(node) == port) return node;
    }
    throw std::logic_error("a packet left by a port without a server");
  }

  std::uint64_t entries_per_way_;
  std::vector<p4::Copy> copies_;
};

}  // namespace racksim::flowcc::testing

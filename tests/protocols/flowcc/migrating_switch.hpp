// The LCF program where blocks migrate, on a pipeline of its own, driven packet by packet: three nodes of two threads,
// a shadow node, three ways of two entries. No rack, no time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "p4model/execute/pipeline.hpp"
#include "p4model/execute/replication.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/flowcc/lcf_program.hpp"
#include "protocols/flowcc/messages.hpp"

namespace racksim::flowcc::testing {

/// A copy of a packet as it leaves the switch.
struct LeftPacket {
  unsigned port;
  FlowCcHeader header;
  std::uint64_t udp_port;
};

/// What a pass does with a packet.
struct MigratingPass {
  std::optional<std::uint64_t> resubmit_data;
  std::vector<LeftPacket> left;

  bool dropped() const { return !resubmit_data && left.empty(); }
};

class MigratingSwitch {
 public:
  static constexpr unsigned kNodes = 3, kThreads = 6, kWays = 3, kEntries = 2;
  static constexpr unsigned kShadowPort = 9, kShadowQueuePair = 4711;

  MigratingSwitch() : lcf_(make_lcf_program(options(), shape())), pipeline(lcf_.program) {
    const auto add = [&](const p4::Table& table, std::vector<std::uint64_t> key, const p4::Action& action,
                         std::vector<std::uint64_t> data) { pipeline.add_entry(table, key, action, data); };
    for (const p4::ValueSet* set : lcf_.ports) pipeline.add_value(*set, kFlowCcPort);
    for (unsigned node = 0; node < kNodes; ++node) {
      add(*lcf_.home_port, {mac(node)}, *lcf_.set_home_port, {node, node});
      for (const Receiver receiver : {Receiver::home_agent, Receiver::cache_agent}) {
        add(*lcf_.address, {node, number(receiver)}, *lcf_.to_agent, {mac(node), node, 100 + number(receiver)});
      }
      add(*lcf_.address, {node, number(Receiver::requester)}, *lcf_.to_requester, {mac(node), node});
      replication_.set_group(
          static_cast<std::uint16_t>(kAddGroups + node),
          {{static_cast<std::uint16_t>(node + 1), {static_cast<std::uint16_t>(node)}}, {kShadowRid, {kShadowPort}}});
    }
    add(*lcf_.address, {kShadowPort, number(Receiver::shadow)}, *lcf_.to_agent,
        {mac(kShadowPort), kShadowPort, kShadowQueuePair});
    for (unsigned subset = 1; subset < 1u << kNodes; ++subset) {
      std::vector<p4::MulticastNode> members;
      for (std::uint16_t node = 0; node < kNodes; ++node) {
        if ((subset >> node & 1) != 0) members.push_back({static_cast<std::uint16_t>(node + 1), {node}});
      }
      replication_.set_group(static_cast<std::uint16_t>(subset), members);
    }
  }

  static FlowCcOptions options() {
    FlowCcOptions options;
    options.ways = kWays;
    options.entries_per_way = kEntries;
    return options;
  }
  static LcfShape shape() { return {.nodes = kNodes, .requesters = kThreads, .migrates = true}; }
  /// The home agent of a node, as a requester.
  static unsigned home_agent(unsigned node) { return kThreads + node; }

  /// A packet about a block of this home, as requester `number` of a node sends it.
  static FlowCcHeader packet(MessageType type, Tag tag, unsigned node, unsigned number, std::uint32_t seq,
                             std::uint32_t serial) {
    FlowCcHeader h;
    h.set_type(type);
    h.receiver = static_cast<std::uint64_t>(Receiver::home_agent);
    h.set_tag(tag);
    h.set_index = set_index(tag, kEntries);
    h.node_id = node;
    h.requester = number;
    h.reply_qp = 1000 + number;
    h.seq = seq;
    h.serial = serial;
    return h;
  }
  /// Whose block a tag is here.
  static unsigned home_of(Tag tag) { return static_cast<unsigned>(tag.number() % kNodes); }

  /// The first pass of a packet, or with data its second.
  MigratingPass pass(const FlowCcHeader& h, std::optional<std::uint64_t> data = std::nullopt) {
    p4::PacketRef packet = pool_.make();
    packet->push(p4::Ethernet{.dst = mac(home_of(h.tag())), .ether_type = p4::kEtherTypeIpv4});
    packet->push(p4::Ipv4{.protocol = p4::kProtocolUdp});
    packet->push(p4::Udp{.src_port = kFlowCcPort});
    packet->push(h);
    p4::IngressMetadata metadata;
    metadata.port = static_cast<std::uint16_t>(h.node_id);
    metadata.resubmitted = data.has_value();
    metadata.resubmit_data = data.value_or(0);
    const p4::Verdict verdict = pipeline.run_ingress(*packet, metadata);
    if (verdict.resubmit) return {verdict.resubmit_data, {}};
    copies_.clear();
    replication_.replicate(verdict, copies_);
    MigratingPass result;
    for (const p4::Copy& copy : copies_) {
      p4::PacketRef one = pool_.clone_headers(*packet);
      pipeline.run_egress(*one, {copy.port, copy.rid, one->frame_bytes()});
      result.left.push_back({copy.port, one->get<FlowCcHeader>(), one->get<p4::Udp>().dst_port});
    }
    return result;
  }
  /// Both passes of a packet that is resubmitted, or its only one.
  MigratingPass send(const FlowCcHeader& h) {
    const MigratingPass first = pass(h);
    return first.resubmit_data ? pass(h, first.resubmit_data) : first;
  }

  std::uint64_t read(const std::string& array, std::uint64_t index) const {
    return pipeline.registers().read(pipeline.registers().array(array), index);
  }
  void write(const std::string& array, std::uint64_t index, std::uint64_t value) {
    pipeline.registers().write(pipeline.registers().array(array), index, value);
  }
  /// The ways that hold a block, from 1.
  std::vector<unsigned> ways_of(Tag tag) const {
    std::vector<unsigned> ways;
    for (unsigned way = 1; way <= kWays; ++way) {
      if (read("TAG" + std::to_string(way), set_index(tag, kEntries)) == tag + 1) ways.push_back(way);
    }
    return ways;
  }

 private:
  static std::uint64_t mac(unsigned port) { return 0x020000000000 + port; }
  static std::uint64_t number(Receiver receiver) { return static_cast<std::uint64_t>(receiver); }

  LcfProgram lcf_;

 public:
  p4::Pipeline pipeline;

 private:
  p4::ReplicationEngine replication_;
  p4::PacketPool pool_;
  std::vector<p4::Copy> copies_;
};

}  // namespace racksim::flowcc::testing

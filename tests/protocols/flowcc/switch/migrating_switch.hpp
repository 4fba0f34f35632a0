// The LCF program where blocks migrate, driven packet by packet (lone_switch.hpp): three nodes of two threads, a shadow
// node, three ways of two entries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocols/flowcc/switch/lone_switch.hpp"

namespace racksim::flowcc::testing {

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

  MigratingSwitch() : switch_(options(), shape(), LoneSwitch::Shadow{kShadowPort, kShadowQueuePair}) {}

  static FlowCcOptions options() {
    FlowCcOptions options;
    options.ways = kWays;
    options.entries_per_way = kEntries;
    return options;
  }
  static LcfShape shape() { return {.nodes = kNodes, .threads = kThreads, .migrates = true}; }
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
    MigratingPass result;
    result.resubmit_data = switch_.pass(h, static_cast<NodeId>(home_of(h.tag())), data, result.left);
    return result;
  }
  /// Both passes of a packet that is resubmitted, or its only one.
  MigratingPass send(const FlowCcHeader& h) {
    const MigratingPass first = pass(h);
    return first.resubmit_data ? pass(h, first.resubmit_data) : first;
  }

  std::uint64_t read(const std::string& array, std::uint64_t index) const { return switch_.read(array, index); }
  void write(const std::string& array, std::uint64_t index, std::uint64_t value) { switch_.write(array, index, value); }
  /// The ways that hold a block, from 1.
  std::vector<unsigned> ways_of(Tag tag) const {
    std::vector<unsigned> ways;
    for (unsigned way = 1; way <= kWays; ++way) {
      if (read("TAG" + std::to_string(way), set_index(tag, kEntries)) == tag + 1) ways.push_back(way);
    }
    return ways;
  }

 private:
  LoneSwitch switch_;
};

}  // namespace racksim::flowcc::testing

// Random coherence events against one pipe. See lcf_passes.hpp.
#include "tools/bench/lcf_passes.hpp"

#include <array>
#include <memory>
#include <vector>

#include "models/packets/addressing.hpp"
#include "p4model/execute/pipeline.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/flowcc/rules/messages.hpp"
#include "protocols/flowcc/switch/lcf_program.hpp"
#include "sim/random/random.hpp"

namespace racksim::tools {

namespace {

using flowcc::FlowCcHeader;
using flowcc::MessageType;

constexpr unsigned kNodes = 8, kRequesters = 32;
constexpr std::uint64_t kBlocks = 60'000;
constexpr std::size_t kDraws = std::size_t{1} << 16;

class Requesters {
 public:
  explicit Requesters(bool fused)
      : fused_(fused), lcf_(flowcc::make_lcf_program(options_, {kNodes, kRequesters})), pipeline_(lcf_.program) {
    for (std::uint64_t node = 0; node < kNodes; ++node) {
      const std::array mac{models::mac_of(static_cast<models::NodeId>(node))}, port{node};
      pipeline_.add_entry(*lcf_.home_port, mac, *lcf_.set_home_port, port);
    }
    for (std::uint64_t block = 0; block < kBlocks; ++block) install(flowcc::Tag{block});
    sim::RandomStream random(1, "bench/lcf");
    for (auto& draw : draws_) {
      draw = {flowcc::kRequests[random.below(flowcc::kRequests.size())],
              static_cast<unsigned>(random.below(kRequesters)), flowcc::Tag{random.below(kBlocks)}};
    }
  }

  std::uint64_t run(std::uint64_t passes) {
    const auto begin = passes_;
    while (passes_ - begin < passes) request(draws_[next_++ % kDraws]);
    return passes_ - begin;
  }

 private:
  struct Draw {
    MessageType type{};
    unsigned requester = 0;
    flowcc::Tag block = 0;
  };

  void install(flowcc::Tag block) {
    auto& registers = pipeline_.registers();
    const auto index = flowcc::set_index(block, options_.entries_per_way);
    for (const auto* tags : lcf_.tag) {
      if (registers.read(tags->id, index) != 0) continue;
      registers.write(tags->id, index, block + 1);
      return;
    }
  }

  /// One event: a request and, when it got the lock, the unlock with the new metadata.
  void request(const Draw& draw) {
    const auto node = static_cast<flowcc::NodeId>(draw.requester % kNodes);
    FlowCcHeader header;
    header.set_type(draw.type);
    header.set_tag(draw.block);
    header.set_index = flowcc::set_index(draw.block, options_.entries_per_way);
    header.node_id = node;
    header.requester = draw.requester;
    header.seq = ++sequence_[draw.requester];
    header.serial = ++serial_[draw.requester];
    const auto answered = send(header, node);
    if (answered.message_type() == MessageType::failed_ack || answered.is_in_switch == 0) return;
    const bool reads = flowcc::takes_read_lock(draw.type);
    header.set_type(reads ? MessageType::unlock_read : MessageType::unlock_write);
    header.set_metadata(flowcc::after(draw.type, node, answered.metadata()));
    header.serial = ++serial_[draw.requester];
    send(header, node);
  }

  /// A packet's pass, and its second one if it is resubmitted; returns its header as the switch left it.
  FlowCcHeader send(const FlowCcHeader& header, flowcc::NodeId from) {
    auto packet = packets_.make();
    packet->push(p4::Ethernet{.dst = models::mac_of(0), .ether_type = p4::kEtherTypeIpv4});
    packet->push(p4::Ipv4{.protocol = p4::kProtocolUdp, .dst = models::ipv4_of(0)});
    packet->push(p4::Udp{.src_port = flowcc::kFlowCcPort, .dst_port = 1});
    packet->push(header);
    const auto verdict = pass(*packet, {.port = from});
    if (verdict.resubmit) {
      pass(*packet, {.port = from, .resubmitted = true, .resubmit_data = verdict.resubmit_data});
    }
    return packet->get<FlowCcHeader>();
  }

  p4::Verdict pass(p4::Packet& packet, const p4::IngressMetadata& metadata) {
    ++passes_;
    if (fused_) return pipeline_.run_ingress(packet, metadata);
    pipeline_.begin_ingress(stepped_, packet, metadata);
    for (int stage = 0; stage < pipeline_.stages(); ++stage) pipeline_.run_stage(stepped_, stage);
    return pipeline_.finish_ingress(stepped_);
  }

  bool fused_;
  flowcc::FlowCcOptions options_;
  flowcc::LcfProgram lcf_;
  p4::Pipeline pipeline_;
  p4::PacketPool packets_;
  p4::Pass stepped_;
  std::vector<Draw> draws_ = std::vector<Draw>(kDraws);
  std::size_t next_ = 0;
  std::uint64_t passes_ = 0;
  std::array<std::uint64_t, kRequesters> sequence_{}, serial_{};
};

}  // namespace

std::uint64_t lcf_passes(std::uint64_t passes) {
  return std::make_unique<Requesters>(true)->run(passes);
}

LcfResult run_lcf_passes(std::uint64_t passes, unsigned rounds) {
  const auto fused = std::make_unique<Requesters>(true);
  const auto stepped = std::make_unique<Requesters>(false);
  const auto rates = take_turns({[&] { return fused->run(passes); }, [&] { return stepped->run(passes); }}, rounds);
  return {spread_of(rates[0]), spread_of(rates[1]), ratio_of(rates[0], rates[1])};
}

}  // namespace racksim::tools

// Tables, groups and passes of a lone switch. See lone_switch.hpp.
#include "protocols/flowcc/switch/lone_switch.hpp"

#include "p4model/language/headers.hpp"
#include "protocols/flowcc/switch/lcf_builder.hpp"

namespace racksim::flowcc {

namespace {
constexpr std::uint64_t mac_of_port(unsigned port) {
  return 0x020000000000 + port;
}
}  // namespace

LoneSwitch::LoneSwitch(const FlowCcOptions& options, const LcfShape& shape, const std::optional<Shadow>& shadow)
    : lcf_(make_lcf_program(options, shape)), pipeline_(lcf_.program) {
  fill_tables(shape, shadow);
  set_groups(shape, shadow);
}

void LoneSwitch::fill_tables(const LcfShape& shape, const std::optional<Shadow>& shadow) {
  const auto add = [&](const p4::Table& table, std::vector<std::uint64_t> key, const p4::Action& action,
                       std::vector<std::uint64_t> data) { pipeline_.add_entry(table, key, action, data); };
  for (const p4::ValueSet* set : lcf_.ports) pipeline_.add_value(*set, kFlowCcPort);
  for (unsigned node = 0; node < shape.nodes; ++node) {
    add(*lcf_.home_port, {mac_of_port(node)}, *lcf_.set_home_port, {node, node});
    for (const Receiver receiver : {Receiver::home_agent, Receiver::cache_agent}) {
      add(*lcf_.address, {node, number(receiver)}, *lcf_.to_agent, {mac_of_port(node), node, 100 + number(receiver)});
    }
    add(*lcf_.address, {node, number(Receiver::requester)}, *lcf_.to_requester, {mac_of_port(node), node});
  }
  if (!shadow) return;
  add(*lcf_.address, {shadow->port, number(Receiver::shadow)}, *lcf_.to_agent,
      {mac_of_port(shadow->port), shadow->port, shadow->queue_pair});
}

void LoneSwitch::set_groups(const LcfShape& shape, const std::optional<Shadow>& shadow) {
  const auto member = [](unsigned node) {
    return p4::MulticastNode{static_cast<std::uint16_t>(node + 1), {static_cast<std::uint16_t>(node)}};
  };
  for (unsigned node = 0; node < shape.nodes; ++node) {
    std::vector<p4::MulticastNode> home_and_shadow{member(node)};
    if (shadow) home_and_shadow.push_back({kShadowRid, {static_cast<std::uint16_t>(shadow->port)}});
    replication_.set_group(static_cast<std::uint16_t>(kAddGroups + node), home_and_shadow);
    replication_.set_exclusion(static_cast<std::uint16_t>(node), {static_cast<std::uint16_t>(node)});
  }
  for (unsigned subset = 1; subset < 1u << shape.nodes; ++subset) {
    std::vector<p4::MulticastNode> members;
    for (unsigned node = 0; node < shape.nodes; ++node) {
      if ((subset >> node & 1) != 0) members.push_back(member(node));
    }
    replication_.set_group(static_cast<std::uint16_t>(subset), members);
  }
}

std::optional<std::uint64_t> LoneSwitch::pass(const FlowCcHeader& header, NodeId home,
                                              std::optional<std::uint64_t> data, std::vector<LeftPacket>& left) {
  p4::PacketRef packet = pool_.make();
  packet->push(p4::Ethernet{.dst = mac_of_port(home), .ether_type = p4::kEtherTypeIpv4});
  packet->push(p4::Ipv4{.protocol = p4::kProtocolUdp});
  packet->push(p4::Udp{.src_port = kFlowCcPort});
  packet->push(header);
  p4::IngressMetadata metadata;
  metadata.port = static_cast<std::uint16_t>(header.node_id);
  metadata.resubmitted = data.has_value();
  metadata.resubmit_data = data.value_or(0);
  const p4::Verdict verdict = pipeline_.run_ingress(*packet, metadata);
  if (verdict.resubmit) return verdict.resubmit_data;
  copies_.clear();
  replication_.replicate(verdict, copies_);
  for (const p4::Copy& copy : copies_) {
    p4::PacketRef one = pool_.clone_headers(*packet);
    if (!pipeline_.run_egress(*one, {copy.port, copy.rid, one->frame_bytes()})) continue;
    left.push_back({copy.port, one->get<FlowCcHeader>(), one->get<p4::Udp>().dst_port});
  }
  return std::nullopt;
}

std::uint64_t LoneSwitch::read(std::string_view array, std::uint64_t index) const {
  return pipeline_.registers().read(pipeline_.registers().array(array), index);
}

void LoneSwitch::write(std::string_view array, std::uint64_t index, std::uint64_t value) {
  pipeline_.registers().write(pipeline_.registers().array(array), index, value);
}

}  // namespace racksim::flowcc

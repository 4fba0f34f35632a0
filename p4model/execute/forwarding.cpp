#include "p4model/execute/forwarding.hpp"

#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::p4 {

void append_forwarding_parser(Program& program, Gress gress) {
  program.parser_state<Ethernet>(gress, "ethernet")
      .select(program.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ipv4"}});
  program.parser_state<Ipv4>(gress, "ipv4").select(program.header_field(&Ipv4::protocol), {{kProtocolUdp, "udp"}});
  program.parser_state<Udp>(gress, "udp");
}

namespace {

Forwarding append(Program& program, Block& block, Action* to_group) {
  auto& to_port = program.action("forward_to_port");
  to_port.set(program.intrinsics().ucast_egress_port, to_port.data("port", program.port_bits()));
  auto& drop = program.action("forward_drop").set(program.intrinsics().drop, 1);
  auto& by_mac = program.table("forward_by_mac")
                     .key(program.header_field(&Ethernet::dst))
                     .action(to_port)
                     .size(kForwardingEntries);
  if (to_group) by_mac.action(*to_group);
  auto& by_ip =
      program.table("forward_by_ip").key(program.header_field(&Ipv4::dst)).action(to_port).size(kForwardingEntries);
  by_ip.default_action(drop);
  block.apply(by_mac).on_miss([&](Block& unknown_mac) {
    unknown_mac.if_(program.valid<Ipv4>() == 1).then([&](Block& ip) { ip.apply(by_ip); }).else_([&](Block& other) {
      other.apply(drop);
    });
  });
  return {.by_mac = &by_mac, .by_ip = &by_ip, .to_port = &to_port};
}

}  // namespace

Forwarding append_forwarding(Program& program, Block& block) {
  return append(program, block, nullptr);
}

ForwardingProgram make_forwarding_program(unsigned port_bits) {
  auto program = std::make_shared<Program>(
      "l2l3-forwarding", "forwards by destination MAC or IPv4 address, and to multicast groups", port_bits);
  append_forwarding_parser(*program, Gress::ingress);
  auto& to_group = program->action("forward_to_group");
  const auto& in = program->intrinsics();
  to_group.set(in.mcast_grp_a, to_group.data("group", 16)).set(in.l2_exclusion_id, in.ingress_port);
  const auto forwarding = append(*program, program->ingress(), &to_group);
  return {.program = program, .forwarding = forwarding, .to_group = &to_group};
}

namespace {
const sim::Registration<ProgramEntry> forwarding({
    .name = "l2l3-forwarding",
    .doc = "forwards by destination MAC or IPv4 address, and to multicast groups",
    .make = [] { return make_forwarding_program().program; },
});
// Of a switch with 1,024 ports.
const sim::Registration<ShippedShape> wide({.name = "l2l3-forwarding-wide",
                                            .make = [] { return make_forwarding_program(11).program; }});
}  // namespace

}  // namespace racksim::p4

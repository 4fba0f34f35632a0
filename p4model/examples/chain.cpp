// A program to learn from: `x = next.execute(x)`, one field as index and output of a register in one stage
// (scenarios/switch/chain.json).
//
// Each pass goes one step along a chain that lies in registers and takes the port of the place where it arrives: the
// packet's DSCP is replaced by the entry at it. Port 511 stands for no port.
#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::p4 {
namespace {

std::shared_ptr<const Program> make_chain() {
  auto program = std::make_shared<Program>("example-chain", "follows a chain in a register array, one step a pass");
  auto& p = *program;
  p.parser_state<Ethernet>(Gress::ingress, "ethernet")
      .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ipv4"}}, kReject);
  p.parser_state<Ipv4>(Gress::ingress, "ipv4");
  const auto place = p.header_field(&Ipv4::dscp);

  auto& next = p.register_array("NEXT", Width::single(8), 64);
  auto& follow = next.action("follow").output(AluOutput::old_lo);
  auto& step = p.action("step").execute(follow, place, place);
  auto& to_port = p.action("to_port");
  to_port.set(p.intrinsics().ucast_egress_port, to_port.data("port", 9));
  auto& to_group = p.action("to_group");
  to_group.set(p.intrinsics().mcast_grp_a, to_group.data("group", 16));
  auto& leave = p.table("leave").key(place).action(to_port).action(to_group).size(64);
  p.ingress().apply(step);
  p.ingress().apply(leave);
  return program;
}

const sim::Registration<ProgramEntry> chain({
    .name = "example-chain",
    .doc = "follows a chain in a register array, one step a pass",
    .make = make_chain,
});

}  // namespace
}  // namespace racksim::p4

// A program to learn from: `x = next.execute(x)`, one field as index and output of a register in one stage
// (scenarios/switch/chain.json).
//
// Each pass goes one step along a chain that lies in registers and takes the port of the place where it arrives: the
// packet's DSCP is replaced by the entry at it. Port 511 stands for no port.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_chain(Program& p) {
  parse_ipv4(p);
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
}

const Example chain("example-chain", "follows a chain in a register array, one step a pass", build_chain);

}  // namespace
}  // namespace racksim::p4

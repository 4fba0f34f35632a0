// A program to learn from: digests to the control CPU (scenarios/switch/digest.json), what it has the bridge learn
// (scenarios/switch/learning.json), and what is forgotten (scenarios/switch/aging.json).
//
// A bridge that learns: a source address that the table `known` lacks is told to the control CPU with the port it came
// by. A packet to an address that the table `bridge` lacks goes to all ports but its own.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_digests(Program& p) {
  const auto& in = p.intrinsics();
  p.parser_state<Ethernet>(Gress::ingress, "ethernet");
  const auto source = p.header_field(&Ethernet::src);
  p.digest(1, "learn", {source, in.ingress_port});

  auto& learn = p.action("learn").set(p.digest_type(), 1);
  auto& nothing = p.action("known_source");
  auto& known = p.table("known").key(source).action(nothing).default_action(learn).size(1024).idle_timeout();
  auto& to_port = p.action("to_port");
  to_port.set(in.ucast_egress_port, to_port.data("port", 9));
  auto& flood = p.action("flood").set(in.mcast_grp_a, 1).set(in.l2_exclusion_id, in.ingress_port);
  auto& bridge = p.table("bridge").key(p.header_field(&Ethernet::dst)).action(to_port).default_action(flood).size(1024);
  p.ingress().apply(known);
  p.ingress().apply(bridge);
}

const Example digests("example-digests", "a bridge that tells the control CPU of unknown source addresses",
                      build_digests);

}  // namespace
}  // namespace racksim::p4

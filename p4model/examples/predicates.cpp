// A program to learn from: the four-bit predicate of a stateful ALU (scenarios/switch/predicates.json).
//
// The register holds a window (lo, hi); a packet's identification is compared with both of its ends in one access, and
// one bit of four says where it lies: 1 inside neither bound, 2 below the upper, 4 above the lower, 8 both. A table
// turns that into a port.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_predicates(Program& p) {
  parse_ipv4(p);
  const auto where = p.field("where", 4);

  auto& window = p.register_array("WINDOW", Width::pair_of(16), 64);
  auto& look = window.action("look");
  const auto value = look.input(p.header_field(&Ipv4::identification));
  look.compare_a(value, Comparison::less_equal, kHi)
      .compare_b(value, Comparison::greater_equal, kLo)
      .output(AluOutput::predicates);
  auto& to_port = p.action("to_port");
  to_port.set(p.intrinsics().ucast_egress_port, to_port.data("port", 9));
  auto& leave = p.table("leave").key(where).action(to_port).size(16);
  p.ingress().apply(p.action("compare").execute(look, p.header_field(&Ipv4::dscp), where));
  p.ingress().apply(leave);
}

const Example predicates("example-predicates", "compares with both ends of a window in one access of a register",
                         build_predicates);

}  // namespace
}  // namespace racksim::p4

// A program to learn from: one table in two branches (scenarios/switch/shared_table.json).
//
// What comes by ports 0 to 3 goes to the port that `classes` has for its DSCP. What comes by others is not trusted: of its
// DSCP the last three bits count, and it leaves with none.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_shared_table(Program& p) {
  parse_ipv4(p);
  const auto& in = p.intrinsics();
  const auto dscp = p.header_field(&Ipv4::dscp);
  const auto kind = p.field("class", 6);
  auto& to_port = p.action("to_port");
  to_port.set(in.ucast_egress_port, to_port.data("port", 9));
  auto& classes = p.table("classes").key(kind).action(to_port).size(64);

  p.ingress()
      .if_(in.ingress_port < 4)
      .then([&](Block& trusted) {
        trusted.apply(p.action("own_class").set(kind, dscp));
        trusted.apply(classes);
      })
      .else_([&](Block& others) {
        others.apply(p.action("low_class").bit_and(kind, dscp, 7).set(dscp, 0));
        others.apply(classes);
      });
}

const Example shared_table("example-shared-table", "applies one table in two branches", build_shared_table);

}  // namespace
}  // namespace racksim::p4

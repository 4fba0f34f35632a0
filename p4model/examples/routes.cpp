// A program to learn from: tables that are larger than a stage (scenarios/switch/routes.json).
//
// 400,000 hosts have a port of their own; all other addresses go by the longest of 16,000 prefixes. Both tables lie in
// several stages, each of which looks where the ones before it have missed.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_routes(Program& p) {
  parse_ipv4(p);
  const auto to = p.header_field(&Ipv4::dst);
  auto& to_port = p.action("to_port");
  to_port.set(p.intrinsics().ucast_egress_port, to_port.data("port", 9));
  auto& nowhere = p.action("nowhere").set(p.intrinsics().drop, 1);

  auto& hosts = p.table("hosts").key(to).action(to_port).size(400'000);
  auto& routes = p.table("routes").key(to, MatchKind::lpm).action(to_port).default_action(nowhere).size(16'000);
  p.ingress().apply(hosts).on_miss([&](Block& others) { others.apply(routes); });
}

const Example routes("example-routes", "forwards by 400,000 host addresses and 16,000 prefixes", build_routes);

}  // namespace
}  // namespace racksim::p4

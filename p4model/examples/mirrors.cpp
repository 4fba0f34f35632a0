// A program to learn from: mirror sessions (scenarios/switch/mirror.json).
//
// Ingress forwards by the input port and takes one from the time to live. It mirrors what has DSCP 1, as received, and
// egress what has DSCP 2, as deparsed; DSCP 3 is dropped in ingress, and mirrored all the same. In the copy's own pass
// through egress, what its request gave it becomes its identification.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

constexpr std::uint64_t kAsReceived = 1, kAsDeparsed = 2, kDropped = 3;

void build_mirrors(Program& p) {
  const auto& in = p.intrinsics();
  const auto& mirror = p.mirror();
  for (const auto gress : {Gress::ingress, Gress::egress}) {
    const auto name = [&](const char* header) { return std::string(name_of(gress)) + "_" + header; };
    p.parser_state<Ethernet>(gress, name("ethernet"))
        .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, name("ipv4")}}, kReject);
    p.parser_state<Ipv4>(gress, name("ipv4"));
  }
  const auto dscp = p.header_field(&Ipv4::dscp), ttl = p.header_field(&Ipv4::ttl);

  auto& forward = p.action("forward").set(in.ucast_egress_port, 1).sub(ttl, ttl, 1);
  auto& as_received = p.action("as_received").set(mirror.session, 5).set(mirror.values[0], 77);
  auto& drop = p.action("drop").set(in.drop, 1).set(mirror.session, 5).set(mirror.values[0], 78);
  p.ingress().apply(forward);
  p.ingress().if_(dscp == kAsReceived).then([&](Block& b) { b.apply(as_received); });
  p.ingress().if_(dscp == kDropped).then([&](Block& b) { b.apply(drop); });

  auto& as_deparsed = p.action("as_deparsed").set(mirror.session, 6).set(mirror.values[0], 79);
  auto& mark = p.action("mark").set(p.header_field(&Ipv4::identification), mirror.data[0]);
  p.egress()
      .if_(mirror.kind == 0)
      .then([&](Block& b) { b.if_(dscp == kAsDeparsed).then([&](Block& c) { c.apply(as_deparsed); }); })
      .else_([&](Block& b) { b.apply(mark); });
}

const Example mirrors("example-mirrors", "mirrors packets as received (ingress) and as deparsed (egress)",
                      build_mirrors);

}  // namespace
}  // namespace racksim::p4

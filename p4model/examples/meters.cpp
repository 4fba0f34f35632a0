// A program to learn from: meters and counters (scenarios/switch/meters.json).
//
// Port by port a two-rate meter colours packets by their bytes, seeing the colour that they bring as their ECN; what is
// red is dropped. A table of destinations counts what goes to each and allows it a number of packets. All passes are
// counted by their colour, and it leaves with the packet as its time to live.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_meters(Program& p) {
  const auto& in = p.intrinsics();
  parse_ipv4(p);
  const auto by_port = p.field("by_port", 2), colour = p.field("colour", 2);

  auto& police = p.meter("POLICE", MeterUnit::bytes, 512);
  auto& colours = p.counter("COLOURS", CounterUnit::packets_and_bytes, 4);
  auto& hosts = p.table("hosts").key(p.header_field(&Ipv4::dst)).size(1024);
  auto& allowance = p.direct_meter("ALLOWANCE", MeterUnit::packets, hosts);
  auto& sent_to = p.direct_counter("SENT_TO", CounterUnit::packets_and_bytes, hosts);

  auto& by_rate = p.action("by_rate").meter(police, in.ingress_port, by_port, p.header_field(&Ipv4::ecn));
  auto& forward = p.action("forward");
  forward.set(in.ucast_egress_port, forward.data("port", 9))
      .direct_meter(allowance, colour, by_port)
      .direct_count(sent_to);
  hosts.action(forward);
  auto& mark = p.action("mark").count(colours, colour).set(p.header_field(&Ipv4::ttl), colour);
  auto& refuse = p.action("refuse").set(in.drop, 1);
  p.ingress().apply(by_rate);
  p.ingress().apply(hosts);
  p.ingress().apply(mark);
  p.ingress().if_(colour == static_cast<unsigned>(Colour::red)).then([&](Block& b) { b.apply(refuse); });
}

const Example meters("example-meters", "colours packets by two-rate meters, drops red ones and counts all",
                     build_meters);

}  // namespace
}  // namespace racksim::p4

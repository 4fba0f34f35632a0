// A program to learn from: time stamps (scenarios/switch/stamps.json).
//
// It writes into a packet what a monitor of queues wants to know: when it arrived, how long it waited in the queue of
// its port and how many cells were there before it. All packets leave by port 1, so that they wait for each other.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_stamps(Program& p) {
  const auto& clock = p.clock();
  for (const auto gress : {Gress::ingress, Gress::egress}) {
    const auto name = [&](const char* header) { return std::string(name_of(gress)) + "_" + header; };
    p.parser_state<Ethernet>(gress, name("ethernet"))
        .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, name("ipv4")}}, kReject);
    p.parser_state<Ipv4>(gress, name("ipv4"));
  }
  auto& arrive = p.action("arrive")
                     .set(p.intrinsics().ucast_egress_port, 1)
                     .set(p.header_field(&Ethernet::src), clock.arrived)
                     .set(p.header_field(&Ethernet::dst), clock.ingress_began);
  auto& leave = p.action("leave")
                    .set(p.header_field(&Ipv4::src), clock.enqueued)
                    .set(p.header_field(&Ipv4::dst), clock.waited)
                    .set(p.header_field(&Ipv4::identification), clock.queue_cells)
                    .set(p.header_field(&Ipv4::checksum), clock.egress_began);
  p.ingress().apply(arrive);
  p.egress().apply(leave);
}

const Example stamps("example-stamps", "writes time stamps and the depth of the queue into packets", build_stamps);

}  // namespace
}  // namespace racksim::p4

// A program to learn from: triggers of the packet generator (scenarios/switch/triggers.json).
//
// All packets have the header that the generator puts in front of its own, which says by its application, and with the
// port by which they came, where they leave; it stays on them, so that one sees what the generator wrote: the port that
// went down, or bits of the packet that came round.
#include "p4model/examples/example.hpp"
#include "p4model/language/generated_packet.hpp"

namespace racksim::p4 {
namespace {

void build_triggers(Program& p) {
  p.parser_state<GeneratedPacket>(Gress::ingress, "generated").then("ethernet");
  p.parser_state<Ethernet>(Gress::ingress, "ethernet");
  auto& to_port = p.action("to_port");
  to_port.set(p.intrinsics().ucast_egress_port, to_port.data("port", 9));
  auto& leave = p.table("leave")
                    .key(p.intrinsics().ingress_port)
                    .key(p.header_field(&GeneratedPacket::app))
                    .action(to_port)
                    .size(64);
  p.ingress().apply(leave);
}

const Example triggers("example-triggers",
                       "shows the packets that a port going down, or a packet coming round, has the generator send",
                       build_triggers);

}  // namespace
}  // namespace racksim::p4

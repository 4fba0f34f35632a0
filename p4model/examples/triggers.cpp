// A program to learn from: triggers of the packet generator (scenarios/switch/triggers.json).
//
// All packets have the header that the generator puts in front of its own, which says by its application, and with the
// port by which they came, where they leave; it stays on them, so that one sees what the generator wrote: the port that
// went down, or bits of the packet that came round.
#include "p4model/execute/registry.hpp"
#include "p4model/language/generated_packet.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::p4 {
namespace {

std::shared_ptr<const Program> make_triggers() {
  auto program = std::make_shared<Program>("example-triggers", "shows what the generator's triggers send");
  auto& p = *program;
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
  return program;
}

const sim::Registration<ProgramEntry> triggers({
    .name = "example-triggers",
    .doc = "shows the packets that a port going down, or a packet coming round, has the generator send",
    .make = make_triggers,
});

}  // namespace
}  // namespace racksim::p4

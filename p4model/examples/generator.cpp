// A program to learn from: the packet generator (scenarios/switch/generator.json).
//
// Generated packets leave by the port that the table `leave` has for their application and batch, without the
// generator's header.
#include "p4model/execute/registry.hpp"
#include "p4model/language/generated_packet.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::p4 {
namespace {

std::shared_ptr<const Program> make_generator() {
  auto program = std::make_shared<Program>("example-generator", "sends the packets of the generator to ports");
  auto& p = *program;
  p.parser_state<GeneratedPacket>(Gress::ingress, "generated").then("ethernet");
  p.parser_state<Ethernet>(Gress::ingress, "ethernet");
  auto& to_port = p.action("to_port").set(p.valid<GeneratedPacket>(), 0);
  to_port.set(p.intrinsics().ucast_egress_port, to_port.data("port", 9));
  auto& leave = p.table("leave")
                    .key(p.header_field(&GeneratedPacket::app))
                    .key(p.header_field(&GeneratedPacket::batch))
                    .action(to_port)
                    .size(64);
  p.ingress().apply(leave);
  return program;
}

const sim::Registration<ProgramEntry> generator({
    .name = "example-generator",
    .doc = "sends the packets of the switch's own generator to ports",
    .make = make_generator,
});

}  // namespace
}  // namespace racksim::p4

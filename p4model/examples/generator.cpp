// A program to learn from: the packet generator (scenarios/switch/generator.json).
//
// Generated packets leave by the port that the table `leave` has for their application and batch, without the
// generator's header.
#include "p4model/examples/example.hpp"
#include "p4model/language/generated_packet.hpp"

namespace racksim::p4 {
namespace {

void build_generator(Program& p) {
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
}

const Example generator("example-generator", "sends the packets of the switch's own generator to ports",
                        build_generator);

}  // namespace
}  // namespace racksim::p4

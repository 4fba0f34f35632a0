// A program to learn from: random numbers (scenarios/switch/dice.json).
//
// It throws a die of four sides and a coin for each packet: the die chooses one of four ports, the coin is shown in the
// identification.
#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::p4 {
namespace {

std::shared_ptr<const Program> make_dice() {
  auto program = std::make_shared<Program>("example-dice", "sends packets to one of four ports by chance");
  auto& p = *program;
  p.parser_state<Ethernet>(Gress::ingress, "ethernet")
      .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ipv4"}}, kReject);
  p.parser_state<Ipv4>(Gress::ingress, "ipv4");
  const auto die = p.field("die", 2), coin = p.field("coin", 1);
  p.ingress().apply(p.action("throw").random(die).random(coin));
  p.ingress().apply(
      p.action("leave").set(p.intrinsics().ucast_egress_port, die).set(p.header_field(&Ipv4::identification), coin));
  return program;
}

const sim::Registration<ProgramEntry> dice({
    .name = "example-dice",
    .doc = "sends packets to one of four ports by chance",
    .make = make_dice,
});

}  // namespace
}  // namespace racksim::p4

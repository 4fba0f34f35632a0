// A program to learn from: random numbers (scenarios/switch/dice.json).
//
// It throws a die of four sides and a coin for each packet: the die chooses one of four ports, the coin is shown in the
// identification.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_dice(Program& p) {
  parse_ipv4(p);
  const auto die = p.field("die", 2), coin = p.field("coin", 1);
  p.ingress().apply(p.action("throw").random(die).random(coin));
  p.ingress().apply(
      p.action("leave").set(p.intrinsics().ucast_egress_port, die).set(p.header_field(&Ipv4::identification), coin));
}

const Example dice("example-dice", "sends packets to one of four ports by chance", build_dice);

}  // namespace
}  // namespace racksim::p4

// The smallest switch program that does something: it forwards frames by their destination, and counts what comes by
// each port.
#include <memory>

#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::first_switch {

namespace {

using namespace p4;

std::shared_ptr<const Program> build() {
  auto program = std::make_shared<Program>("first-switch", "forwards by destination, and counts by port");
  Program& p = *program;
  const auto& in = p.intrinsics();

  p.parser_state<Ethernet>(Gress::ingress, "ethernet");

  auto& frames = p.register_array("FRAMES", Width::single(32), 512);
  auto& one_more = frames.action("one_more");
  one_more.update(kLo, AluOperation::add, kLo, 1);
  auto& count = p.action("count").execute(one_more, in.ingress_port);

  auto& forward = p.action("forward");
  forward.set(in.ucast_egress_port, forward.data("port", 9));
  auto& drop = p.action("drop").set(in.drop, 1);
  auto& stations =
      p.table("stations").key(p.header_field(&Ethernet::dst)).action(forward).default_action(drop).size(1024);

  p.ingress().apply(count);
  p.ingress().apply(stations);
  return program;
}

const sim::Registration<ProgramEntry> registration({
    .name = "first-switch",
    .doc = "forwards by destination, and counts by port",
    .make = build,
});

}  // namespace

}  // namespace racksim::first_switch

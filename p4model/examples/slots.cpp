// A program to learn from: an index of a register array that stands in the table's entry (scenarios/switch/slots.json).
//
// Each flow, an IPv4 source, has a slot that the control plane gave it. Its packets are counted there, and leave with their
// number in the IPv4 identification. Packets of other sources are dropped.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_slots(Program& p) {
  parse_ipv4(p);
  const auto number = p.header_field(&Ipv4::identification);

  auto& packets = p.register_array("PACKETS", Width::single(16), 1024);
  auto& next = packets.action("next");
  next.update(kLo, AluOperation::add, kLo, 1).output(AluOutput::new_lo);
  auto& in_slot = p.action("in_slot");
  in_slot.execute(next, in_slot.data("slot", 10), number)
      .set(p.intrinsics().ucast_egress_port, in_slot.data("port", 9));
  auto& unknown = p.action("unknown").set(p.intrinsics().drop, 1);
  p.ingress().apply(
      p.table("flows").key(p.header_field(&Ipv4::src)).action(in_slot).default_action(unknown).size(1024));
}

const Example slots("example-slots", "counts the packets of each flow in the slot that its table entry names",
                    build_slots);

}  // namespace
}  // namespace racksim::p4

// A program to learn from: registers, a resubmission and recirculation (scenarios/switch/visits.json).
//
// It counts packets by their DSCP. The first of a kind is resubmitted with its count, which its second pass writes into
// the packet; all others go where the table `round` sends their time to live, which each round takes one from.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_visits(Program& p) {
  const auto& in = p.intrinsics();
  parse_ipv4(p);
  const auto visits = p.field("visits", 32);
  const auto ttl = p.header_field(&Ipv4::ttl);

  auto& counts = p.register_array("VISITS", Width::single(32), 64);
  auto& visit = counts.action("visit");
  visit.update(kLo, AluOperation::add, kLo, 1).output(AluOutput::new_lo);
  auto& count = p.action("count").execute(visit, p.header_field(&Ipv4::dscp), visits);
  auto& again = p.action("again").set(in.resubmit, 1).set(in.resubmit_value, visits);
  auto& second_pass =
      p.action("second_pass").set(p.header_field(&Ipv4::identification), in.resubmit_data).set(in.ucast_egress_port, 1);
  auto& older = p.action("older").sub(ttl, ttl, 1);
  older.set(in.ucast_egress_port, older.data("port", 9));
  auto& round = p.table("round").key(ttl).action(older).size(16);

  // A recirculated packet has been counted before.
  p.ingress().if_(in.resubmit_flag == 1).then([&](Block& b) { b.apply(second_pass); }).else_([&](Block& b) {
    b.if_(in.ingress_port < 4).then([&](Block& c) { c.apply(count); });
    b.if_(visits == 1).then([&](Block& c) { c.apply(again); }).else_([&](Block& c) { c.apply(round); });
  });
}

const Example visits("example-visits", "counts packets, resubmits the first of a kind and sends the others round",
                     build_visits);

}  // namespace
}  // namespace racksim::p4

// A switch program: forwards IPv4 packets by their destination, counts those that come by each port in a register array,
// and marks what comes by a port beyond its allowance of three as RFC 3168 marks congestion.
#include <memory>

#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::heavy_senders {

namespace {

using namespace p4;

std::shared_ptr<const Program> build() {
  auto program = std::make_shared<Program>("heavy-senders", "marks what comes by a port beyond three packets");
  Program& p = *program;
  const auto& in = p.intrinsics();
  const auto too_many = p.field("too_many", 1);

  p.parser_state<Ethernet>(Gress::ingress, "ethernet")
      .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ipv4"}}, kReject);
  p.parser_state<Ipv4>(Gress::ingress, "ipv4");

  // The stateful ALU adds one and compares, in one access: a register is reached once a pass.
  auto& sent = p.register_array("SENT", Width::single(32), 512);
  auto& one_more = sent.action("one_more");
  one_more.compare_a(kLo, Comparison::greater_equal, 3)
      .update(kLo, AluOperation::add, kLo, 1)
      .output(AluOutput::predicate, kA);

  auto& forward = p.action("forward");
  forward.set(in.ucast_egress_port, forward.data("port", 9));
  auto& unknown = p.action("unknown").set(in.drop, 1);
  auto& hosts = p.table("hosts").key(p.header_field(&Ipv4::dst)).action(forward).default_action(unknown).size(1024);

  p.ingress().apply(p.action("count").execute(one_more, in.ingress_port, too_many));
  p.ingress().apply(hosts);
  p.ingress().if_(too_many == 1).then([&](Block& b) { b.apply(p.action("mark").set(p.header_field(&Ipv4::ecn), 3)); });
  return program;
}

const sim::Registration<ProgramEntry> registration({
    .name = "heavy-senders",
    .doc = "forwards by IPv4 destination, and marks what comes by a port beyond three packets",
    .make = build,
});

}  // namespace

}  // namespace racksim::heavy_senders

// A program to learn from: a value set of the parser (scenarios/switch/value_sets.json).
//
// Which UDP ports carry a RoCE v2 header (BTH) the control plane says at run time; of the packets for these ports the
// destination queue pair chooses the port by which they leave, all others leave by port 3.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

/// The base transport header of InfiniBand, as far as the program looks.
struct TransportHeader {
  std::uint64_t opcode = 0, flags = 0, partition = 0, reserved = 0, queue_pair = 0, sequence = 0;
  static constexpr HeaderLayout kLayout{
      "transport",
      {{"opcode", 8}, {"flags", 8}, {"partition", 16}, {"reserved", 8}, {"queue_pair", 24}, {"sequence", 32}}};
};

void build_value_sets(Program& p) {
  const auto& roce_ports = p.value_set("ROCE_PORTS", 16, 4);
  p.parser_state<Ethernet>(Gress::ingress, "ethernet")
      .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ipv4"}}, kReject);
  p.parser_state<Ipv4>(Gress::ingress, "ipv4").select(p.header_field(&Ipv4::protocol), {{kProtocolUdp, "udp"}});
  p.parser_state<Udp>(Gress::ingress, "udp").select(p.header_field(&Udp::dst_port), {}).or_in(roce_ports, "transport");
  p.parser_state<TransportHeader>(Gress::ingress, "transport");

  auto& elsewhere = p.action("elsewhere").set(p.intrinsics().ucast_egress_port, 3);
  auto& to_port = p.action("to_port");
  to_port.set(p.intrinsics().ucast_egress_port, to_port.data("port", 9));
  auto& pairs = p.table("pairs").key(p.header_field(&TransportHeader::queue_pair)).action(to_port).size(64);
  p.ingress().if_(p.valid<TransportHeader>() == 1).then([&](Block& b) { b.apply(pairs); }).else_([&](Block& b) {
    b.apply(elsewhere);
  });
}

const Example value_sets("example-value-sets",
                         "parses a header behind those UDP ports that the control plane says at run time",
                         build_value_sets);

}  // namespace
}  // namespace racksim::p4

// A program to learn from: checksum units (scenarios/switch/checksums.json).
//
// A packet whose IPv4 checksum is wrong goes to port 3 as it is. Of others ingress takes one from the time to live and
// puts another destination address into them; its deparser writes the IPv4 checksum anew, and that of UDP, whose pseudo
// header has the address and whose payload the switch does not see, from what the parser found to be left of it.

#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_checksums(Program& p) {
  const auto& in = p.intrinsics();
  p.parser_state<Ethernet>(Gress::ingress, "ethernet")
      .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ipv4"}}, kReject);
  p.parser_state<Ipv4>(Gress::ingress, "ipv4").select(p.header_field(&Ipv4::protocol), {{kProtocolUdp, "udp"}});
  p.parser_state<Udp>(Gress::ingress, "udp");
  const auto dst = p.header_field(&Ipv4::dst), ttl = p.header_field(&Ipv4::ttl);
  const auto of_ip = p.header_field(&Ipv4::checksum), of_udp = p.header_field(&Udp::checksum);

  auto ip = p.header_fields<Ipv4>();
  const auto broken = p.verify_checksum(Gress::ingress, "ipv4_broken", ip);
  const auto rest = p.checksum_residual(Gress::ingress, "udp_rest", of_udp, {dst});
  std::erase_if(ip, [&](FieldRef field) { return field.id == of_ip.id; });
  const auto changed = p.field("changed", 1);
  p.update_checksum(Gress::ingress, of_ip, ip, changed);
  p.update_checksum(Gress::ingress, of_udp, {dst, rest}, changed, true);

  auto& refuse = p.action("set_aside").set(in.ucast_egress_port, 3);
  auto& translate = p.action("translate").sub(ttl, ttl, 1).set(changed, 1);
  translate.set(dst, translate.data("address", 32)).set(in.ucast_egress_port, translate.data("port", 9));
  auto& hosts = p.table("hosts").key(dst).action(translate).size(64);
  p.ingress().if_(broken == 1).then([&](Block& b) { b.apply(refuse); }).else_([&](Block& b) { b.apply(hosts); });
}

const Example checksums("example-checksums",
                        "verifies IPv4 checksums, and keeps those of IPv4 and UDP right where it changes addresses",
                        build_checksums);

}  // namespace
}  // namespace racksim::p4

// A program to learn from: what chooses among the copies of a multicast group (scenarios/switch/selection.json).
//
// All packets go to group 1. The identification is the level-1 hash, which takes one node of an ECMP set, the fragment
// offset the level-2 hash, which takes a member of a LAG, and the DSCP the level-1 exclusion id, which leaves out
// nodes.
#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::p4 {
namespace {

std::shared_ptr<const Program> make_selection() {
  auto program = std::make_shared<Program>("example-selection", "chooses among the copies of a multicast group");
  auto& p = *program;
  const auto& choice = p.selection();
  p.parser_state<Ethernet>(Gress::ingress, "ethernet")
      .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ipv4"}}, kReject);
  p.parser_state<Ipv4>(Gress::ingress, "ipv4");
  p.ingress().apply(p.action("choose")
                        .set(p.intrinsics().mcast_grp_a, 1)
                        .set(choice.level1_hash, p.header_field(&Ipv4::identification))
                        .set(choice.level2_hash, p.header_field(&Ipv4::fragment_offset))
                        .set(choice.l1_exclusion_id, p.header_field(&Ipv4::dscp)));
  return program;
}

const sim::Registration<ProgramEntry> selection({
    .name = "example-selection",
    .doc = "chooses among the copies of a multicast group: ECMP, LAG and exclusion",
    .make = make_selection,
});

}  // namespace
}  // namespace racksim::p4

// A program to learn from: what chooses among the copies of a multicast group (scenarios/switch/selection.json).
//
// All packets go to group 1. The identification is the level-1 hash, which takes one node of an ECMP set, the fragment
// offset the level-2 hash, which takes a member of a LAG, and the DSCP the level-1 exclusion id, which leaves out
// nodes.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

void build_selection(Program& p) {
  const auto& choice = p.selection();
  parse_ipv4(p);
  p.ingress().apply(p.action("choose")
                        .set(p.intrinsics().mcast_grp_a, 1)
                        .set(choice.level1_hash, p.header_field(&Ipv4::identification))
                        .set(choice.level2_hash, p.header_field(&Ipv4::fragment_offset))
                        .set(choice.l1_exclusion_id, p.header_field(&Ipv4::dscp)));
}

const Example selection("example-selection", "chooses among the copies of a multicast group: ECMP, LAG and exclusion",
                        build_selection);

}  // namespace
}  // namespace racksim::p4

// A program to learn from: fields that share containers, since none is needed when the next is written
// (scenarios/switch/temporaries.json).
//
// Each of eleven stages makes fifteen words of 32 bits of those that the stage before it has made: 165 in all, of which the
// PHV has 64 containers. Word j of a stage is the sum of words j and j + 1 of the one before. The first of the last stage
// leaves in the IPv4 source, so that a packet shows what came of it.
#include <array>
#include <string>

#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

constexpr unsigned kStages = 11, kWords = 15;

void build_temporaries(Program& p) {
  parse_ipv4(p);
  const auto source = p.header_field(&Ipv4::src);
  std::array<FieldRef, kWords> before{};
  before.fill(source);
  for (unsigned stage = 0; stage < kStages; ++stage) {
    auto& action = p.action("stage_" + std::to_string(stage));
    std::array<FieldRef, kWords> words{};
    for (unsigned j = 0; j < kWords; ++j) {
      words[j] = p.field("word_" + std::to_string(stage) + "_" + std::to_string(j), 32);
      if (stage == 0) {
        action.add(words[j], source, j);
      } else {
        action.add(words[j], before[j], before[(j + 1) % kWords]);
      }
    }
    p.ingress().apply(action);
    before = words;
  }
  p.ingress().apply(p.action("out").set(source, before[0]).set(p.intrinsics().ucast_egress_port, 1));
}

const Example temporaries("example-temporaries", "has 165 words of 32 bits, each read in the next stage",
                          build_temporaries);

}  // namespace
}  // namespace racksim::p4

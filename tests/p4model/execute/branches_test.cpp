// Random trees of gateways and tables against a walk over the tree: however the compiler shares the tests of guards and
// jumps over what hangs on them, and whichever stages the nodes are in, fused and stepped passes reach the same leaves.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <optional>

#include "p4model/execute/pipeline.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace branches_test {

using namespace racksim::p4;

namespace {

constexpr std::size_t kMostLeaves = 16, kVariables = 3;

struct Marks {
  std::uint64_t value = 0;                           // what all decisions look at, 0 to 3
  std::array<std::uint64_t, kMostLeaves> leaf = {};  // becomes 1 when the pass comes by
  static constexpr HeaderLayout kLayout{"marks",
                                        {{"value", 8},
                                         {"l0", 8},
                                         {"l1", 8},
                                         {"l2", 8},
                                         {"l3", 8},
                                         {"l4", 8},
                                         {"l5", 8},
                                         {"l6", 8},
                                         {"l7", 8},
                                         {"l8", 8},
                                         {"l9", 8},
                                         {"l10", 8},
                                         {"l11", 8},
                                         {"l12", 8},
                                         {"l13", 8},
                                         {"l14", 8},
                                         {"l15", 8}}};
};

struct RandomTree {
  explicit RandomTree(std::uint64_t seed) : random(seed) {
    program->parser_state<Marks>(Gress::ingress, "start");
    auto& p = *program;
    value = p.header_field<Marks>("value");
    // The same value, known to gateways from stage 0, 1 and 2 on.
    variables = {value, p.field("v1", 8), p.field("v2", 8)};
    p.ingress().apply(p.action("copy_1").set(variables[1], variables[0]));
    p.ingress().apply(p.action("copy_2").set(variables[2], variables[1]));
    fill(p.ingress(), {0, 1, 2, 3}, 4);
    p.ingress().apply(p.action("out").set(p.intrinsics().ucast_egress_port, 1));
  }

  /// `values`: for which the pass comes to `block`.
  void fill(Block& block, const std::vector<std::uint64_t>& values, int depth) {
    auto& p = *program;
    for (std::uint64_t n = 1 + random.below(3); n-- > 0;) {
      const auto name = std::to_string(made++);
      if (depth == 0 || random.below(3) == 0) {
        if (reached.size() == kMostLeaves) return;
        const auto leaf = p.header_field<Marks>("l" + std::to_string(reached.size()));
        reached.push_back(values);
        block.apply(p.action("leaf" + name).set(leaf, 1));
        continue;
      }
      const auto variable = variables[random.below(kVariables)];
      const auto chosen = random.below(4);
      std::vector<std::uint64_t> yes, no;
      for (const auto v : values) (v == chosen ? yes : no).push_back(v);
      const auto filled = [&](const std::vector<std::uint64_t>& subset) {
        return [this, &subset, depth](Block& b) { fill(b, subset, depth - 1); };
      };
      switch (random.below(3)) {
        case 0:
          block.if_(variable == chosen).then(filled(yes)).else_(filled(no));
          break;
        case 1:
          block.if_(variable < chosen || variable > chosen).then(filled(no)).else_(filled(yes));
          break;
        default: {
          auto& nothing = p.action("nothing" + name);
          auto& table = p.table("table" + name).key(variable).action(nothing).size(4);
          table.entry({chosen}, nothing);
          block.apply(table).on_hit(filled(yes)).on_miss(filled(no));
        }
      }
    }
  }

  racksim::p4::testing::RandomNumbers random;
  std::shared_ptr<Program> program = std::make_shared<Program>("tree");
  FieldRef value;
  std::array<FieldRef, kVariables> variables;
  std::vector<std::vector<std::uint64_t>> reached;  // by leaf: the values that come there
  int made = 0;
};

}  // namespace

TEST_CASE("a pass reaches the leaves that its decisions lead to, fused and stepped") {
  PacketPool pool;
  int programs = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomTree tree(seed);
    std::optional<Pipeline> pipeline;
    try {
      pipeline.emplace(tree.program);
    } catch (const DoesNotFit&) {
      continue;  // too many gateways or tables for a stage
    }
    ++programs;
    for (std::uint64_t value = 0; value < 4; ++value) {
      Marks expected{value, {}};
      for (std::size_t leaf = 0; leaf < tree.reached.size(); ++leaf) {
        const auto& values = tree.reached[leaf];
        expected.leaf[leaf] = std::find(values.begin(), values.end(), value) != values.end();
      }
      for (const bool fused : {true, false}) {
        auto packet = pool.make();
        packet->push(Marks{value, {}});
        if (fused) {
          pipeline->run_ingress(*packet, {});
        } else {
          Pass pass;
          pipeline->begin_ingress(pass, *packet, {});
          for (int stage = 0; stage < pipeline->stages(); ++stage) pipeline->run_stage(pass, stage);
          pipeline->finish_ingress(pass);
        }
        INFO("program " << seed << ", value " << value << (fused ? ", fused" : ", stepped"));
        CHECK(packet->get<Marks>().leaf == expected.leaf);
      }
    }
  }
  CHECK(programs > 100);
}

}  // namespace branches_test

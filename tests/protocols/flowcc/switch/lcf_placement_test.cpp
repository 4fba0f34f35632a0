// Where the LCF program's arrays stand, what they take, and what does not fit (Concordia §5.1.1, §5.4;
// hardware.md 6.2).
#include <catch2/catch.hpp>
#include <string>

#include "p4model/fit/placement.hpp"
#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace lcf_placement_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Catch::Contains;

namespace {

p4::Placement place(const LcfProgram& lcf) {
  return p4::Placement(*lcf.program, p4::SwitchResources{});
}

}  // namespace

TEST_CASE("nine ways of 41,667 blocks fill Tofino's twelve stages, each way behind its tag") {
  const LcfProgram lcf = make_lcf_program(FlowCcOptions{}, LcfShape{});
  const p4::Placement placement = place(lcf);
  CHECK(placement.stages() == 12);
  CHECK(placement.stages_used() == 12);
  REQUIRE(lcf.tag.size() == 9);
  for (std::size_t way = 0; way < 9; ++way) {
    const int stage = placement.stage_of(*lcf.lock[way]);
    CHECK(stage == static_cast<int>(way) + 1);
    // One packet changes the three of them or none (P1); the comparison of the tag must come before.
    CHECK(placement.stage_of(*lcf.status[way]) == stage);
    CHECK(placement.stage_of(*lcf.copyset[way]) == stage);
    CHECK(placement.stage_of(*lcf.tag[way]) == stage - 1);
    for (const auto* array : {lcf.tag[way], lcf.lock[way], lcf.status[way], lcf.copyset[way]}) {
      CHECK(array->size == 41'667);
    }
  }
}

TEST_CASE("375 K blocks take about 6 MB of registers, 15 bytes each", "[claim:concordia-impl-capacity]") {
  const LcfProgram lcf = make_lcf_program(FlowCcOptions{}, LcfShape{});
  // TAG 64, LOCK 16, G-STATUS 8 and COPYSET 32 bits of 375,003 blocks; SCOREBOARD and LAST-UNLOCK are small.
  const double bytes = static_cast<double>(place(lcf).register_bytes()), blocks = 9 * 41'667;
  CHECK(bytes == Approx(blocks * 15).epsilon(0.05));
  CHECK(bytes / 1e6 == Approx(6).margin(0.5));
}

TEST_CASE("ten staggered ways need a thirteenth stage, and the refusal says so") {
  FlowCcOptions options;
  options.ways = 10;
  const LcfProgram lcf = make_lcf_program(options, LcfShape{});
  CHECK_THROWS_WITH(place(lcf), Contains("flowcc-lcf") && Contains("stage"));
  p4::SwitchResources longer;
  longer.stages = 13;
  CHECK(p4::Placement(*lcf.program, longer).stages_used() == 13);
}

TEST_CASE("fewer or smaller ways, each idempotence and any mechanism off fit as well") {
  std::vector<FlowCcOptions> variants(7);
  variants[0].ways = 1;
  variants[1].entries_per_way = 1;
  variants[2].idempotence = FlowCcOptions::Idempotence::paper;
  variants[3].scoreboard = false;
  variants[4].last_unlock = false;
  variants[5].last_executed = false;
  variants[6].check_table = false;
  for (const FlowCcOptions& options : variants) CHECK(place(make_lcf_program(options, LcfShape{})).stages() == 12);
}

TEST_CASE("the program is refused beyond 16 nodes, with the reason") {
  CHECK_NOTHROW(place(make_lcf_program(FlowCcOptions{}, LcfShape{16, 64})));
  CHECK_THROWS_WITH(make_lcf_program(FlowCcOptions{}, LcfShape{17, 68}),
                    Contains("17 nodes") && Contains("multicast groups"));
  Setup setup;
  setup.rack.nodes = 17;
  CHECK_THROWS_WITH(FlowCcScript(setup), Contains("17"));
}

TEST_CASE("a node without cores for its threads and two agents is refused") {
  Setup setup;
  setup.rack.cores = 3;
  setup.micro.threads = 2;
  CHECK_THROWS_WITH(FlowCcScript(setup), Contains("cores"));
}

TEST_CASE("16 nodes, whose copysets take both multicast groups of a packet, satisfy every oracle") {
  for (const bool faults : {false, true}) {
    Setup setup;
    setup.rack.nodes = 16;
    setup.micro.threads = 1;
    setup.micro.sharing_ratio = 1;
    setup.micro.read_ratio = 0.8;  // many sharers to invalidate
    setup.micro.shared_bytes = 16 * 4096;
    setup.measure(3'000);
    if (faults) setup.rack.faults = lossy();
    FlowCcRun run(setup);
    run.finish();
    CHECK(run.violations() == "");
    CHECK(run.counter("invalidations") > 1'000);
  }
}

TEST_CASE("a write invalidates sharers in both halves of the copyset, and only them",
          "[claim:concordia-inv-multicast-holders]") {
  Setup setup;
  setup.rack.nodes = 16;
  setup.micro.threads = 1;
  setup.micro.sharing_ratio = 1;
  setup.micro.shared_bytes = 16 * 4096;
  const std::vector<models::NodeId> sharers[] = {{0, 3, 7}, {8, 12, 15}, {1, 7, 8, 15}, {15}, {0}};
  for (const auto& nodes : sharers) {
    for (const bool upgrade : {false, true}) {
      FlowCcScript run(setup);
      for (const auto node : nodes) run.access({node, 0}, run.shared_block(0), false);
      const models::NodeId writer = upgrade ? nodes.front() : 5;
      run.access({writer, 0}, run.shared_block(0), true);
      const std::uint64_t others = nodes.size() - (upgrade ? 1 : 0);
      CHECK(run.counter("invalidations") == others);
      CHECK(run.counter("cache_agent.packets_received") == others + nodes.size() - 1);  // and the readers' requests
      CHECK(run.protocol->metadata(run.protocol->block_of(run.shared_block(0))) ==
            GlobalMetadata{GlobalStatus::modified, node_bit(writer)});
      run.finish();
      CHECK(run.violations() == "");
    }
  }
}

TEST_CASE("FlowCC's program fits whatever rules are on") {
  // Each bit is a rule: what it leaves out makes other conditions, which gateways must have rows for.
  for (unsigned rules = 0; rules < 1 << 9; ++rules) {
    const auto on = [rules](unsigned bit) { return (rules >> bit & 1) != 0; };
    FlowCcOptions options;
    options.ownership = FlowCcOptions::Ownership::migrating;
    options.idempotence = on(0) ? FlowCcOptions::Idempotence::safe : FlowCcOptions::Idempotence::paper;
    options.scoreboard = on(1);
    options.last_unlock = on(2);
    options.check_table = on(3);
    auto& migration = options.migration.rules;
    migration.unlock_by_holder = on(4);
    migration.keep_found = on(5);
    migration.two_pass_add = on(6);
    migration.home_serials = on(7);
    migration.two_phase_remove = on(8);
    CAPTURE(rules);
    for (const bool migrates : {false, true}) {
      if (!migrates && rules >= 1 << 4) continue;
      CHECK_NOTHROW(place(make_lcf_program(options, {.migrates = migrates})));
    }
  }
}

}  // namespace lcf_placement_test

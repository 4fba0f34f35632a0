// Ownership migration on a rack (Concordia §5.2): blocks change owners hundreds of times while nodes read and write
// them, and every oracle holds; without any one of the rules that make it safe, one does not.
#include <catch2/catch.hpp>
#include <set>

#include "tests/protocols/flowcc/control/migration_run.hpp"

namespace migration_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

TEST_CASE("on perfect wires blocks come and go, the switch serves its share, and all oracles hold") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    MigratingRun run(migrating(seed));
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
    CHECK(run.migration_counter("added") >= 20);
    CHECK(run.migration_counter("removed") >= 20);
    CHECK(run.migration_counter("retransmissions") == 0);
    CHECK(run.counter("switch_events") > 0);
    CHECK(run.counter("switch_events") < run.counter("events"));
  }
}

TEST_CASE("a free place with a lock, or a block in two ways, is seen whoever writes it, though it is mended at once") {
  const bool twice = GENERATE(true, false);
  MigratingRun run(migrating(1));
  run.advance(100_us);
  const SwitchOwner& owner = run.protocol->switch_owner();
  p4::RegisterFile& registers = run.rack.chassis().pipeline(owner.pipe()).registers();
  const auto tag_of = [&](std::size_t way) { return owner.program().tag[way]->id; };
  bool done = false;
  for (std::uint64_t index = 0; index < run.setup.flowcc.entries_per_way && !done; ++index) {
    const std::uint64_t tag = registers.read(tag_of(0), index);
    if (tag == 0 || registers.read(tag_of(1), index) != 0) continue;
    const std::uint32_t array = twice ? tag_of(1) : owner.program().lock[1]->id;
    registers.write(array, index, twice ? tag : 1);
    registers.write(array, index, 0);
    done = true;
  }
  REQUIRE(done);
  run.finish();
  CHECK_THAT(run.violations(), Catch::Contains(twice ? "wrong-place: block " : "wrong-place: LOCK2["));
}

TEST_CASE("under loss, duplication and reordering blocks change owners and all oracles hold, for 30 seeds",
          "[lossy][claim:concordia-inv-swmr][claim:concordia-inv-data-value]") {
  std::uint64_t moves = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    MigratingRun run(harshly_migrating(seed));
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
    REQUIRE(run.protocol->measured_operations() >= *run.setup.plan.measure.operations);
    moves += run.migration_counter("added") + run.migration_counter("removed");
  }
  CHECK(moves >= 30 * 100);
}

TEST_CASE("the shadow node may share a server with a memory node") {
  Setup setup = migrating(1);
  setup.rack.nodes = 4;
  setup.flowcc.shadow.node = 2;
  MigratingRun run(setup);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.migration_counter("removed") >= 20);
}

TEST_CASE("a shadow node that nobody hears costs speed alone: the switch keeps what came first") {
  Setup setup = migrating(1);
  setup.flowcc.shadow.active = false;
  MigratingRun run(setup);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.migration_counter("removed") == 0);
  CHECK(run.migration_counter("added") <= setup.flowcc.ways * setup.flowcc.entries_per_way);
  CHECK(run.migration_counter("collisions") > 0);
}

TEST_CASE("a rack in which nothing is shared moves nothing") {
  Setup setup = migrating(1);
  setup.micro.sharing_ratio = 0;
  MigratingRun run(setup);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.migration_counter("adds") == 0);
}

TEST_CASE("impossible places of the shadow node are refused by their path") {
  Setup alone = migrating(1);
  alone.rack.nodes = 1;
  CHECK(refusal(alone) == "/rack/nodes");
  Setup nowhere = migrating(1);
  nowhere.flowcc.shadow.node = 5;
  CHECK(refusal(nowhere) == "/protocol/flowcc/shadow/node");
  Setup crowded = migrating(1);
  crowded.flowcc.shadow.node = 0;
  crowded.micro.threads = 6;
  CHECK(refusal(crowded) == "/workload/threads");
}

}  // namespace migration_test

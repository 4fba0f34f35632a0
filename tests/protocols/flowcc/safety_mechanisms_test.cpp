// Each safety mechanism of FlowCC, switched off under loss, duplication and reordering, and the oracle that notices.
//
// What goes wrong without it:
//  * SCOREBOARD: a request whose answer is lost is sent again and finds the lock taken, by itself; or it takes a read
//    lock twice, of which the unlock returns one.
//  * LAST-UNLOCK: an unlock whose acknowledgement is lost is executed again, and puts the metadata of its own event
//    back over those of events since: holders are forgotten, or copies expected where none are.
//  * LAST-EXECUTED: a copy of an invalidation that arrives late takes away a copy that the node has obtained since.
//  * check table: a WRITE-SHARED that an invalidation has overtaken is granted to a node that has no copy any more.
// The last is wrong without any fault; the others need them.
#include <catch2/catch.hpp>
#include <set>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace safety_mechanisms_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Ownership = FlowCcOptions::Ownership;

namespace {

constexpr std::uint64_t kSeeds = 50;

// Faults that are harsh enough for each of the three mechanisms: packets are held back for up to one and a half request
// timeouts, so that copies arrive after their event is over.
Setup harsh(Ownership ownership, std::uint64_t seed) {
  Setup setup;
  setup.seed = seed;
  setup.flowcc.ownership = ownership;
  setup.rack.faults.loss = 0.02;
  setup.rack.faults.duplicate = 0.1;
  setup.rack.faults.reorder = 0.2;
  setup.rack.faults.reorder_delay = 20_us;
  setup.measure(1'500);
  // A run that a missing mechanism has brought to a stop is given up early; the others take 4 ms.
  setup.plan.stall = 4_ms;
  setup.plan.drain = 2_ms;
  return setup;
}

// Of these kinds of violations, those that a run does not show.
std::set<std::string> silent_in(const Setup& setup, std::set<std::string> kinds) {
  FlowCcRun run(setup);
  run.finish();
  std::erase_if(kinds, [&](const std::string& kind) { return run.found(kind); });
  return kinds;
}

// Runs seeds until all of these oracles have noticed that a mechanism is off.
void check_noticed(bool FlowCcOptions::*mechanism, std::set<std::string> oracles) {
  for (const auto ownership : {Ownership::switch_owned, Ownership::home}) {
    std::set<std::string> silent = oracles;
    for (std::uint64_t seed = 1; seed <= kSeeds && !silent.empty(); ++seed) {
      Setup setup = harsh(ownership, seed);
      setup.flowcc.*mechanism = false;
      silent = silent_in(setup, silent);
    }
    INFO((ownership == Ownership::home ? "home" : "switch"));
    CHECK(silent == std::set<std::string>{});
  }
}

}  // namespace

TEST_CASE("with every mechanism on, 50 seeds of harsh faults satisfy every oracle",
          "[lossy][claim:concordia-inv-swmr][claim:concordia-inv-data-value]") {
  for (const auto ownership : {Ownership::switch_owned, Ownership::home}) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      FlowCcRun run(harsh(ownership, seed));
      run.finish();
      INFO("seed " << seed << (ownership == Ownership::home ? ", home" : ", switch"));
      REQUIRE(run.violations() == "");
      REQUIRE(run.protocol->measured_operations() >= *run.setup.plan.measure.operations);
    }
  }
}

TEST_CASE("without the scoreboard, locks leak and requests are stuck within 50 seeds") {
  check_noticed(&FlowCcOptions::scoreboard, {"leaked-lock", "stuck-request", "progress"});
}

TEST_CASE("without LAST-UNLOCK, two nodes may write one block, and requests are stuck, within 50 seeds") {
  check_noticed(&FlowCcOptions::last_unlock, {"single-writer", "leaked-lock", "stuck-request", "progress"});
}

TEST_CASE("without LAST-EXECUTED, a holder has lost its copy and requests are stuck, within 50 seeds") {
  check_noticed(&FlowCcOptions::last_executed, {"leaked-lock", "stuck-request", "progress"});
}

TEST_CASE("without the check table, writers lose their data and requests are stuck, within 50 seeds") {
  check_noticed(&FlowCcOptions::check_table, {"leaked-lock", "stuck-request", "progress"});
}

TEST_CASE("without the check table, requests are stuck even on perfect wires") {
  bool stuck = false;
  for (std::uint64_t seed = 1; seed <= kSeeds && !stuck; ++seed) {
    Setup setup = harsh(Ownership::switch_owned, seed);
    setup.rack.faults = {};
    setup.flowcc.check_table = false;
    // A request must wait long between its choice and its sending to be overtaken by an invalidation: on a busy node.
    setup.micro.threads = 4;
    stuck = silent_in(setup, {"stuck-request"}).empty();
  }
  CHECK(stuck);
}

TEST_CASE("on perfect wires the mechanisms against packet loss are not missed") {
  for (const auto mechanism :
       {&FlowCcOptions::scoreboard, &FlowCcOptions::last_unlock, &FlowCcOptions::last_executed}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Setup setup = harsh(Ownership::switch_owned, seed);
      setup.rack.faults = {};
      setup.flowcc.*mechanism = false;
      FlowCcRun run(setup);
      run.finish();
      CHECK(run.violations() == "");
    }
  }
}

}  // namespace safety_mechanisms_test

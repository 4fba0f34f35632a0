// FlowCC explored: with all rules nothing is wrong with a block that moves, and each rule that is missing is found.
#include <catch2/catch.hpp>
#include <string>

#include "tests/protocols/flowcc/explored/explore_run.hpp"

namespace flowcc_explore_rules_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Catch::StartsWith;

TEST_CASE("with all rules two requesters and a block that moves are clean, whatever is lost, doubled or too early",
          "[claim:concordia-inv-swmr][claim:concordia-inv-data-value]") {
  const auto early = explored(kPatient);
  CHECK(verdict(early) == "clean");
  CHECK(early.states > 200'000);
  CHECK(verdict(explored([](ExploreOptions& o) {
          o.losses = o.duplicates = 1;
          o.removes = 0;
          o.reads = false;
        })) == "clean");
  CHECK(verdict(explored([](ExploreOptions& o) {
          o.foreign = 2;
          o.adds = 2;
          o.home_apart = true;
          o.reads = false;
        })) == "clean");
  CHECK(verdict(explored([](ExploreOptions& o) {
          o.losses = 1;
          o.network = ExploreOptions::Network::fifo;
        })) == "clean");
}

TEST_CASE("each rule of migration that is dropped is missed, by the shortest way",
          "[claim:concordia-inv-add-atomic][claim:concordia-inv-remove-needs-lock]") {
  const auto without = [](bool MigrationRules::*rule) {
    const auto found = explored([rule](ExploreOptions& o) {
      kPatient(o);
      o.flowcc.migration.rules.*rule = false;
    });
    return std::to_string(found.violation ? found.violation->trace.size() : 0) + ": " + verdict(found);
  };
  // M1: the switch has the block, its answer is under way, and the home serves again.
  CHECK(without(&MigrationRules::mark) == "4: two owners: the switch has the block, and its home grants");
  // M2: a request that a whole ADD and REMOVE have overtaken takes a lock for an event that is over.
  CHECK(without(&MigrationRules::stamp) == "18: at rest: the home's lock is held");
  // M3: an unlock that comes again finds the other owner.
  CHECK_THAT(without(&MigrationRules::unlock_by_holder), StartsWith("24: at rest: the owner has "));
  // M4: the switch has moved on from the metadata that an ADD that comes again brings.
  CHECK_THAT(without(&MigrationRules::keep_found), StartsWith("16: at rest: the owner has "));
  // M5: the second of two transmissions takes the second way.
  CHECK(without(&MigrationRules::two_pass_add) == "4: place: the block is in two ways");
  // M7: an old copy of REMOVE takes the lock.
  CHECK(without(&MigrationRules::home_serials) == "18: at rest: LOCK1 is 0x8000");
  // M8: the answer to the first of two transmissions comes too late.
  CHECK(without(&MigrationRules::two_phase_remove) ==
        "11: at rest: nobody has the block, which its home takes to be in the switch");
}

TEST_CASE("the rules of requests and locks are missed too, where nothing moves") {
  const auto without = [](std::uint64_t operations, const Change& change) {
    return verdict(explored([&](ExploreOptions& o) {
      o.operations = operations;
      o.adds = o.removes = 0;
      o.in_switch_at_first = true;
      o.timeouts = 1;
      change(o);
    }));
  };
  CHECK(without(1, kNothing) == "clean");
  CHECK_THAT(without(1, [](ExploreOptions& o) { o.flowcc.scoreboard = false; }), StartsWith("at rest: LOCK1 is "));
  CHECK_THAT(without(2, [](ExploreOptions& o) { o.flowcc.last_unlock = false; }), StartsWith("at rest: "));
  CHECK_THAT(without(2,
                     [](ExploreOptions& o) {
                       o.timeouts = 0;
                       o.flowcc.check_table = false;
                     }),
             StartsWith("at rest: "));
  CHECK_THAT(without(2, [](ExploreOptions& o) { o.flowcc.idempotence = FlowCcOptions::Idempotence::paper; }),
             StartsWith("at rest: "));
  CHECK_THAT(without(2,
                     [](ExploreOptions& o) {
                       o.duplicates = 1;
                       o.timeouts = 0;
                       o.evictions = false;
                       o.flowcc.last_executed = false;
                     }),
             StartsWith("at rest: the owner has "));
}

// The second pass of a repeated unlock that the next event but one has overtaken: lcf_program_test.cpp.
TEST_CASE("three events of a requester whose unlock is sent twice leave no lock") {
  CHECK(verdict(explored([](ExploreOptions& o) {
          o.operations = 3;
          o.reads = false;
          o.adds = o.removes = 0;
          o.in_switch_at_first = true;
          o.timeouts = 1;
          o.network = ExploreOptions::Network::fifo;
        })) == "clean");
}

}  // namespace flowcc_explore_rules_test

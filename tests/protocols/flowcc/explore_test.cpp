// FlowCC explored: with all rules nothing is wrong with a block that moves, and each rule that is missing is found.
#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>

#include "protocols/flowcc/explore_options.hpp"
#include "sim/exploration/search.hpp"
#include "sim/exploration/walk.hpp"

namespace flowcc_explore_test {

using namespace racksim;
using namespace racksim::flowcc;
using Catch::StartsWith;

namespace {

using Change = std::function<void(ExploreOptions&)>;

/// One event of each requester, one migration in and one out, and nothing goes wrong, but for what the change says.
ExploreOptions options_of(const Change& change) {
  ExploreOptions options;
  options.losses = options.duplicates = 0;
  change(options);
  return options;
}
sim::Exploration explored(const Change& change) {
  return sim::explore(*options_of(change).build().front().model);
}
/// What is wrong; "clean" if nothing is.
std::string verdict(const sim::Exploration& found) {
  return found.violation ? found.violation->what : found.cut_short.empty() ? "clean" : found.cut_short;
}

/// Of more than can be explored.
void at_length(ExploreOptions& o) {
  o.operations = 3;
  o.adds = o.removes = o.foreign = 2;
  o.losses = o.duplicates = 2;
  o.timeouts = 3;
}
std::string walked(std::uint64_t walks, const Change& change) {
  const ExploreOptions options = options_of([&](ExploreOptions& o) {
    at_length(o);
    change(o);
  });
  const sim::Walks found = sim::walk(*options.build().front().model, {.walks = walks, .seed = 1});
  return found.violation ? found.violation->what : "clean";
}

const Change kNothing = [](ExploreOptions&) {};
constexpr auto kPatient = [](ExploreOptions& o) { o.timeouts = 1; };

}  // namespace

// ADD on its way, between its passes, its answer, at rest; REMOVE on its way, its answer, CLEAR on its way, between its
// passes, its answer, at rest; and the beginning. Nothing else can happen.
TEST_CASE("a block that moves to the switch and back meets eleven states, each with one step") {
  const auto found = explored([](ExploreOptions& o) { o.operations = 0; });
  CHECK(verdict(found) == "clean");
  CHECK(found.states == 11);
  CHECK(found.transitions == 10);
  CHECK(found.ends == 3);
  // Whichever packet is lost is sent again; then only the number of the last transmission tells that it was.
  const auto lossy = explored([](ExploreOptions& o) {
    o.operations = 0;
    o.losses = 1;
  });
  CHECK(verdict(lossy) == "clean");
  CHECK(lossy.ends == 1 + 2 + 2);  // the beginning, and in the switch and at home again, after the loss or without it
}

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

// M6: the second transmission of an ADD overtakes the first between their passes, and finds nothing.
TEST_CASE("the rules of migration need packets of a port that come again in their order") {
  CHECK(verdict(explored([](ExploreOptions& o) {
          kPatient(o);
          o.ordered_resubmits = false;
        })) == "two owners: the switch has the block, and its home grants");
}

TEST_CASE("migration as printed has two owners within three steps") {
  const auto found = explored([](ExploreOptions& o) { o.flowcc.migration.which = MigrationOptions::Rules::printed; });
  REQUIRE(found.violation);
  CHECK(found.violation->what == "two owners: the switch has the block, and its home grants");
  CHECK(found.violation->trace ==
        std::vector<std::string>{
            "an epoch ends, and the block is hot", "ADD-TO-SWITCH of the home (seq 1, serial 1) to the switch arrives",
            "ACK of the home (seq 1, serial 1) under the switch's lock, Unshared {} to the home arrives"});
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

TEST_CASE("walks through what is too large to be explored find nothing, and soon what is printed") {
  CHECK(walked(2'000, kNothing) == "clean");
  CHECK(walked(2'000, [](ExploreOptions& o) { o.home_apart = true; }) == "clean");
  CHECK(walked(10, [](ExploreOptions& o) { o.flowcc.migration.which = MigrationOptions::Rules::printed; }) != "clean");
  CHECK(walked(1'000, [](ExploreOptions& o) { o.flowcc.migration.rules.keep_found = false; }) != "clean");
  CHECK(walked(1'000, [](ExploreOptions& o) { o.flowcc.migration.rules.two_phase_remove = false; }) != "clean");
  CHECK(walked(1'000, [](ExploreOptions& o) { o.ordered_resubmits = false; }) != "clean");
}

// Which of the two an ADD that rewrites what it finds breaks first differs from walk to walk.
TEST_CASE("a copy beside a dirty one is found before all is at rest") {
  std::set<std::string> kinds;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const ExploreOptions options = options_of([](ExploreOptions& o) {
      at_length(o);
      o.flowcc.migration.rules.keep_found = false;
    });
    const sim::Walks found = sim::walk(*options.build().front().model, {.walks = 1'000, .seed = seed});
    if (found.violation) kinds.insert(found.violation->what.substr(0, found.violation->what.find(':')));
  }
  CHECK(kinds == std::set<std::string>{"at rest", "single writer"});
}

}  // namespace flowcc_explore_test

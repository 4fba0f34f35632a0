// FlowCC explored: what an exploration meets, and what walks find where there is more than can be explored.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "sim/exploration/walk.hpp"
#include "tests/protocols/flowcc/explored/explore_run.hpp"

namespace flowcc_explore_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

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

// All linearizations of a growing history, against the general search.
#include "sim/checkers/register_linearizations.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "sim/checkers/linearizability_search.hpp"
#include "tests/sim/checkers/histories.hpp"

namespace register_linearizations_test {

using namespace racksim::sim;
using namespace racksim::sim::checkers;

namespace {

/// Whether the history is linearizable, event after event; the set is put into bytes and back before each.
bool grows(const std::vector<Operation>& history) {
  struct Event {
    std::uint64_t at;
    const Operation* operation;
    bool ends;
  };
  std::vector<Event> events;
  for (const Operation& operation : history) {
    events.push_back({operation.invoked, &operation, false});
    if (!operation.pending()) events.push_back({operation.responded, &operation, true});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
  RegisterLinearizations set;
  for (const auto& [at, operation, ends] : events) {
    std::string bytes;
    set.encode(bytes);
    std::string_view rest = bytes;
    set = RegisterLinearizations::decode(rest);
    REQUIRE(rest.empty());
    std::string again;
    set.encode(again);
    REQUIRE(again == bytes);
    const bool reads = operation->action == Action::read;
    if (!ends && reads) set.begin_read(operation->session);
    if (!ends && !reads) set.begin_write(operation->session, static_cast<std::uint8_t>(operation->argument));
    if (ends && reads && !set.end_read(operation->session, static_cast<std::uint8_t>(operation->result))) return false;
    if (ends && !reads && !set.end_write(operation->session)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a write that is pending may be seen, and once it is seen it has taken effect") {
  CHECK(grows(History().write(0, 0, 1, 1, kOpen).read(1, 0, 0, 2, 3).read(1, 0, 1, 4, 5).operations()));
  CHECK_FALSE(grows(History().write(0, 0, 1, 1, kOpen).read(1, 0, 1, 2, 3).read(1, 0, 0, 4, 5).operations()));
}

TEST_CASE("two reads at once may see a write and miss it, one after the other may not") {
  CHECK(grows(History().write(0, 0, 1, 1, 8).read(1, 0, 1, 2, 6).read(2, 0, 0, 3, 5).operations()));
  CHECK_FALSE(grows(History().write(0, 0, 1, 1, 8).read(1, 0, 1, 2, 3).read(2, 0, 0, 4, 5).operations()));
}

TEST_CASE("a growing set of linearizations agrees with the search on random histories") {
  RandomStream random(11, "linearizations");
  Tally tally;
  for (int i = 0; i < some(20'000); ++i) {
    Shape shape;
    shape.operations = 4 + random.below(6);
    shape.sessions = 2 + random.below(3);
    shape.unique_values = random.below(2) == 0;
    shape.lie = 0.15;
    shape.crash = 0;
    const auto history = random_history(random, shape);
    const bool passes = search_linearizable(history, RegisterSpecification(), 0).verdict == Verdict::pass;
    REQUIRE(grows(history) == passes);
    tally.count(passes);
  }
  CHECK(tally.is_balanced());
}

}  // namespace register_linearizations_test

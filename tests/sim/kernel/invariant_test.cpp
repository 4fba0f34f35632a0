// Checks of invariants: what they cost while they are off, what a broken one says, and that the kernel's own speak.
#include "sim/kernel/invariant.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "sim/kernel/task.hpp"
#include "sim/random/random.hpp"
#include "sim/record/event_log.hpp"

namespace invariant_test {

using namespace racksim::sim;
using namespace racksim::sim::literals;

namespace {

/// What a broken invariant says; empty if it holds.
template <class Body>
std::string said_by(const Body& body) {
  try {
    body();
  } catch (const BrokenInvariant& broken) {
    return broken.what();
  }
  return "";
}

Task<void> nothing() {
  co_return;
}

}  // namespace

TEST_CASE("while invariants are not checked their conditions are not evaluated") {
  const InvariantChecks off(false);
  int evaluated = 0;
  const auto is_false = [&] {
    ++evaluated;
    return false;
  };
  CHECK_NOTHROW([&] { RACKSIM_INVARIANT(is_false(), "it holds"); }());
  CHECK(evaluated == 0);
  check_invariants(true);
  CHECK_THROWS_AS([&] { RACKSIM_INVARIANT(is_false(), "it holds"); }(), BrokenInvariant);
  CHECK(evaluated == 1);
}

TEST_CASE("a broken invariant names its place in the project, what it stands for and its condition") {
  const InvariantChecks on(true);
  const int taken = 3, capacity = 2;
  unsigned line = 0;
  const std::string said = said_by([&] {
    line = __LINE__ + 1;
    RACKSIM_INVARIANT(taken <= capacity, "no more is taken than there is");
  });
  CHECK(said == "broken invariant at tests/sim/kernel/invariant_test.cpp:" + std::to_string(line) +
                    ": no more is taken than there is (taken <= capacity)");
  CHECK(said_by([&] { RACKSIM_INVARIANT(capacity <= taken, "no more is taken than there is"); }).empty());
}

TEST_CASE("invariants are checked as before when what switched the checks is gone, also by an exception") {
  const bool before = invariants_checked();
  {
    const InvariantChecks on(true);
    CHECK(invariants_checked());
    {
      const InvariantChecks off(false);
      CHECK_FALSE(invariants_checked());
    }
    CHECK(invariants_checked());
    CHECK_THROWS_AS(
        [] {
          const InvariantChecks off(false);
          throw std::runtime_error("gone");
        }(),
        std::runtime_error);
    CHECK(invariants_checked());
  }
  CHECK(invariants_checked() == before);
}

TEST_CASE("a draw from an empty range, or with a negative mean, breaks an invariant") {
  const InvariantChecks on(true);
  RandomStream random(1, "draws");
  CHECK_THROWS_AS(random.below(0), BrokenInvariant);
  CHECK_THROWS_AS(random.exponential(Duration::from_ps(-1)), BrokenInvariant);
  CHECK(random.below(1) == 0);
}

TEST_CASE("an observation of a source that the event log does not know breaks an invariant") {
  const InvariantChecks on(true);
  EventLog known, other;
  const Source first = known.add_source("first");
  known.record(Observed::message_sent, first, Time{}, 0);
  CHECK_THROWS_AS(other.record(Observed::message_sent, first, Time{}, 0), BrokenInvariant);
}

TEST_CASE("a task that is started twice, or resumed when it has finished, breaks an invariant") {
  const InvariantChecks on(true);
  Calendar calendar;
  Task<void> task = nothing();
  CHECK(task.start(calendar));
  CHECK_THROWS_AS(task.start(calendar), BrokenInvariant);
  const auto finished = nothing().detach();
  finished.resume();
  calendar.resume_soon(finished);
  CHECK_THROWS_AS(calendar.drain_ready(), BrokenInvariant);
  finished.destroy();
}

}  // namespace invariant_test

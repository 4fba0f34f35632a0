// How often a lock's queue lets a later request go first.
#include "tests/sim/checkers/reference/lock_fairness.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "tests/sim/checkers/histories.hpp"

namespace lock_fairness_test {

using namespace racksim::sim;
using namespace racksim::sim::checkers;

namespace {

Verdict judged(const History& history, const FairnessLimits& limits = {}) {
  return check_lock_fairness(history, limits).verdict;
}

/// Session 0 asks first, then session 1 asks and is granted so often before it.
History overtaken(std::uint32_t times) {
  History history;
  history.lock(0, 1, 100);
  for (std::uint32_t i = 1; i <= times; ++i) history.lock(1, 2 * i, 2 * i + 1);
  return history;
}

}  // namespace

TEST_CASE("a queue in the order of requests is fair") {
  CHECK(judged(History().lock(0, 1, 5).lock(1, 2, 6).lock(2, 3, 7)) == Verdict::pass);
  CHECK(judged(History().lock(0, 1, 6).lock(1, 2, 5)) == Verdict::fail);
}

TEST_CASE("a request may be overtaken by another session as often as the bound says and no more") {
  CHECK(judged(overtaken(3), {3, {}}) == Verdict::pass);
  const auto outcome = check_lock_fairness(overtaken(4), {3, {}});
  REQUIRE(outcome.verdict == Verdict::fail);
  REQUIRE(outcome.operations.size() == 5);
  CHECK(outcome.operations[0].id == 1);
  CHECK(outcome.operations[4].id == 5);
}

TEST_CASE("requests that began within one doorway have no order") {
  const auto history = History().lock(0, 10, 60).lock(1, 20, 50);  // nanoseconds
  CHECK(judged(history, {0, 10_ns}) == Verdict::fail);
  CHECK(judged(history, {0, 11_ns}) == Verdict::pass);
}

TEST_CASE("readers do not overtake readers but they do overtake writers") {
  CHECK(judged(History().lock_shared(0, 1, 6).lock_shared(1, 2, 5)) == Verdict::pass);
  CHECK(judged(History().lock(0, 1, 6).lock_shared(1, 2, 5)) == Verdict::fail);
  CHECK(judged(History().lock_shared(0, 1, 6).lock(1, 2, 5)) == Verdict::fail);
}

TEST_CASE("a request that is pending may never have reached the queue") {
  CHECK(judged(History().lock(0, 1, kOpen).lock(1, 2, 3)) == Verdict::pass);
  CHECK(judged(History().lock(0, 1, 4).lock(1, 2, kOpen)) == Verdict::pass);
}

TEST_CASE("releases are no requests and reads are no business of a lock") {
  CHECK(judged(History().lock(0, 1, 2).unlock(0, 3, 8).lock(1, 4, 5)) == Verdict::pass);
  CHECK(judged(History().read(0, 0, 0, 1, 2)) == Verdict::undecided);
}

TEST_CASE("fairness agrees with counting all pairs on random histories") {
  RandomStream random(61, "fairness");
  Tally tally;
  for (int i = 0; i < some(300'000); ++i) {
    auto history = random_lock_history(random, 4 + random.below(8), 2 + random.below(4), 0.1);
    for (auto& operation : history) operation.invoked_at = Time::from_ps(static_cast<std::int64_t>(operation.invoked));
    const FairnessLimits limits{random.below(3), Duration::from_ps(static_cast<std::int64_t>(random.below(4)))};
    bool expected = true;
    for (const auto& a : history) {
      std::map<std::uint32_t, std::uint64_t> counts;  // by session
      for (const auto& b : history) {
        const bool requests = a.action != Action::unlock && b.action != Action::unlock;
        if (!requests || a.pending() || b.pending() || b.responded >= a.responded) continue;
        if (a.action == Action::lock_shared && b.action == Action::lock_shared) continue;
        const auto later = static_cast<std::int64_t>(b.invoked) - static_cast<std::int64_t>(a.invoked);
        if (later > 0 && later >= limits.doorway.ps()) ++counts[b.session];
      }
      for (const auto& [session, count] : counts) expected = expected && count <= limits.overtakings;
    }
    REQUIRE(check_lock_fairness(history, limits).verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.is_balanced());
}

}  // namespace lock_fairness_test

// Mutual exclusion from what clients see of a lock.
#include "tests/sim/checkers/reference/mutual_exclusion.hpp"

#include <catch2/catch.hpp>

#include "sim/checkers/linearizability_search.hpp"
#include "tests/sim/checkers/histories.hpp"
#include "tests/sim/checkers/reference/lock_specification.hpp"

namespace mutual_exclusion_test {

using namespace racksim::sim;
using namespace racksim::sim::checkers;

namespace {

Verdict judged(const History& history) {
  return check_mutual_exclusion(history).verdict;
}

}  // namespace

TEST_CASE("one holder after the other, and readers together, are fine") {
  CHECK(judged(History().lock(0, 1, 2).lock(1, 3, 6).unlock(0, 4, 5).unlock(1, 7, 8)) == Verdict::pass);
  // The second is granted before the first learns that it released: the release was invoked before.
  CHECK(judged(History().lock(0, 1, 2).lock(1, 3, 5).unlock(0, 4, 6)) == Verdict::pass);
  CHECK(judged(History().lock_shared(0, 1, 2).lock_shared(1, 3, 4).lock(2, 5, 9).unlock(0, 6, 7).unlock(1, 8, 10)) ==
        Verdict::pass);
}

TEST_CASE("two holders of which one is exclusive are a violation that names both") {
  CHECK(judged(History().lock(0, 1, 2).lock(1, 3, 4)) == Verdict::fail);
  CHECK(judged(History().lock_shared(0, 1, 2).lock(1, 3, 4)) == Verdict::fail);
  CHECK(judged(History().lock(0, 1, 2).lock_shared(1, 3, 4)) == Verdict::fail);
  CHECK(judged(History().lock(0, 1, 2).lock(0, 3, 4)) == Verdict::fail);
  const auto outcome = check_mutual_exclusion(History().lock(0, 1, 2).lock(1, 3, 5).unlock(0, 6, 7));
  REQUIRE(outcome.operations.size() == 2);
  CHECK(outcome.operations[0].id == 1);
  CHECK(outcome.operations[1].id == 2);
}

TEST_CASE("a lock that a crashed session may have been granted or released is not held for certain") {
  CHECK(judged(History().lock(0, 1, kOpen).lock(1, 2, 3)) == Verdict::pass);
  CHECK(judged(History().lock(0, 1, 2).unlock(0, 3, kOpen).lock(1, 4, 5)) == Verdict::pass);
  CHECK(judged(History().lock(0, 1, 2).unlock(0, 3, kOpen).lock(1, 4, 5).lock(2, 6, 7)) == Verdict::fail);
  CHECK(judged(History().lock(0, 1, 2).lock(1, 3, 4).unlock(0, 5, kOpen)) == Verdict::fail);
}

TEST_CASE("only a holder may release") {
  CHECK(judged(History().unlock(0, 1, 2)) == Verdict::fail);
  CHECK(judged(History().lock(0, 1, 2).unlock(1, 3, 4)) == Verdict::fail);
  CHECK(judged(History().lock(0, 1, 2).unlock(0, 3, 4).unlock(0, 5, 6)) == Verdict::fail);
  CHECK(judged(History().lock(0, 1, 2).unlock(0, 3, kOpen).unlock(0, 5, 6)) == Verdict::pass);
}

TEST_CASE("histories that the sweep cannot judge are undecided") {
  CHECK(judged(History().lock(0, 1, kOpen).unlock(0, 2, 3)) == Verdict::undecided);
  CHECK(judged(History().lock(0, 1, 3).unlock(0, 2, 4)) == Verdict::undecided);
  CHECK(judged(History().lock(0, 1, 2).unlock(0, 3, kOpen).lock(0, 4, 5).unlock(0, 6, 7).lock(1, 8, 9)) ==
        Verdict::pass);
  CHECK(judged(History().lock(0, 1, 2).unlock(0, 3, kOpen).lock(1, 4, 7).lock(0, 5, 8)) == Verdict::undecided);
  CHECK(judged(History().read(0, 0, 0, 1, 2)) == Verdict::undecided);
}

TEST_CASE("mutual exclusion agrees with the trial of all orders of a lock on random histories") {
  RandomStream random(51, "locks");
  const LockSpecification object;
  const auto act = [&](ObjectState& state, const Operation& operation) { return object.apply(state, operation); };
  Tally tally;
  int undecided = 0;
  for (int i = 0; i < some(500'000); ++i) {
    const auto history = random_lock_history(random, 3 + random.below(5), 2 + random.below(2), i % 2 == 0 ? 0.1 : 0);
    const auto verdict = check_mutual_exclusion(history).verdict;
    undecided += verdict == Verdict::undecided ? 1 : 0;
    if (verdict == Verdict::undecided) continue;
    const bool expected = some_order_explains(history, object.initial(0), in_real_time, act);
    INFO("history " << i);
    REQUIRE(verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.is_balanced());
  CHECK(undecided < some(100'000));
}

TEST_CASE("mutual exclusion and the general search agree on long histories") {
  RandomStream random(52, "locks");
  Tally tally;
  for (int i = 0; i < some(20'000); ++i) {
    const auto history = random_lock_history(random, 8 + random.below(8), 2 + random.below(3), i % 2 == 0 ? 0.05 : 0);
    const auto verdict = check_mutual_exclusion(history).verdict;
    if (verdict == Verdict::undecided) continue;
    REQUIRE(search_linearizable(history, LockSpecification(), 0).verdict == verdict);
    tally.count(verdict == Verdict::pass);
  }
  CHECK(tally.pass > 50);
  CHECK(tally.fail > 50);
}

}  // namespace mutual_exclusion_test

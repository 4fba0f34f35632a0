// Of requests for locks the oracle of bounded waiting counts overtakings as the checker of whole histories does.
#include <catch2/catch.hpp>
#include <vector>

#include "sim/oracles/bounded_waiting_oracle.hpp"
#include "tests/sim/checkers/histories.hpp"
#include "tests/sim/checkers/reference/lock_fairness.hpp"
#include "tests/sim/oracles/stories.hpp"

namespace lock_fairness_oracle_test {

using namespace racksim::sim;

namespace {

std::vector<Violation> complaints(const Story& story, std::uint64_t allowed) {
  NamedEventLog event_log;
  BoundedWaitingOracle oracle(event_log, {.overtakings = allowed}, Waiting::locks);
  tell(story, event_log, oracle);
  return oracle.violations();
}

/// Session 0 asks first and is granted last; session 1 gets the lock `times` times in between.
Story overtaken(std::uint64_t times, OperationKind winner, OperationKind loser = OperationKind::lock) {
  Teller story;
  story.lock(0, {1, 10 * times + 20}, loser);
  for (std::uint64_t i = 1; i <= times; ++i)
    story.lock(1, {10 * i, 10 * i + 1}, winner).unlock(1, {10 * i + 2, 10 * i + 3});
  return story;
}

}  // namespace

TEST_CASE("a request that is overtaken once more than allowed is reported once") {
  CHECK(complaints(overtaken(3, OperationKind::lock), 3).empty());
  const auto found = complaints(overtaken(5, OperationKind::lock), 3);
  REQUIRE(found.size() == 1);
  CHECK(found[0].oracle == "lock-fairness");
  CHECK(found[0].at == Time() + 41_ns);
  CHECK(found[0].what ==
        "lock session0 #1 on key 0x64, waiting since 1.000 ns, was overtaken 4 times by what session1 began later, 3 "
        "allowed; last by session1 #8 at 41.000 ns");
  CHECK(found[0].about.operations == std::vector<OperationId>{1, 8});
}

TEST_CASE("only those overtake who exclude the one that waits") {
  CHECK(complaints(overtaken(1, OperationKind::lock_shared), 0).size() == 1);
  CHECK(complaints(overtaken(1, OperationKind::lock_shared, OperationKind::lock_shared), 0).empty());
  CHECK(complaints(overtaken(1, OperationKind::lock, OperationKind::lock_shared), 0).size() == 1);
  // A try-lock does not wait, but overtakes.
  CHECK(complaints(overtaken(1, OperationKind::try_lock), 0).size() == 1);
  CHECK(complaints(overtaken(1, OperationKind::lock, OperationKind::try_lock), 0).empty());
  // Neither a refusal nor who asked before overtakes, and who has given up does not wait.
  CHECK(complaints(Teller().lock(0, {1, 9}).lock(1, {2, 3}, OperationKind::try_lock, false), 0).empty());
  CHECK(complaints(Teller().lock(1, {1, 5}).lock(0, {2, 9}), 0).empty());
  CHECK(complaints(Teller().lock(0, {1, Teller::kNever}).give_up(1, 3).lock(1, {4, 5}), 0).empty());
}

TEST_CASE("the worst case is counted") {
  NamedEventLog event_log;
  BoundedWaitingOracle oracle(event_log, {.overtakings = 2'000}, Waiting::locks);
  tell(overtaken(2'000, OperationKind::lock), event_log, oracle);
  CHECK(oracle.most_overtakings() == 2'000);
  CHECK(oracle.violation_count() == 0);
}

TEST_CASE("the oracle of lock fairness agrees with the checker of whole histories") {
  RandomStream random(17, "fairness");
  checkers::Tally tally;
  for (int i = 0; i < checkers::some(20'000); ++i) {
    const auto history = checkers::random_lock_history(random, 10, 4, 0);
    const auto allowed = random.below(2);
    const auto outcome = checkers::check_lock_fairness(history, {allowed, {}});
    REQUIRE(outcome.verdict != checkers::Verdict::undecided);
    Story story;
    for (const auto& o : history) {
      if (o.action == checkers::Action::unlock) continue;
      const auto kind = o.action == checkers::Action::lock ? OperationKind::lock : OperationKind::lock_shared;
      story.push_back({o.invoked, Observed::operation_begun, o.session, o.id, kind, Teller::kLock});
      story.push_back({o.responded, Observed::operation_ended, o.session, o.id, kind, Teller::kLock, 1});
    }
    INFO("history " << i);
    REQUIRE(complaints(story, allowed).empty() == (outcome.verdict == checkers::Verdict::pass));
    tally.count(outcome.verdict == checkers::Verdict::pass);
  }
  CHECK(tally.is_balanced());
}

}  // namespace lock_fairness_oracle_test

// The oracle of mutual exclusion: each kind of violation, and agreement with the checker of whole histories.
#include "sim/oracles/mutual_exclusion_oracle.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/sim/checkers/histories.hpp"
#include "tests/sim/checkers/reference/mutual_exclusion.hpp"
#include "tests/sim/oracles/stories.hpp"

namespace mutual_exclusion_oracle_test {

using namespace racksim::sim;

namespace {

constexpr auto kShared = OperationKind::lock_shared;

std::vector<Violation> held_against(const Story& story) {
  NamedEventLog event_log;
  MutualExclusionOracle oracle(event_log);
  tell(story, event_log, oracle);
  return oracle.violations();
}

}  // namespace

TEST_CASE("a lock that is held by one at a time, or shared, is fine") {
  CHECK(held_against(Teller().lock(0, {1, 2}).unlock(0, {3, 6}).lock(1, {4, 5}).unlock(1, {7, 8})).empty());
  CHECK(held_against(Teller()
                         .lock(0, {1, 2}, kShared)
                         .lock(1, {3, 4}, OperationKind::try_lock_shared)
                         .lock(2, {5, 6}, OperationKind::try_lock, false)
                         .unlock(0, {7, 8})
                         .unlock(1, {9, 10}))
            .empty());
}

TEST_CASE("two holders of whom one is exclusive are reported with both requests") {
  const auto both = held_against(Teller().lock(0, {1, 2}).lock(1, {3, 4}).unlock(0, {5, 6}).unlock(1, {7, 8}));
  REQUIRE(both.size() == 1);
  CHECK(both[0].oracle == "mutual-exclusion");
  CHECK(both[0].at == Time() + 4_ns);
  CHECK(both[0].what ==
        "lock 0x64: granted exclusively by session1 #2 (since 4.000 ns) while held exclusively by "
        "session0 #1 (since 2.000 ns)");
  CHECK(both[0].about.operations == std::vector<OperationId>{2, 1});
  CHECK(held_against(Teller().lock(0, {1, 2}, kShared).lock(1, {3, 4}).unlock(0, {5, 6}).unlock(1, {7, 8})).size() ==
        1);
  CHECK(held_against(Teller().lock(0, {1, 2}).lock(1, {3, 4}, kShared).unlock(0, {5, 6}).unlock(1, {7, 8})).size() ==
        1);
  CHECK(held_against(Teller().lock(0, {1, 2}).lock(0, {3, 4}).unlock(0, {5, 6}).unlock(0, {7, 8})).size() == 1);
}

TEST_CASE("an unlock by who does not hold the lock is a violation, unless an answer may have been lost") {
  const auto stranger = held_against(Teller().lock(0, {1, 2}).unlock(1, {3, 4}).unlock(0, {5, 6}));
  REQUIRE(stranger.size() == 1);
  CHECK(stranger[0].what == "lock 0x64: given back by session1 #2 at 3.000 ns, which did not hold it");
  CHECK(held_against(Teller().unlock(0, {5, 6})).size() == 1);
  CHECK(held_against(Teller().lock(0, {1, Teller::kNever}).give_up(1, 3).unlock(0, {5, 6})).empty());
  // It cannot have given it the lock twice.
  const auto again = Teller().lock(0, {1, Teller::kNever}).give_up(1, 3).unlock(0, {5, 6}).unlock(0, {7, 8});
  CHECK(held_against(again).size() == 1);
  CHECK(held_against(Teller(again).lock(0, {9, Teller::kNever}).give_up(4, 10).unlock(0, {11, 12})).size() == 1);
}

TEST_CASE("who has given up an unlock may still hold the lock, which may be freed in his name") {
  const auto freed = [](std::uint32_t by) {
    return held_against(Teller().lock(0, {1, 2}).unlock(0, {3, Teller::kNever}).give_up(2, 4).unlock(by, {5, 5}));
  };
  CHECK(freed(0).empty());
  CHECK(freed(1).size() == 1);
}

TEST_CASE("a lock that is held at the end is a violation") {
  const auto kept = held_against(Teller().lock(0, {1, 2}).unlock(0, {3, 4}).lock(1, {5, 6}, kShared));
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].what == "lock 0x64: still held shared by session1 #3 (since 6.000 ns) at the end");
}

TEST_CASE("the oracle of mutual exclusion agrees with the checker of whole histories") {
  RandomStream random(8, "locks");
  checkers::Tally tally;
  for (int i = 0; i < checkers::some(20'000); ++i) {
    const auto history = checkers::random_lock_history(random, 6, 3, 0);
    const auto outcome = checkers::check_mutual_exclusion(history);
    if (outcome.verdict == checkers::Verdict::undecided) continue;
    Story story;
    for (const auto& o : history) {
      const auto kind = o.action == checkers::Action::unlock ? OperationKind::unlock
                        : o.action == checkers::Action::lock ? OperationKind::lock
                                                             : OperationKind::lock_shared;
      const bool asks = kind != OperationKind::unlock;
      story.push_back({o.invoked, Observed::operation_begun, o.session, o.id, kind, Teller::kLock});
      story.push_back({o.responded, Observed::operation_ended, o.session, o.id, kind, Teller::kLock, asks ? 1U : 0U});
    }
    auto violations = held_against(story);
    std::erase_if(violations, [](const Violation& v) { return v.what.find("at the end") != std::string::npos; });
    INFO("history " << i);
    REQUIRE(violations.empty() == (outcome.verdict == checkers::Verdict::pass));
    tally.count(violations.empty());
  }
  CHECK(tally.is_balanced());
}

}  // namespace mutual_exclusion_oracle_test

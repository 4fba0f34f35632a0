// Checkers of whole histories as oracles of a run.
#include "sim/checkers/history_oracle.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/random/random.hpp"
#include "sim/random/zipf.hpp"

namespace history_oracle_test {

using namespace racksim::sim;
using namespace racksim::sim::checkers;

namespace {

constexpr auto kRead = OperationKind::read;
constexpr auto kWrite = OperationKind::write;

/// An event log with a recorder and all oracles; every call is one nanosecond after the one before.
struct Watched {
  EventLog event_log;
  std::vector<Source> sessions{event_log.add_source("node0/0"), event_log.add_source("node1/0"),
                               event_log.add_source("node2/0")};
  HistoryRecorder recorder;
  std::vector<std::unique_ptr<HistoryOracle>> oracles;
  Time now;
  std::uint64_t last = 0;

  explicit Watched(std::size_t budget = 1000) : recorder(budget) {
    event_log.attach(recorder);
    for (const auto& check : history_checks())
      oracles.push_back(std::make_unique<HistoryOracle>(check, recorder, event_log));
  }

  std::uint64_t begin(std::size_t session, OperationKind kind, std::uint64_t key, std::uint64_t value = 0) {
    record_begun(event_log, sessions[session], now += 1_ns, OperationId{++last}, kind, Key{key}, Value{value});
    return last;
  }
  void end(std::size_t session, std::uint64_t operation, OperationKind kind, std::uint64_t key, std::uint64_t value) {
    record_ended(event_log, sessions[session], now += 1_ns, OperationId{operation}, kind, Key{key}, Value{value});
  }
  void write(std::size_t session, std::uint64_t key, std::uint64_t value) {
    end(session, begin(session, kWrite, key, value), kWrite, key, value);
  }
  void read(std::size_t session, std::uint64_t key, std::uint64_t value) {
    end(session, begin(session, kRead, key), kRead, key, value);
  }

  void give_up(std::size_t session, std::uint64_t operation, OperationKind kind, std::uint64_t key,
               std::uint64_t value = 0) {
    record_given_up(event_log, sessions[session], now += 1_ns, OperationId{operation}, kind, Key{key}, Value{value});
  }

  /// The names of the violations, in the order of history_checks().
  std::vector<std::string> finish() {
    std::vector<std::string> names;
    for (const auto& oracle : oracles) {
      oracle->finish(now);
      for (const auto& violation : oracle->violations()) names.push_back(violation.oracle);
    }
    return names;
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a linearizable history passes every check") {
  Watched w;
  w.recorder.initial_value(2, 50);
  w.read(0, 2, 50);
  w.write(0, 1, 10);
  w.read(1, 1, 10);
  w.begin(2, kWrite, 1, 11);  // never ends
  w.read(1, 1, 11);
  w.read(0, 1, 11);
  CHECK(w.finish().empty());
}

TEST_CASE("each weaker promise is kept by a history that breaks the stronger ones") {
  Watched w;
  SECTION("nothing at all") {
    w.read(0, 1, 99);
    CHECK(w.finish() == Names{"linearizable", "sequential", "sessions", "stale-read"});
  }
  SECTION("stale but in session order") {
    w.write(0, 1, 10);
    w.read(1, 1, 0);
    CHECK(w.finish() == Names{"linearizable", "stale-read"});
  }
  SECTION("a write that is seen and then missed while it runs") {
    const auto write = w.begin(0, kWrite, 1, 10);
    w.read(1, 1, 10);
    w.read(2, 1, 0);
    w.end(0, write, kWrite, 1, 10);
    CHECK(w.finish() == Names{"linearizable"});
  }
  SECTION("seen and then missed by one session") {
    const auto write = w.begin(0, kWrite, 1, 10);
    w.read(1, 1, 10);
    w.read(1, 1, 0);
    w.end(0, write, kWrite, 1, 10);
    CHECK(w.finish() == Names{"linearizable", "sequential", "sessions"});
  }
}

TEST_CASE("a given-up write may take effect late or never, also for the session that gave it up") {
  Watched w;
  w.write(0, 1, 10);
  w.give_up(0, w.begin(0, kWrite, 1, 11), kWrite, 1, 11);
  w.read(0, 1, 10);
  w.write(0, 1, 12);
  w.read(0, 1, 12);
  SECTION("never") {
    CHECK(w.finish().empty());
  }
  SECTION("late") {
    w.read(0, 1, 11);
    w.read(1, 1, 11);
    CHECK(w.finish().empty());
  }
  SECTION("but not undone") {
    w.read(0, 1, 11);
    w.read(0, 1, 12);
    CHECK(w.finish() == Names{"linearizable", "sequential", "sessions"});  // 11 was never acknowledged
  }
}

TEST_CASE("a given-up read counts for nothing") {
  Watched w;
  w.write(0, 1, 10);
  w.give_up(0, w.begin(0, kRead, 1), kRead, 1);
  w.write(0, 1, 11);
  w.read(0, 1, 11);
  CHECK(w.finish().empty());
}

TEST_CASE("operations that a session has under way at once have no order among them") {
  Watched w;
  SECTION("a read beside a write of its own session") {
    const auto write = w.begin(0, kWrite, 1, 10);
    w.read(0, 1, 0);
    w.end(0, write, kWrite, 1, 10);
    w.read(0, 1, 10);
    CHECK(w.finish().empty());
  }
  SECTION("two reads that straddle a write") {
    const auto early = w.begin(0, kRead, 1), late = w.begin(0, kRead, 1);
    w.write(1, 1, 10);
    w.end(0, early, kRead, 1, 10);
    w.end(0, late, kRead, 1, 0);
    CHECK(w.finish().empty());
  }
  SECTION("two writes, the first begun taking effect last") {
    const auto first = w.begin(0, kWrite, 1, 10), second = w.begin(0, kWrite, 1, 11);
    w.end(0, second, kWrite, 1, 11);
    w.read(1, 1, 11);
    w.end(0, first, kWrite, 1, 10);
    w.read(0, 1, 10);
    CHECK(w.finish().empty());
  }
  SECTION("one that is given up beside one that ends") {
    const auto first = w.begin(0, kWrite, 1, 10), second = w.begin(0, kWrite, 1, 11);
    w.give_up(0, second, kWrite, 1, 11);
    w.read(1, 1, 11);
    w.end(0, first, kWrite, 1, 10);
    w.read(1, 1, 10);
    CHECK(w.finish().empty());
  }
  SECTION("those that follow each other do have one") {
    const auto other = w.begin(0, kRead, 1);
    w.write(0, 1, 10);
    w.read(0, 1, 0);
    w.end(0, other, kRead, 1, 0);
    CHECK(w.finish() == Names{"linearizable", "sequential", "sessions", "stale-read"});
    CHECK_THAT(w.oracles[2]->violations()[0].what, Catch::Contains("by n0/0 #"));
  }
}

TEST_CASE("a violation tells key, sessions, operations and when it was certain") {
  Watched w;
  w.write(0, 6, 10);
  w.read(1, 6, 0);
  w.write(0, 7, 11);
  w.finish();
  const auto& violations = w.oracles[3]->violations();
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].at == Time() + 4_ns);
  CHECK_THAT(violations[0].what, Catch::StartsWith("key 6: "));
  CHECK_THAT(violations[0].what, Catch::Contains("write of 10 to key 6 by n0/0 #1 (1.000 ns to 2.000 ns)"));
  CHECK_THAT(violations[0].what, Catch::Contains("read of key 6 by n1/0 #2, which returned 0 (3.000 ns to 4.000 ns)"));
}

TEST_CASE("each key that breaks a promise counts") {
  Watched w;
  for (std::uint64_t key = 1; key <= 30; ++key) w.read(0, key, 99);
  w.finish();
  CHECK(w.oracles[0]->violation_count() == 30);
  CHECK(w.oracles[0]->violations().size() == Oracle::kKept);
}

TEST_CASE("what could not be decided is a violation of its own name") {
  Watched w;
  w.write(0, 1, 10);
  w.write(1, 1, 10);  // not unique: found by search where there is one
  w.read(2, 1, 10);
  CHECK(w.finish() == Names{"undecided", "undecided"});
  CHECK_THAT(w.oracles[2]->violations().at(0).what, Catch::StartsWith("sessions: key 1: value 10 is not unique"));
  CHECK_THAT(w.oracles[3]->violations().at(0).what, Catch::StartsWith("stale-read: key 1: "));
}

TEST_CASE("a history of which each key is left out is undecided") {
  Watched w;
  for (int i = 0; i < 5; ++i)
    w.end(0, w.begin(0, OperationKind::fetch_and_add, 1, 1), OperationKind::fetch_and_add, 1, 0);
  CHECK(w.finish() == Names{"undecided", "undecided", "undecided", "undecided"});
  CHECK_THAT(w.oracles[0]->violations()[0].what, Catch::Contains("5 operations were not recorded"));
}

TEST_CASE("a violation of the most used key is found with a budget of a tenth, whichever key it is and however late") {
  const std::uint64_t hottest = GENERATE(range(0, 20));
  constexpr std::uint64_t kKeys = 500, kOperations = 20'000;
  Watched w(kOperations / 10);
  RandomStream random(hottest, "popularity");
  const Zipf popularity(kKeys, 0.7);
  std::map<std::uint64_t, std::uint64_t> last, uses;
  for (std::uint64_t i = 1; i <= kOperations; ++i) {
    const std::uint64_t key = (popularity(random) - 1 + hottest) % kKeys;
    ++uses[key];
    random.chance(0.5) ? w.write(0, key, last[key] = i) : w.read(i % 3, key, last[key]);
  }
  for (const auto& [key, count] : uses) REQUIRE((key == hottest || count < uses[hottest]));
  w.write(0, hottest, kOperations + 1);
  w.read(1, hottest, kOperations + 1);
  w.read(1, hottest, last[hottest]);
  const Names violated = w.finish();
  for (const char* promise : {"linearizable", "sequential", "stale-read"}) {
    CHECK_THAT(violated, Catch::VectorContains(std::string(promise)));
  }
}

TEST_CASE("the beginning of a history that is too long is judged, and keeps every promise that the whole one keeps") {
  Watched w(40);
  const auto late = w.begin(0, kRead, 1);
  for (std::uint64_t i = 1; i <= 100; ++i) w.write(1, 1, i);
  w.end(0, late, kRead, 1, 100);  // what was written behind the beginning
  CHECK(w.finish().empty());
  CHECK(w.recorder.recorded_operations() == 30);
  CHECK(w.recorder.dropped_operations() == 71);
}

TEST_CASE("an empty run passes") {
  Watched w;
  CHECK(w.finish().empty());
}

}  // namespace history_oracle_test

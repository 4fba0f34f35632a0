// Whatever begins ends, once, and not too late.
#include "sim/oracles/progress_oracle.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "sim/random/random.hpp"

namespace progress_oracle_test {

using namespace racksim::sim;

namespace {

constexpr auto kRead = OperationKind::read;
constexpr auto kWrite = OperationKind::write;

struct Watched {
  EventLog event_log;
  Source first = event_log.add_source("node0/thread0");
  Source second = event_log.add_source("node1/thread3");
  ProgressOracle oracle;

  explicit Watched(Duration patience = Duration::max()) : oracle(event_log, patience) { event_log.attach(oracle); }

  void begin(std::uint64_t operation, Duration at, OperationKind kind = kRead, std::uint64_t key = 5) {
    record_begun(event_log, operation % 2 == 0 ? second : first, Time() + at, OperationId{operation}, kind, Key{key});
  }
  void end(std::uint64_t operation, Duration at) {
    record_ended(event_log, operation % 2 == 0 ? second : first, Time() + at, OperationId{operation}, kRead, 5, 0);
  }
  void give_up(std::uint64_t operation, Duration at, OperationKind kind = kRead) {
    record_given_up(event_log, operation % 2 == 0 ? second : first, Time() + at, OperationId{operation}, kind, 5, 0);
  }
};

}  // namespace

TEST_CASE("a run whose operations all end is fine") {
  Watched w;
  w.begin(1, 1_ns);
  w.begin(2, 1_ns);
  w.end(2, 2_ns);
  w.begin(4, 2_ns);
  w.end(1, 3_ns);
  w.end(4, 9_ns);
  w.oracle.finish(Time() + 10_ns);
  CHECK(w.oracle.violation_count() == 0);
  CHECK(w.oracle.pending().empty());
}

TEST_CASE("an operation that never ends is named with its session, key and beginning") {
  Watched w;
  w.begin(1, 1_ns);
  w.begin(2, 2_ns, kWrite, 77);
  w.begin(3, 3_ns);
  w.end(1, 4_ns);
  w.end(3, 5_ns);
  w.oracle.finish(Time() + 1_us);
  REQUIRE(w.oracle.violation_count() == 1);
  CHECK(w.oracle.violations()[0].oracle == "progress");
  CHECK(w.oracle.violations()[0].at == Time() + 1_us);
  CHECK(w.oracle.violations()[0].what == "write n1.t3 #2 on key 0x4d, begun at 2.000 ns, never ended");
  CHECK(w.oracle.violations()[0].about.key == 77);
  CHECK(w.oracle.violations()[0].about.operations == std::vector<OperationId>{2});
}

TEST_CASE("pending operations are listed, the longest-waiting first") {
  Watched w;
  for (std::uint64_t i = 1; i <= 5; ++i) w.begin(i, 1_ns * static_cast<std::int64_t>(i));
  w.end(3, 6_ns);
  w.end(1, 6_ns);
  w.begin(6, 7_ns);
  const auto pending = w.oracle.pending();
  REQUIRE(pending.size() == 4);
  CHECK(w.oracle.pending_count() == 4);
  CHECK(pending[0].operation == 2);
  CHECK(pending[0].since == Time() + 2_ns);
  CHECK(pending[0].session == w.second);
  CHECK(pending[1].operation == 4);
  CHECK(pending[2].operation == 5);
  CHECK(pending[3].operation == 6);
}

TEST_CASE("an operation may last as long as the patience and not a picosecond longer") {
  const bool late = GENERATE(false, true);
  Watched w(100_ns);
  w.begin(1, 1_ns);
  w.end(1, late ? 101'001_ps : 101_ns);
  CHECK(w.oracle.violation_count() == (late ? 1 : 0));
  if (late) {
    CHECK(w.oracle.violations()[0].at == Time() + 101_ns);
    CHECK(w.oracle.violations()[0].what ==
          "read n0.t0 #1 on key 0x5, begun at 1.000 ns, is still pending after 100.000 ns");
  }
}

TEST_CASE("each late operation is reported once, as soon as time moves on") {
  Watched w(10_ns);
  w.begin(1, 1_ns);
  w.begin(2, 2_ns);
  w.begin(3, 3_ns);
  w.end(1, 4_ns);
  w.oracle.advance(Time() + 12_ns);
  CHECK(w.oracle.violation_count() == 0);
  w.oracle.advance(Time() + 13_ns);
  CHECK(w.oracle.violation_count() == 1);  // 2, since 12 ns
  w.begin(5, 20_ns);
  CHECK(w.oracle.violation_count() == 2);  // 3, since 13 ns
  w.end(2, 21_ns);
  w.end(3, 22_ns);
  w.end(5, 23_ns);
  w.oracle.finish(Time() + 1_us);
  CHECK(w.oracle.violation_count() == 2);
}

TEST_CASE("ending twice, ending unbegun and beginning twice are violations") {
  Watched w;
  w.begin(1, 1_ns);
  w.begin(1, 2_ns);
  CHECK(w.oracle.violation_count() == 1);
  CHECK_THAT(w.oracle.violations()[0].what, Catch::Contains("began a second time"));
  w.end(1, 3_ns);
  w.end(1, 4_ns);
  CHECK(w.oracle.violation_count() == 2);
  CHECK_THAT(w.oracle.violations()[1].what, Catch::Contains("but was not pending"));
  w.end(8, 5_ns);
  CHECK(w.oracle.violation_count() == 3);
}

TEST_CASE("an operation that its session gives up is pending no longer") {
  Watched w(100_ns);
  w.begin(1, 1_ns, kWrite);
  w.begin(2, 2_ns);
  w.give_up(1, 50_ns, kWrite);
  REQUIRE(w.oracle.pending_count() == 1);
  CHECK(w.oracle.pending()[0].operation == 2);
  w.give_up(2, 60_ns);
  w.oracle.finish(Time() + 1_us);
  CHECK(w.oracle.violation_count() == 0);
}

TEST_CASE("to give up after the patience is too late") {
  Watched w(10_ns);
  w.begin(1, 1_ns);
  w.give_up(1, 12_ns);
  CHECK(w.oracle.violation_count() == 1);
}

TEST_CASE("what is given up cannot end, and what has ended cannot be given up") {
  Watched w;
  w.begin(1, 1_ns);
  w.give_up(1, 2_ns);
  w.end(1, 3_ns);
  CHECK(w.oracle.violation_count() == 1);
  w.give_up(1, 4_ns);
  CHECK(w.oracle.violation_count() == 2);
  w.begin(2, 5_ns);
  w.end(2, 6_ns);
  w.give_up(2, 7_ns);
  CHECK(w.oracle.violation_count() == 3);
  CHECK_THAT(w.oracle.violations()[2].what, Catch::Contains("but was not pending"));
}

TEST_CASE("the pending operations and the late ones agree with a plain map over random runs") {
  RandomStream random(2, "progress");
  constexpr auto kPatience = 300_ns;
  Watched w(kPatience);
  std::map<std::uint64_t, Duration> pending;  // ids grow with time: this is the order of beginning
  std::uint64_t late = 0;
  std::uint64_t next_id = 1;
  Duration now;
  for (int i = 0; i < 20'000; ++i) {
    const auto before = now;
    now += Duration::from_ps(static_cast<std::int64_t>(random.below(20'000)));
    for (const auto& [id, since] : pending) late += since + kPatience >= before && since + kPatience < now ? 1 : 0;
    if (pending.empty() || (pending.size() < 40 && random.chance(0.5))) {
      pending[next_id] = now;
      w.begin(next_id++, now);
    } else {
      const auto chosen = std::next(pending.begin(), static_cast<std::ptrdiff_t>(random.below(pending.size())));
      w.end(chosen->first, now);
      pending.erase(chosen);
    }
    REQUIRE(w.oracle.violation_count() == late);
    const auto seen = w.oracle.pending();
    REQUIRE(seen.size() == pending.size());
    REQUIRE(std::equal(seen.begin(), seen.end(), pending.begin(), [](const auto& a, const auto& b) {
      return a.operation == b.first && a.since == Time() + b.second;
    }));
  }
  CHECK(late > 100);
}

}  // namespace progress_oracle_test

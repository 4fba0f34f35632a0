// The data-value oracle accepts what a register could have done and nothing else: known examples here, comparison with
// exhaustive search in data_value_reference_test.cpp.
#include "sim/oracles/data_value_oracle.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/random/random.hpp"

namespace data_value_oracle_test {

using namespace racksim::sim;

namespace {

constexpr auto kRead = OperationKind::read;
constexpr auto kWrite = OperationKind::write;

/// An oracle at an event log; every call is one nanosecond after the one before.
struct Watched {
  EventLog event_log;
  std::vector<Source> sessions;
  DataValueOracle oracle;
  Time now;

  explicit Watched(std::size_t value_limit = 1024) : oracle(event_log, value_limit) {
    for (int i = 0; i < 8; ++i) sessions.push_back(event_log.add_source("session" + std::to_string(i)));
    event_log.attach(oracle);
  }

  void begin_write(std::uint64_t operation, std::uint64_t value, std::uint64_t key = 1) {
    record_begun(event_log, sessions[operation % 8], tick(), OperationId{operation}, kWrite, Key{key}, Value{value});
  }
  void begin_read(std::uint64_t operation, std::uint64_t key = 1) {
    record_begun(event_log, sessions[operation % 8], tick(), OperationId{operation}, kRead, Key{key});
  }
  void end_write(std::uint64_t operation, std::uint64_t value, std::uint64_t key = 1) {
    record_ended(event_log, sessions[operation % 8], tick(), OperationId{operation}, kWrite, Key{key}, Value{value});
  }
  void end_read(std::uint64_t operation, std::uint64_t value, std::uint64_t key = 1) {
    record_ended(event_log, sessions[operation % 8], tick(), OperationId{operation}, kRead, Key{key}, Value{value});
  }
  void give_up_read(std::uint64_t operation, std::uint64_t key = 1) {
    record_given_up(event_log, sessions[operation % 8], tick(), OperationId{operation}, kRead, Key{key}, 0);
  }
  void give_up_write(std::uint64_t operation, std::uint64_t value, std::uint64_t key = 1) {
    record_given_up(event_log, sessions[operation % 8], tick(), OperationId{operation}, kWrite, Key{key}, Value{value});
  }
  void write(std::uint64_t operation, std::uint64_t value, std::uint64_t key = 1) {
    begin_write(operation, value, key);
    end_write(operation, value, key);
  }
  void read(std::uint64_t operation, std::uint64_t value, std::uint64_t key = 1) {
    begin_read(operation, key);
    end_read(operation, value, key);
  }
  bool passes() const { return oracle.violation_count() == 0; }

 private:
  Time tick() { return now += 1_ns; }
};

}  // namespace

TEST_CASE("reads of the last value written one after the other are fine") {
  Watched w;
  w.read(1, 0);
  w.write(2, 10);
  w.read(3, 10);
  w.read(4, 10);
  w.write(5, 11);
  w.read(6, 11);
  w.read(7, 0, 99);  // another key
  CHECK(w.passes());
}

TEST_CASE("a value that nobody wrote is a violation") {
  Watched w;
  w.read(1, 5);
  CHECK_FALSE(w.passes());
}

TEST_CASE("a stale read is reported as it ends, with the key, the session and what it could return") {
  Watched w;
  w.write(1, 10, 6);
  w.write(2, 11, 6);
  w.begin_read(3, 6);
  CHECK(w.passes());
  w.end_read(3, 10, 6);
  REQUIRE(w.oracle.violation_count() == 1);
  CHECK(w.oracle.violations()[0].oracle == "data-value");
  CHECK(w.oracle.violations()[0].at == Time() + 6_ns);
  CHECK(w.oracle.violations()[0].what ==
        "key 0x6: read by session3 #3 (5.000 ns), ended at 6.000 ns, returned value 10, which had been "
        "overwritten before the read began, or which no write had begun to write; it could return 11");
  CHECK(w.oracle.violations()[0].about.key == 6);
  CHECK(w.oracle.violations()[0].about.operations == std::vector<OperationId>{3});
}

TEST_CASE("the initial value is stale after the first write") {
  Watched w;
  w.write(1, 10);
  w.read(2, 0);
  CHECK_FALSE(w.passes());
}

TEST_CASE("warm-up's value is what the first read sees") {
  Watched w;
  w.oracle.initial_value(1, 33);
  w.oracle.initial_value(2, 34);
  w.read(1, 33);
  CHECK(w.passes());
  w.read(2, 0, 2);
  CHECK_FALSE(w.passes());
  CHECK_THROWS_WITH(w.oracle.initial_value(1, 35), Catch::Contains("key 0x1 already has a history"));
}

TEST_CASE("a read may return the value of a write that is under way, and then it has taken effect") {
  Watched w;
  w.begin_write(1, 10);
  w.read(2, 0);
  w.read(3, 10);
  CHECK(w.passes());
  w.read(4, 0);
  REQUIRE_FALSE(w.passes());
  CHECK_THAT(w.oracle.violations()[0].what, Catch::Contains("returned value 0, which had been overwritten"));
}

TEST_CASE("a write that never ends may take effect late or never") {
  const bool late = GENERATE(false, true);
  Watched w;
  w.begin_write(1, 10);
  w.write(2, 11);
  w.read(3, 11);
  w.write(4, 12);
  w.read(5, 12);
  if (late) {
    w.read(6, 10);
    w.read(7, 10);
  }
  CHECK(w.passes());
  if (late) {
    w.read(8, 12);  // but then it overwrote 12
    CHECK_FALSE(w.passes());
  }
}

TEST_CASE("a read cannot return a value before its write begins") {
  Watched w;
  w.read(1, 10);
  w.write(2, 10);
  CHECK_FALSE(w.passes());
}

TEST_CASE("two concurrent writes may end in either order, but all readers see the same one") {
  const bool same = GENERATE(false, true);
  Watched w;
  w.begin_write(1, 10);
  w.begin_write(2, 11);
  w.end_write(1, 10);
  w.end_write(2, 11);
  w.read(3, 10);
  w.read(4, same ? 10 : 11);
  CHECK(w.passes() == same);
}

TEST_CASE("concurrent reads may straddle a write, later ones may not go back") {
  Watched w;
  w.write(1, 10);
  w.begin_read(2);
  w.begin_read(3);
  w.begin_write(4, 11);
  w.end_read(2, 11);
  w.end_read(3, 10);  // began before the write: may be ordered before it
  CHECK(w.passes());
  w.begin_read(5);  // begins after a read of 11 ended
  w.end_read(5, 10);
  CHECK_FALSE(w.passes());
}

TEST_CASE("a violation between pending operations names both values and their operations") {
  Watched w;
  w.begin_read(1);    // keeps everything that follows in view
  w.write(2, 10);     // 2, 3 ns
  w.write(3, 11);     // 4, 5 ns
  w.begin_read(4);    // 6 ns
  w.end_read(4, 10);  // 7 ns
  REQUIRE(w.oracle.violation_count() == 1);
  CHECK(w.oracle.violations()[0].what ==
        "key 0x1: read by session4 #4 (6.000 ns), ended at 7.000 ns, returned value 10, but value 11 came "
        "after it: session2 #2 (3.000 ns) had to do with value 10 and ended before session3 #3 "
        "(4.000 ns) had to do with value 11, and that value was complete before the read began");
  CHECK(w.oracle.violations()[0].about.operations == std::vector<OperationId>{4, 2, 3});
}

TEST_CASE("a lost update shows at the next read") {
  Watched w;
  w.begin_write(1, 10);
  w.begin_write(2, 11);
  w.end_write(2, 11);
  w.read(3, 11);
  w.end_write(1, 10);
  w.read(4, 10);  // 10 took effect last
  CHECK(w.passes());
  w.write(5, 12);
  w.read(6, 10);  // the acknowledged write of 12 is lost
  CHECK_FALSE(w.passes());
}

TEST_CASE("the operations of one instant count in the order of recording") {
  EventLog event_log;
  const auto session = event_log.add_source("session");
  DataValueOracle oracle(event_log);
  event_log.attach(oracle);
  record_begun(event_log, session, Time(), 1, kWrite, 1, 10);
  record_ended(event_log, session, Time(), 1, kWrite, 1, 10);
  record_begun(event_log, session, Time(), 2, kRead, 1);
  record_ended(event_log, session, Time(), 2, kRead, 1, 0);
  CHECK(oracle.violation_count() == 1);
}

TEST_CASE("a key counts once, and its violation leaves other keys alone") {
  Watched w;
  for (std::uint64_t i = 0; i < 10; ++i) w.read(i + 1, 77);
  CHECK(w.oracle.violation_count() == 1);
  w.write(20, 10, 2);
  w.read(21, 10, 2);
  CHECK(w.oracle.violation_count() == 1);
  w.read(22, 11, 2);
  CHECK(w.oracle.violation_count() == 2);
}

TEST_CASE("a value that two pending writes carry is reported") {
  Watched w;
  w.begin_write(1, 10);
  w.begin_write(2, 10);
  REQUIRE_FALSE(w.passes());
  CHECK_THAT(w.oracle.violations()[0].what, Catch::Contains("writes value 10, which another write carries already"));
}

TEST_CASE("what no recorder may record is refused with a reason") {
  Watched w;
  CHECK_THROWS_WITH(w.begin_write(1, 0), Catch::Contains("given value 0"));
  CHECK_THROWS_WITH(w.begin_write(1, std::uint64_t{1} << 63), Catch::Contains("[1, 2^63)"));
  w.write(1, 10);
  CHECK_THROWS_WITH(record_begun(w.event_log, w.sessions[0], Time(), 9, kRead, 1),
                    Catch::Contains("was recorded after"));
}

TEST_CASE("fences and locks have no value") {
  Watched w;
  record_begun(w.event_log, w.sessions[0], w.now, 9, OperationKind::fence, 0);
  record_begun(w.event_log, w.sessions[1], w.now, 10, OperationKind::lock, 1);
  record_lock_ended(w.event_log, w.sessions[1], w.now, 10, OperationKind::lock, 1, true);
  w.read(1, 0);
  CHECK(w.passes());
}

TEST_CASE("a key is not judged from its first atomic operation on") {
  Watched w;
  w.write(1, 10);
  record_begun(w.event_log, w.sessions[0], w.now, 9, OperationKind::compare_and_swap, 1, 11);
  record_atomic_ended(w.event_log, w.sessions[0], w.now, 9, OperationKind::compare_and_swap, 1, 10, true);
  w.read(2, 99);
  CHECK(w.passes());
  CHECK(w.oracle.unjudged_keys() == 1);
  w.read(3, 99, 2);
  CHECK_FALSE(w.passes());
}

TEST_CASE("keys at rest need no history, however many there were") {
  Watched w;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    w.write(2 * i + 1, i + 1, i % 5'000);
    w.read(2 * i + 2, i + 1, i % 5'000);
    REQUIRE(w.oracle.open_keys() == 0);
  }
  CHECK(w.oracle.keys() == 5'000);
  CHECK(w.passes());
}

TEST_CASE("keys that are only read need no memory once the reads are over, whether writes may be lost or not") {
  for (const bool losses : {false, true}) {
    Watched w;
    if (losses) w.oracle.expect_losses();
    w.oracle.initial_value(7, 70);
    for (std::uint64_t i = 1; i <= 1'000; ++i) {
      w.read(2 * i, 0, 1'000 + i);
      w.begin_read(2 * i + 1, 1'000 + i);
      CHECK(w.oracle.keys() == 2);
      w.give_up_read(2 * i + 1, 1'000 + i);
    }
    w.read(3'000, 70, 7);
    CHECK(w.oracle.keys() == 1);
    CHECK(w.oracle.open_keys() == 0);
    CHECK(w.passes());
    w.read(3'001, 5, 1'001);
    CHECK_FALSE(w.passes());
  }
}

TEST_CASE("a read that hangs for too long is given up, and its key is still checked") {
  Watched w(100);
  w.begin_read(1);
  for (std::uint64_t i = 1; i <= 1'000; ++i) w.write(i + 1, i);
  CHECK(w.oracle.unchecked_reads() == 1);
  CHECK(w.oracle.open_keys() == 0);
  w.end_read(1, 12345);  // not checked
  CHECK(w.passes());
  w.read(2'000, 999);
  CHECK_FALSE(w.passes());
}

TEST_CASE("a read that its session gives up does not count, and its key settles again") {
  Watched w;
  w.write(1, 10);
  w.begin_read(2);
  w.write(3, 11);
  w.write(4, 12);
  CHECK(w.oracle.open_keys() == 1);  // the read may return any of them
  w.give_up_read(2);
  CHECK(w.oracle.open_keys() == 0);
  CHECK(w.oracle.unchecked_reads() == 0);  // its session did it, not the oracle
  w.end_read(2, 777);                      // too late to matter: the progress oracle reports it
  CHECK(w.passes());
  w.read(5, 11);
  CHECK_FALSE(w.passes());
}

TEST_CASE("a given-up read leaves the reads beside it as they were") {
  Watched w;
  w.write(1, 10);
  w.begin_read(2);
  w.begin_read(3);
  w.write(4, 11);
  w.give_up_read(2);
  const bool stale = GENERATE(false, true);
  w.end_read(3, 10);
  CHECK(w.passes());
  w.read(5, stale ? 10 : 11);
  CHECK(w.passes() == !stale);
}

TEST_CASE("a write that its session gives up may take effect at any later time, once, or never") {
  Watched w;
  w.begin_write(1, 10);
  w.give_up_write(1, 10);
  w.read(2, 0);
  w.write(3, 11);
  w.read(4, 11);
  CHECK(w.passes());
  SECTION("never") {
    w.write(5, 12);
    w.read(6, 12);
    CHECK(w.passes());
  }
  SECTION("late, and then it is the value") {
    w.read(5, 10);
    w.read(6, 10);
    CHECK(w.passes());
    w.read(7, 11);
    CHECK_FALSE(w.passes());
  }
  SECTION("not again after it was overwritten") {
    w.read(5, 10);
    w.write(6, 12);
    w.read(7, 10);
    CHECK_FALSE(w.passes());
  }
}

TEST_CASE("giving up what is not pending changes nothing") {
  Watched w;
  w.give_up_read(1);  // of a key that was never used
  w.write(2, 10);
  w.give_up_read(3);
  w.give_up_write(2, 10);
  CHECK(w.oracle.open_keys() == 0);
  w.read(4, 10);
  CHECK(w.passes());
  w.read(5, 0);
  REQUIRE(w.oracle.violation_count() == 1);
  w.begin_read(6);
  w.give_up_read(6);  // of a key that is not checked any more
  CHECK(w.oracle.violation_count() == 1);
}

}  // namespace data_value_oracle_test

// Values at rest: hand-made histories and states in which each promise holds, and is violated once.
#include "sim/oracles/values_at_rest_oracle.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/oracles/data_value_oracle.hpp"

namespace values_at_rest_oracle_test {

using namespace racksim::sim;
using Catch::Contains;

namespace {

constexpr auto kRead = OperationKind::read;
constexpr auto kWrite = OperationKind::write;
constexpr std::uint64_t kKey = 5;
constexpr auto kClean = CopyState::clean;
constexpr auto kDirty = CopyState::dirty;

/// A history, in which every call is one nanosecond after the one before, and the oracle that judges what it is shown.
struct AtRest {
  EventLog event_log;
  Source session = event_log.add_source("session");
  DataValueOracle history{event_log};
  ValuesAtRestOracle oracle{history};
  Time now;

  AtRest() { event_log.attach(history); }

  void begin_write(std::uint64_t operation, std::uint64_t value, std::uint64_t key = kKey) {
    record_begun(event_log, session, tick(), OperationId{operation}, kWrite, Key{key}, Value{value});
  }
  void end_write(std::uint64_t operation, std::uint64_t value, std::uint64_t key = kKey) {
    record_ended(event_log, session, tick(), OperationId{operation}, kWrite, Key{key}, Value{value});
  }
  void give_up_write(std::uint64_t operation, std::uint64_t value, std::uint64_t key = kKey) {
    record_given_up(event_log, session, tick(), OperationId{operation}, kWrite, Key{key}, Value{value});
  }
  void write(std::uint64_t operation, std::uint64_t value, std::uint64_t key = kKey) {
    begin_write(operation, value, key);
    end_write(operation, value, key);
  }
  void read(std::uint64_t operation, std::uint64_t value, std::uint64_t key = kKey) {
    begin_read(operation, key);
    record_ended(event_log, session, tick(), OperationId{operation}, kRead, Key{key}, Value{value});
  }
  void begin_read(std::uint64_t operation, std::uint64_t key = kKey) {
    record_begun(event_log, session, tick(), OperationId{operation}, kRead, Key{key});
  }
  void home(std::uint64_t value) { oracle.home(Key{kKey}, Value{value}); }
  void copy(std::uint32_t node, std::uint64_t value, CopyState state = kClean) {
    oracle.copy(Key{kKey}, Holder::node(node), Value{value}, state);
  }
  /// What the oracle says, one violation a line.
  std::string verdict() {
    oracle.finish(tick());
    std::string text;
    for (const Violation& violation : oracle.violations()) {
      CHECK(violation.oracle == "values-at-rest");
      CHECK(violation.about.key == kKey);
      text += violation.what + "\n";
    }
    return text;
  }

 private:
  Time tick() { return now += 1_ns; }
};

}  // namespace

TEST_CASE("copies that equal their home, which has the last write, are right") {
  AtRest a;
  a.write(1, 10);
  a.write(2, 11);
  a.home(11);
  a.copy(2, 11);
  a.copy(3, 11);
  a.oracle.copy(Key{kKey}, Holder::network_switch(), 11, kClean);
  CHECK(a.verdict() == "");
}

TEST_CASE("a key that was never written is right while home and copies have never been written") {
  AtRest a;
  a.read(1, 0);
  a.copy(0, 0);
  a.oracle.copy(Key{kKey + 1}, Holder::node(0), 0, kClean);  // of which the history knows nothing
  CHECK(a.verdict() == "");
}

TEST_CASE("a home that has an earlier write is a violation") {
  AtRest a;
  a.write(1, 10);
  a.write(2, 11);
  a.home(10);
  CHECK(a.verdict() == "key 0x5: its home has value 10, but the last write wrote 11\n");
}

TEST_CASE("a written key of which nothing is shown is a violation: its home has never been written") {
  AtRest a;
  a.write(1, 10);
  CHECK(a.verdict() == "key 0x5: its home has value 0, but the last write wrote 10\n");
}

TEST_CASE("a home of a key that nobody has written is a violation") {
  AtRest a;
  a.home(10);
  CHECK(a.verdict() == "key 0x5: its home has value 10, but the last write wrote 0\n");
}

TEST_CASE("a value from warm-up is the last write until another one") {
  for (const bool stale : {false, true}) {
    AtRest a;
    a.history.initial_value(Key{kKey}, 7);
    if (stale) a.write(1, 10);
    a.home(7);
    CHECK((a.verdict() == "") == !stale);
  }
}

TEST_CASE("clean copies that differ from their home are violations, those in the switch too") {
  AtRest a;
  a.write(1, 10);
  a.write(2, 11);
  a.home(11);
  a.copy(1, 11);
  a.copy(2, 10);
  a.oracle.copy(Key{kKey}, Holder::network_switch(), 10, kClean);
  CHECK(a.verdict() ==
        "key 0x5: node 2 holds a clean copy of value 10, but its home has 11\n"
        "key 0x5: the switch holds a clean copy of value 10, but its home has 11\n");
}

TEST_CASE("clean copies that differ from one another are a violation even while either value may be the last") {
  AtRest a;
  a.begin_write(1, 10);
  a.begin_write(2, 11);
  a.end_write(1, 10);
  a.end_write(2, 11);
  a.home(11);
  a.copy(1, 11);
  a.copy(2, 10);
  CHECK(a.verdict() == "key 0x5: node 2 holds a clean copy of value 10, but its home has 11\n");
}

TEST_CASE("the home of a key that is held dirty may be older, and the dirty copy must have the last write") {
  {
    AtRest a;
    a.write(1, 10);
    a.write(2, 11);
    a.home(10);
    a.copy(3, 11, kDirty);
    CHECK(a.verdict() == "");
  }
  AtRest a;
  a.write(1, 10);
  a.write(2, 11);
  a.home(11);
  a.copy(3, 10, kDirty);
  CHECK(a.verdict() == "key 0x5: node 3, which holds it dirty, has value 10, but the last write wrote 11\n");
}

TEST_CASE("two dirty copies of a key are a violation, whatever their values") {
  AtRest a;
  a.write(1, 10);
  a.copy(3, 10, kDirty);
  a.copy(1, 10, kDirty);
  CHECK(a.verdict() == "key 0x5: node 1 and node 3 both hold it dirty, with values 10 and 10\n");
}

TEST_CASE("a clean copy beside a dirty one must have its value") {
  AtRest a;
  a.write(1, 10);
  a.write(2, 11);
  a.home(10);
  a.copy(3, 11, kDirty);
  a.copy(1, 11);
  a.copy(2, 10);
  CHECK(a.verdict() == "key 0x5: node 2 holds a clean copy of value 10, but node 3, which holds it dirty, has 11\n");
}

TEST_CASE("of concurrent last writes either may have been the last, and none before them") {
  for (const std::uint64_t value : {10, 11, 12}) {
    AtRest a;
    a.write(1, 10);
    a.begin_write(2, 11);
    a.begin_write(3, 12);
    a.end_write(2, 11);
    a.end_write(3, 12);
    a.home(value);
    CHECK(a.verdict() ==
          (value == 10 ? "key 0x5: its home has value 10, but the last write wrote one of 11, 12\n" : ""));
  }
}

TEST_CASE("a read that has seen which of two concurrent writes was the last decides between them") {
  AtRest a;
  a.begin_write(1, 10);
  a.begin_write(2, 11);
  a.end_write(1, 10);
  a.end_write(2, 11);
  a.read(3, 10);
  a.home(11);
  CHECK(a.verdict() == "key 0x5: its home has value 11, but the last write wrote 10\n");
}

TEST_CASE("a write that was given up, or never ended, may have taken effect or not") {
  for (const bool given_up : {false, true}) {
    for (const std::uint64_t value : {9, 10, 11}) {
      AtRest a;
      a.write(1, 9);
      a.write(2, 10);
      a.begin_write(3, 11);
      if (given_up) a.give_up_write(3, 11);
      a.home(value);
      CHECK((a.verdict() == "") == (value != 9));
    }
  }
}

TEST_CASE("a read that never ended does not make an overwritten value the last") {
  AtRest a;
  a.write(1, 10);
  a.begin_read(2);
  a.write(3, 11);
  a.home(10);
  CHECK(a.verdict() == "key 0x5: its home has value 10, but the last write wrote 11\n");
}

TEST_CASE("nothing is said of what went with a crash that the protocol does not survive") {
  AtRest a;
  a.write(1, 10);
  a.home(9);
  a.copy(2, 8);
  a.oracle.lost(Key{kKey});
  CHECK(a.verdict() == "");
}

TEST_CASE("a key whose history is no linearizable one is judged for agreement alone") {
  AtRest a;
  a.write(1, 10);
  a.write(2, 11);
  a.read(3, 10);
  REQUIRE(a.history.violation_count() == 1);
  a.home(10);
  a.copy(2, 11);
  CHECK(a.verdict() == "key 0x5: node 2 holds a clean copy of value 11, but its home has 10\n");
}

TEST_CASE("pieces of one item that have its value are one copy, and each that has another is told once") {
  AtRest a;
  a.write(1, 10);
  a.write(2, 11);
  a.home(11);
  for (const std::uint64_t value : {11, 10, 11, 10})
    a.oracle.copy(Key{kKey}, Holder::network_switch(), Value{value}, kClean);
  CHECK(a.verdict() == "key 0x5: the switch holds a clean copy of value 10, but its home has 11\n");
}

TEST_CASE("violations come in the order of their keys, however they were shown") {
  AtRest a;
  for (const std::uint64_t key : {9, 3, 7}) a.oracle.home(Key{key}, 1);
  a.oracle.finish(Time{});
  REQUIRE(a.oracle.violations().size() == 3);
  CHECK(a.oracle.violations()[0].about.key == 3);
  CHECK(a.oracle.violations()[2].about.key == 9);
}

}  // namespace values_at_rest_oracle_test

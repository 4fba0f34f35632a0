// Timeouts with and without a fault that explains them.
#include "sim/oracles/served_oracle.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

namespace served_oracle_test {

using namespace racksim::sim;

namespace {

constexpr auto kTimeout = SentAgain::timeout;
constexpr auto kTransport = SentAgain::transport_timeout;

/// Keys share a fate with those of the same last digit.
std::optional<std::uint64_t> last_digit(std::uint64_t key) {
  return key % 10;
}

struct Served {
  explicit Served(ServedRules rules = {}) : oracle(event_log, std::move(rules)) { event_log.attach(oracle); }

  void begin(std::uint64_t operation, Duration at, std::uint64_t key = 5) {
    record_begun(event_log, session, Time() + at, OperationId{operation}, OperationKind::read, Key{key});
  }
  void end(std::uint64_t operation, Duration at) {
    record_ended(event_log, session, Time() + at, OperationId{operation}, OperationKind::read, 5, 0);
  }
  void give_up(std::uint64_t operation, Duration at) {
    record_given_up(event_log, session, Time() + at, OperationId{operation}, OperationKind::read, 5, 0);
  }
  void again(std::uint64_t operation, Duration since, Duration at, SentAgain why = kTimeout, std::uint64_t key = 5) {
    record_sent_again(event_log, nic, Time() + at, OperationId{operation}, {why, Key{key}, Time() + since});
  }
  void disturb(std::uint64_t operation, Duration at, Disturbance kind = Disturbance::lost) {
    record_disturbance(event_log, wire, Time() + at, OperationId{operation}, kind);
  }
  std::uint64_t violations() const { return oracle.violation_count(); }

  EventLog event_log;
  Source session = event_log.add_source("node0/thread0");
  Source nic = event_log.add_source("node0/nic");
  Source wire = event_log.add_source("wire/node0-switch");
  ServedOracle oracle;
};

ServedRules settling_for(Duration settling) {
  return {.settling = settling, .fate = last_digit};
}

}  // namespace

TEST_CASE("operations that are answered at the first attempt are served") {
  Served s;
  s.begin(1, 0_us);
  s.begin(2, 1_us);
  s.end(1, 2_us);
  s.end(2, 3_us);
  s.oracle.finish(Time() + 4_us);
  CHECK(s.violations() == 0);
}

TEST_CASE("a timeout without any fault is a violation that names operation, session, key and attempt") {
  Served s;
  s.begin(1, 1_us, 77);
  s.again(1, 2_us, 12_us, kTimeout, 77);
  s.end(1, 14_us);
  REQUIRE(s.violations() == 1);
  const Violation& violation = s.oracle.violations()[0];
  CHECK(violation.oracle == "served");
  CHECK(violation.at == Time() + 12_us);
  CHECK(violation.about.key == 77);
  CHECK(violation.about.operations == std::vector<OperationId>{1});
  for (const char* part : {"read n0.t0 #1 on ", "key 0x4d", "begun at 1000.000 ns", "2000.000 ns"}) {
    CHECK_THAT(violation.what, Catch::Contains(part));
  }
}

TEST_CASE("an operation that is given up without a fault is a violation, though it ends") {
  Served s;
  s.begin(1, 1_us);
  s.give_up(1, 50_us);
  s.oracle.finish(Time() + 60_us);
  REQUIRE(s.violations() == 1);
  CHECK_THAT(s.oracle.violations()[0].what, Catch::Contains("given up"));
}

TEST_CASE("a control request and a transport that time out without a fault are violations too") {
  Served s;
  s.again(0, 1_us, 60_us);
  s.begin(1, 1_us);
  s.again(1, 1_us, 132_us, kTransport);
  CHECK(s.violations() == 2);
  CHECK_THAT(s.oracle.violations()[0].what, Catch::Contains("control request of node0/nic about key 0x5"));
  CHECK_THAT(s.oracle.violations()[1].what, Catch::Contains("by the NIC"));
}

TEST_CASE("refusals that the protocol foresees and answers about something else are no timeouts") {
  Served s;
  s.begin(1, 0_us);
  s.again(1, 0_us, 2_us, SentAgain::refusal);
  s.again(1, 3_us, 5_us, SentAgain::wrong_answer);
  s.end(1, 8_us);
  CHECK(s.violations() == 0);
}

TEST_CASE("a lost or late packet of the operation explains its timeouts, all of them, and no other operation's") {
  for (const auto kind : {Disturbance::lost, Disturbance::late}) {
    Served s;
    s.begin(1, 0_us);
    s.begin(2, 0_us);
    s.disturb(1, 1_us, kind);
    s.again(1, 0_us, 12_us);
    s.again(1, 12_us, 36_us);
    CHECK(s.violations() == 0);
    s.again(2, 0_us, 40_us);
    CHECK(s.violations() == 1);
    s.give_up(1, 60_us);
    CHECK(s.violations() == 1);
  }
}

TEST_CASE("a disturbance does not explain attempts that began long after it, but that the operation was given up") {
  Served s({.patience = 20_us});
  s.begin(1, 0_us);
  s.disturb(1, 1_us);  // the answer of the first attempt, say
  s.again(1, 0_us, 12_us);
  s.again(1, 12_us, 24_us);
  CHECK(s.violations() == 0);
  s.again(1, 24_us, 36_us);  // on sound wires for longer than a loss can go unnoticed
  CHECK(s.violations() == 1);
  s.disturb(1, 37_us);
  s.again(1, 36_us, 48_us);
  s.give_up(1, 100_us);
  CHECK(s.violations() == 1);
  s.again(1, 80_us, 110_us);  // it has ended: what is sent on its behalf is judged alike
  CHECK(s.violations() == 2);
}

TEST_CASE("what is sent on behalf of an operation that has ended is explained by its packets alone") {
  Served s;
  for (const std::uint64_t operation : {1, 2, 3}) s.begin(operation, 0_us);
  s.disturb(1, 1_us);  // while it is pending
  for (const std::uint64_t operation : {1, 2, 3}) s.end(operation, 2_us);
  s.disturb(2, 3_us);  // an unlock, say
  s.again(1, 2_us, 9_us);
  s.again(2, 3_us, 9_us);
  CHECK(s.violations() == 0);
  s.again(3, 3_us, 9_us);
  CHECK(s.violations() == 1);
}

TEST_CASE("a packet behind a gap explains a timeout, unless no fault has made the gap") {
  Served without;
  without.begin(1, 0_us);
  without.disturb(1, 1_us, Disturbance::behind);
  without.again(1, 0_us, 12_us);
  CHECK(without.violations() == 1);

  Served with;
  with.begin(1, 0_us);
  with.begin(2, 0_us);
  with.disturb(2, 1_us);
  with.disturb(1, 2_us, Disturbance::behind);
  with.again(1, 0_us, 12_us);
  CHECK(with.violations() == 0);
}

TEST_CASE("operations on keys of one fate explain each other's timeouts until they have settled") {
  Served s(settling_for(100_us));
  s.begin(1, 0_us, 5);
  s.disturb(1, 10_us);
  s.begin(2, 20_us, 15);
  s.again(2, 20_us, 30_us, kTimeout, 15);
  CHECK(s.violations() == 0);
  s.begin(3, 20_us, 16);  // of another fate
  s.again(3, 20_us, 30_us, kTimeout, 16);
  CHECK(s.violations() == 1);
  s.begin(4, 111_us, 25);  // later than the settling
  s.again(4, 111_us, 130_us, kTimeout, 25);
  CHECK(s.violations() == 2);
}

TEST_CASE("packets of control requests explain control requests, transports and operations on keys with a fate") {
  Served s(settling_for(100_us));
  s.begin(1, 0_us);
  s.disturb(0, 1_us);
  s.again(0, 0_us, 10_us);
  s.again(1, 0_us, 10_us);
  s.again(1, 0_us, 10_us, kTransport);
  CHECK(s.violations() == 0);
  s.again(0, 102_us, 120_us);
  CHECK(s.violations() == 1);

  Served alone;  // whose operations wait for their own packets alone
  alone.begin(1, 0_us);
  alone.disturb(0, 1_us);
  alone.again(1, 0_us, 10_us, kTransport);
  CHECK(alone.violations() == 0);
  alone.again(1, 0_us, 10_us);
  CHECK(alone.violations() == 1);
}

TEST_CASE("faults of machines explain what was under way while one lasted, and until it has settled") {
  Served s(settling_for(50_us));
  s.begin(1, 0_us);
  s.begin(2, 0_us);
  s.disturb(0, 10_us, Disturbance::machine_begin);
  s.disturb(0, 11_us, Disturbance::machine_begin);
  s.again(1, 0_us, 20_us);
  s.disturb(0, 30_us, Disturbance::machine_end);
  s.again(2, 25_us, 40_us);  // the other one lasts
  s.disturb(0, 60_us, Disturbance::machine_end);
  s.again(1, 110_us, 120_us);
  CHECK(s.violations() == 0);
  s.again(2, 111_us, 120_us);
  CHECK(s.violations() == 1);
}

TEST_CASE("an operation that began after the healing has no excuse, one that began before has") {
  Served s(settling_for(1_ms));
  s.begin(1, 0_us, 5);
  s.begin(2, 0_us, 7);
  s.disturb(1, 1_us);
  record_disturbance(s.event_log, s.wire, Time() + 10_us, 0, Disturbance::healed, Time() + 20_us);
  s.begin(3, 15_us, 5);
  s.begin(4, 20_us, 5);
  s.again(1, 0_us, 30_us);
  s.again(3, 15_us, 30_us);
  CHECK(s.violations() == 0);
  s.again(4, 20_us, 30_us);
  CHECK(s.violations() == 1);
}

TEST_CASE(
    "after the healing what is sent for an operation that is over has the excuse of a packet that was touched before") {
  Served s(settling_for(1_ms));
  for (const std::uint64_t operation : {1, 2}) {
    s.begin(operation, 0_us);
    s.end(operation, 1_us);
  }
  s.disturb(1, 2_us);
  record_disturbance(s.event_log, s.wire, Time() + 10_us, 0, Disturbance::healed, Time() + 20_us);
  s.again(1, 25_us, 30_us);  // its connection has set its timer anew since
  CHECK(s.violations() == 0);
  s.again(2, 25_us, 30_us);
  CHECK(s.violations() == 1);
}

TEST_CASE("a scenario that expects timeouts is excused, and not what it leaves unserved") {
  Served s({.expect_timeouts = true});
  s.begin(1, 0_us);
  s.begin(2, 0_us);
  s.begin(3, 0_us);
  s.again(1, 0_us, 30_us);
  s.give_up(2, 30_us);
  CHECK(s.violations() == 0);
  s.oracle.finish(Time() + 1_ms);
  REQUIRE(s.violations() == 1);
  CHECK_THAT(s.oracle.violations()[0].what, Catch::Contains("2 operations"));
}

TEST_CASE("what is reported for the oracle leaves the run hash alone") {
  Served with, without;
  for (Served* s : {&with, &without}) s->begin(1, 0_us);
  with.again(1, 0_us, 30_us);
  with.disturb(1, 40_us);
  CHECK(with.event_log.hash() == without.event_log.hash());
}

}  // namespace served_oracle_test

// The oracle of calls: what one read returns of several objects was there at one instant. Judged, too, against a search of
// all instants of small random histories.
#include "sim/oracles/one_call_oracle.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "sim/random/random.hpp"

namespace one_call_oracle_test {

using namespace racksim::sim;
using namespace racksim::sim::literals;

namespace {

/// Two sessions on the objects 10, 11 and 12; each event a nanosecond after the one before.
struct Told {
  Told() {
    for (const char* name : {"session0", "session1"}) sessions.push_back(event_log.add_session(name));
    event_log.attach(oracle);
  }
  OperationId number(unsigned session, std::uint64_t count) {
    const OperationId first{number_of_session(session, issued[session] + 1)};
    issued[session] += count;
    return first;
  }
  Time tick() { return now = now + 1_ns; }

  void performed(unsigned session, std::uint64_t object, std::uint64_t value) {
    record_performed(event_log, sessions[session], tick(), number(session, 1), Key{object}, Value{value});
  }
  OperationId begin(unsigned session, std::uint32_t objects) {
    const OperationId operation = number(session, objects);
    record_begun(event_log, sessions[session], tick(), operation, OperationKind::read, Key{10u}, Value{}, objects);
    parts(Observed::part_begun, session, operation, std::vector<std::uint64_t>(objects));
    return operation;
  }
  void end(unsigned session, OperationId operation, const std::vector<std::uint64_t>& values) {
    tick();
    parts(Observed::part_ended, session, operation, values);
    record_ended(event_log, sessions[session], now, operation, OperationKind::read, Key{10u}, Value{values[0]});
  }
  void parts(Observed what, unsigned session, OperationId operation, const std::vector<std::uint64_t>& values) {
    for (std::uint64_t i = 1; i < values.size(); ++i) {
      record_part(event_log, what, sessions[session], now, OperationId{operation + i}, OperationKind::read, Key{10 + i},
                  Value{values[i]});
    }
  }

  EventLog event_log;
  OneCallOracle oracle{event_log};
  std::vector<Source> sessions;
  std::map<unsigned, std::uint64_t> issued;
  Time now;
};

}  // namespace

TEST_CASE("Objects that a call reads before a write, or behind it, are of one instant; a mixture is of none") {
  for (const auto& [values, good] :
       std::map<std::vector<std::uint64_t>, bool>{{{1, 1}, true}, {{2, 2}, true}, {{2, 1}, true}, {{1, 2}, false}}) {
    CAPTURE(values);
    Told t;
    t.performed(0, 10, 1);
    t.performed(0, 11, 1);
    const OperationId read = t.begin(1, 2);
    t.performed(0, 10, 2);  // then for an instant memory holds 2 and 1
    t.performed(0, 11, 2);
    t.end(1, read, values);
    CHECK(t.oracle.violation_count() == (good ? 0 : 1));
    CHECK(t.oracle.judged() == 1);
  }
}

TEST_CASE("A violation names the read and what it returned of each object") {
  Told t;
  const OperationId read = t.begin(1, 3);
  t.performed(0, 10, 5);
  t.performed(0, 11, 6);
  t.end(1, read, {0, 6, 0});
  REQUIRE(t.oracle.violation_count() == 1);
  const Violation& violation = t.oracle.violations().front();
  CHECK(violation.what ==
        "session1 #1 read in one call values that memory held at no one instant: 0 of key 0xa, 6 of key 0xb, 0 of key "
        "0xc");
  CHECK(violation.about.operations == std::vector<OperationId>{read});
}

TEST_CASE("What a session has written and may read in its own buffer tells nothing of memory") {
  Told t;
  const OperationId read = t.begin(1, 2);
  t.performed(1, 10, 7);  // its own, performed after the read began
  t.performed(0, 10, 8);
  t.performed(0, 11, 9);
  t.end(1, read, {7, 9});
  CHECK(t.oracle.violation_count() == 0);
  const OperationId second = t.begin(1, 2);
  t.end(1, second, {99, 9});  // not performed yet
  CHECK(t.oracle.violation_count() == 0);
}

TEST_CASE("Reads of one object, and those that are given up, are not judged, and leave nothing behind") {
  Told t;
  const OperationId one = t.begin(0, 1);
  t.performed(1, 10, 1);
  t.end(0, one, {77});
  const OperationId read = t.begin(1, 2);
  t.performed(0, 10, 2);
  t.performed(0, 11, 2);
  t.tick();
  t.parts(Observed::part_given_up, 1, read, {0, 0});
  record_given_up(t.event_log, t.sessions[1], t.now, read, OperationKind::read, Key{10u}, Value{});
  CHECK(t.oracle.judged() == 0);
  const OperationId next = t.begin(1, 2);
  t.end(1, next, {2, 2});
  CHECK(t.oracle.judged() == 1);
  CHECK(t.oracle.violation_count() == 0);
}

TEST_CASE("An object of which a crash has undone a write tells nothing from then on") {
  Told t;
  t.performed(0, 10, 1);
  const OperationId read = t.begin(1, 2);
  record_lost_write(t.event_log, t.sessions[0], t.tick(), {Key{10u}, Value{1u}, Loss::holder});
  t.performed(0, 11, 2);
  t.end(1, read, {0, 2});
  CHECK(t.oracle.violation_count() == 0);
}

TEST_CASE("The verdict is that of a search over all instants, whatever overlaps") {
  RandomStream random(1, "one-call-test");
  unsigned torn = 0, whole = 0;
  for (unsigned run = 0; run < 400; ++run) {
    Told t;
    std::vector<std::uint64_t> memory(3);
    std::vector<std::vector<std::uint64_t>> instants{memory};  // what memory has held
    struct Under {
      OperationId operation{};
      std::size_t first = 0;
    };
    std::map<unsigned, Under> under;  // way, by session
    std::uint64_t expected = 0, value = 0;
    for (unsigned event = 0; event < 60; ++event) {
      const unsigned session = static_cast<unsigned>(random.below(2));
      if (random.chance(0.5)) {
        // Nobody who reads writes: session 0 and 1 read, and what is performed is of a third.
        const std::uint64_t object = random.below(3);
        memory[object] = ++value;
        instants.push_back(memory);
        record_performed(t.event_log, t.sessions[0], t.tick(), OperationId{number_of_session(9, value)},
                         Key{10 + object}, Value{value});
      } else if (!under.contains(session)) {
        under[session] = {t.begin(session, 3), instants.size() - 1};
      } else {
        // Each object at an instant of its own, or all at one.
        const Under read = under[session];
        under.erase(session);
        std::vector<std::uint64_t> values(3);
        const std::size_t at = read.first + random.below(instants.size() - read.first);
        for (std::size_t i = 0; i < 3; ++i) {
          const std::size_t own = random.chance(0.6) ? at : read.first + random.below(instants.size() - read.first);
          values[i] = instants[own][i];
        }
        t.end(session, read.operation, values);
        const bool found = std::find(instants.begin() + static_cast<std::ptrdiff_t>(read.first), instants.end(),
                                     values) != instants.end();
        expected += found ? 0 : 1;
        (found ? whole : torn) += 1;
      }
    }
    CHECK(t.oracle.violation_count() == expected);
  }
  CHECK(torn > 200);
  CHECK(whole > 200);
}

}  // namespace one_call_oracle_test

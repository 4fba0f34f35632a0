// What a key may hold at the end where only the order within sessions counts: hand-made histories.
#include "sim/oracles/sessions_last_writes.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "sim/record/history.hpp"

namespace sessions_last_writes_test {

using namespace racksim::sim;

namespace {

struct Writes {
  EventLog event_log;
  Source alice = event_log.add_source("alice"), bob = event_log.add_source("bob");
  SessionsLastWrites last;
  Time now;

  Writes() { event_log.attach(last); }
  void begin(Source session, std::uint64_t value, std::uint64_t key = 5) {
    record_begun(event_log, session, tick(), OperationId{value}, OperationKind::write, Key{key}, Value{value});
  }
  void end(Source session, std::uint64_t value, std::uint64_t key = 5) {
    record_ended(event_log, session, tick(), OperationId{value}, OperationKind::write, Key{key}, Value{value});
  }
  void write(Source session, std::uint64_t value, std::uint64_t key = 5) {
    begin(session, value, key);
    end(session, value, key);
  }
  std::vector<std::uint64_t> values(std::uint64_t key = 5) const {
    std::vector<std::uint64_t> numbers;
    for (const Value value : last.possible_values(Key{key})) numbers.push_back(value);
    return numbers;
  }
  Time tick() { return now += Duration::from_ps(1000); }
};

using Values = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("of each session the last write may be a key's last, and no earlier one") {
  Writes writes;
  CHECK(writes.values() == Values{kNeverWritten});
  writes.write(writes.alice, 11);
  CHECK(writes.values() == Values{11});
  writes.write(writes.bob, 21);
  writes.write(writes.alice, 12);  // bob's may come later, whatever the clock says
  CHECK(writes.values() == Values{12, 21});
  CHECK(writes.last.may_hold(Key(5u), Value(21u)));
  CHECK_FALSE(writes.last.may_hold(Key(5u), Value(11u)));
  CHECK_FALSE(writes.last.may_hold(Key(5u), kNeverWritten));
  CHECK(writes.values(6) == Values{kNeverWritten});
}

TEST_CASE("a write that has not ended may have taken effect or not, and one that it overlaps may be the last") {
  Writes writes;
  writes.begin(writes.alice, 11);
  CHECK(writes.values() == Values{kNeverWritten, 11});
  writes.begin(writes.alice, 12);
  writes.end(writes.alice, 12);
  CHECK(writes.values() == Values{11, 12});
  writes.begin(writes.alice, 13);
  CHECK(writes.values() == Values{11, 12, 13});
  // What began behind 12, and has ended, took effect behind it; 11 and 13 may still be under way.
  writes.write(writes.alice, 14);
  CHECK(writes.values() == Values{11, 13, 14});
}

TEST_CASE("what a session wrote before a write that it gave up may be the last") {
  Writes writes;
  writes.write(writes.alice, 11);
  writes.write(writes.bob, 21);
  writes.begin(writes.alice, 12);
  record_given_up(writes.event_log, writes.alice, writes.tick(), OperationId(12u), OperationKind::write, Key(5u),
                  Value(12u));
  CHECK(writes.values() == Values{11, 12, 21});
}

}  // namespace sessions_last_writes_test

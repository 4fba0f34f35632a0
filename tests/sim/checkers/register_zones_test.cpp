// Linearizability and stale-read freedom of a register with unique values.
#include "sim/checkers/register_zones.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "sim/record/register_history.hpp"
#include "tests/sim/checkers/histories.hpp"

namespace register_zones_test {

using namespace racksim::sim;
using namespace racksim::sim::checkers;

namespace {

/// The definition: some order of the values, the initial one first and real time between their writes respected, in
/// which no read returns an older value than one whose write had ended before the read began.
bool has_order_without_stale_reads(const std::vector<Operation>& history) {
  std::vector<std::uint64_t> order;  // by age, oldest first
  for (const auto& operation : history) {
    if (operation.action == Action::write) order.push_back(operation.argument);
  }
  std::sort(order.begin(), order.end());
  const auto age = [&](std::uint64_t value) {  // 0 for the initial value
    return value == 0 ? 0 : std::find(order.begin(), order.end(), value) - order.begin() + 1;
  };
  const auto is_possible = [&] {
    for (const auto& later : history) {
      const bool reads = later.action == Action::read;
      if (reads && later.pending()) continue;
      const auto value = reads ? later.result : later.argument;
      if (value != 0 && age(value) > static_cast<std::ptrdiff_t>(order.size())) return false;  // nobody wrote it
      for (const auto& write : history) {
        if (write.action != Action::write) continue;
        if (reads && value == write.argument && later.precedes(write)) return false;
        if (write.precedes(later) && age(write.argument) > age(value)) return false;
      }
    }
    return true;
  };
  do {
    if (is_possible()) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

/// The judge that works while the history grows.
bool online(const std::vector<Operation>& history) {
  struct Event {
    std::uint64_t position;
    std::size_t operation;
  };
  std::vector<Event> events;
  for (std::size_t i = 0; i < history.size(); ++i) {
    events.push_back({history[i].invoked, i});
    if (!history[i].pending()) events.push_back({history[i].responded, i});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.position < b.position; });
  RegisterHistory judge;
  judge.reset(0);
  for (const auto& event : events) {
    const auto& operation = history[event.operation];
    const Moment moment{event.position, OperationId{operation.id}, {}, {}};
    const bool writes = operation.action == Action::write;
    if (event.position == operation.invoked) {
      if (writes) {
        judge.begin_write(moment, Value{operation.argument});
      } else {
        judge.begin_read(moment);
      }
    } else if (writes) {
      judge.end_write(moment);
    } else if (judge.end_read(moment, Value{operation.result})) {
      return false;
    }
  }
  return true;
}

Verdict linearizable(const History& history) {
  return check_linearizable_register(history, 0).verdict;
}
Verdict fresh(const History& history) {
  return check_no_stale_read(history, 0).verdict;
}

}  // namespace

TEST_CASE("Gibbons and Korach: overlapping forward zones and a backward zone inside a forward one are refused") {
  // Both values are in place before both are read.
  History forward;
  forward.write(0, 0, 1, 1, 3).write(1, 0, 2, 2, 4).read(2, 0, 1, 5, 6);
  CHECK(linearizable(forward) == Verdict::pass);
  CHECK(linearizable(forward.read(2, 0, 2, 7, 8)) == Verdict::fail);
  // All of value 2 lies between the end of one operation on value 1 and the beginning of another.
  CHECK(linearizable(History().write(0, 0, 1, 1, 2).write(1, 0, 2, 3, 4).read(0, 0, 1, 5, 6)) == Verdict::fail);
  // Two backward zones never contradict each other.
  CHECK(linearizable(History().write(0, 0, 1, 1, 5).read(1, 0, 1, 2, 6).write(2, 0, 2, 3, 7).read(3, 0, 2, 4, 8)) ==
        Verdict::pass);
}

TEST_CASE("Lamport: readers beside one write may see it and miss it on a regular register but not on an atomic one") {
  const auto inversion = History().write(0, 0, 1, 1, 8).read(1, 0, 1, 2, 3).read(2, 0, 0, 4, 5);
  CHECK(fresh(inversion) == Verdict::pass);
  CHECK(linearizable(inversion) == Verdict::fail);
}

TEST_CASE("a read that begins after the acknowledgement of a write is stale if it returns an older value") {
  CHECK(fresh(History().write(0, 0, 1, 1, 2).read(1, 0, 0, 3, 4)) == Verdict::fail);
  CHECK(fresh(History().write(0, 0, 1, 1, 3).read(1, 0, 0, 2, 4)) == Verdict::pass);
  CHECK(fresh(History().write(0, 0, 1, 1, kOpen).read(1, 0, 1, 2, 3).read(1, 0, 0, 4, 5)) == Verdict::pass);
  CHECK(fresh(History().write(0, 0, 1, 1, 2).write(0, 0, 2, 3, 4).read(1, 0, 1, 5, 6)) == Verdict::fail);
  // Two writes at once: either may be the newer one, but the readers must agree.
  History both;
  both.write(0, 0, 1, 1, 3).write(1, 0, 2, 2, 4).read(2, 0, 1, 5, 6);
  CHECK(fresh(both) == Verdict::pass);
  CHECK(fresh(both.read(2, 0, 2, 7, 8)) == Verdict::fail);
  CHECK(fresh(History().read(0, 0, 7, 1, 2).write(0, 0, 7, 3, 4)) == Verdict::fail);
}

TEST_CASE("a stale read is told with the write that it missed") {
  const auto outcome = check_no_stale_read(History().write(0, 5, 1, 1, 2).read(1, 5, 0, 3, 4), 0);
  REQUIRE(outcome.operations.size() >= 2);
  const auto has = [&](std::uint64_t id) {
    return std::any_of(outcome.operations.begin(), outcome.operations.end(),
                       [id](const Operation& operation) { return operation.id == id; });
  };
  CHECK(has(1));
  CHECK(has(2));
}

TEST_CASE("the initial value counts as written before the history") {
  CHECK(check_linearizable_register(History().read(0, 0, 9, 1, 2), 9).verdict == Verdict::pass);
  CHECK(check_linearizable_register(History().read(0, 0, 9, 1, 2), 8).verdict == Verdict::fail);
  CHECK(check_no_stale_read(History().read(0, 0, 9, 1, 2), 8).verdict == Verdict::fail);
}

TEST_CASE("registers whose values are not unique and other objects are left undecided") {
  const auto twice = check_linearizable_register(History().write(0, 0, 5, 1, 2).write(1, 0, 5, 3, 4), 0);
  CHECK(twice.verdict == Verdict::undecided);
  CHECK(twice.operations.size() == 2);
  CHECK(check_no_stale_read(History().write(0, 0, 5, 1, 2), 5).verdict == Verdict::undecided);
  CHECK(linearizable(History().fetch_and_add(0, 1, 0, 1, 2)) == Verdict::undecided);
}

TEST_CASE("zones and the trial of all orders agree on random tiny histories of a register") {
  RandomStream random(22, "zones");
  const RegisterSpecification object;
  const auto act = [&](ObjectState& state, const Operation& operation) { return object.apply(state, operation); };
  Tally tally;
  for (int i = 0; i < some(400'000); ++i) {
    Shape shape;
    shape.operations = 3 + random.below(4);
    shape.sessions = 2 + random.below(4);
    shape.lie = i % 2 == 0 ? 0.15 : 0.5;
    const auto history = random_history(random, shape);
    const bool expected = some_order_explains(history, object.initial(0), in_real_time, act);
    INFO("history " << i);
    REQUIRE(check_linearizable_register(history, 0).verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.is_balanced());
}

TEST_CASE("zones and the judge of growing histories agree on long random histories") {
  RandomStream random(23, "long");
  Tally tally;
  for (int i = 0; i < some(10'000); ++i) {
    Shape shape;
    shape.operations = 40 + random.below(100);
    shape.sessions = 2 + random.below(8);
    shape.lie = i % 2 == 0 ? 0 : 0.02;
    shape.crash = i % 3 == 0 ? 0.05 : 0;
    const auto history = random_history(random, shape);
    const bool expected = online(history);
    REQUIRE(check_linearizable_register(history, 0).verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.is_balanced());
}

TEST_CASE("stale reads and the trial of all ages agree on random tiny histories") {
  RandomStream random(24, "stale");
  Tally tally;
  for (int i = 0; i < some(400'000); ++i) {
    Shape shape;
    shape.operations = 3 + random.below(5);
    shape.sessions = 2 + random.below(4);
    shape.lie = i % 2 == 0 ? 0.15 : 0.5;
    const auto history = random_history(random, shape);
    const bool expected = has_order_without_stale_reads(history);
    INFO("history " << i);
    REQUIRE(check_no_stale_read(history, 0).verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.is_balanced());
}

}  // namespace register_zones_test

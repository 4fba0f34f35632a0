// Sequential consistency of one register and the session guarantees.
#include "sim/checkers/session_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/checkers/sequential_search.hpp"
#include "tests/sim/checkers/histories.hpp"

namespace session_order_test {

using namespace racksim::sim;
using namespace racksim::sim::checkers;

namespace {

/// The definition: in some order of all values, the initial one first, each pair of a session is as it should be.
bool has_order(const std::vector<Operation>& history, SessionGuarantee guarantee) {
  std::vector<std::uint64_t> order;
  for (const auto& operation : history) {
    if (operation.action == Action::write) order.push_back(operation.argument);
  }
  const auto written = order;
  for (const auto& operation : history) {
    const bool known = operation.result == 0 || std::count(written.begin(), written.end(), operation.result) > 0;
    if (operation.action == Action::read && !operation.pending() && !known) return false;
  }
  std::sort(order.begin(), order.end());
  const auto age = [&](const Operation& operation) {
    const auto value = operation.action == Action::read ? operation.result : operation.argument;
    return value == 0 ? 0 : std::find(order.begin(), order.end(), value) - order.begin() + 1;
  };
  const auto first = guarantee == SessionGuarantee::read_your_writes || guarantee == SessionGuarantee::monotonic_writes
                         ? Action::write
                         : Action::read;
  const auto second = guarantee == SessionGuarantee::read_your_writes || guarantee == SessionGuarantee::monotonic_reads
                          ? Action::read
                          : Action::write;
  const auto is_possible = [&] {
    for (const auto& a : history) {
      for (const auto& b : history) {
        if (a.session != b.session || a.invoked >= b.invoked || a.pending()) continue;
        if (a.action != first || b.action != second || (b.action == Action::read && b.pending())) continue;
        if (second == Action::read ? age(a) > age(b) : age(a) >= age(b)) return false;
      }
    }
    return true;
  };
  do {
    if (is_possible()) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

/// "YRWF" with those guarantees that the history breaks: your writes, reads, writes, writes follow reads.
std::string broken(const History& history) {
  std::string result;
  for (const auto guarantee : kSessionGuarantees) {
    const auto verdict = check_session_guarantee(history, 0, guarantee).verdict;
    CHECK(verdict != Verdict::undecided);
    if (verdict == Verdict::fail) result += "YRWF"[static_cast<std::size_t>(guarantee)];
  }
  return result;
}

Verdict sequential(const History& history) {
  return check_sequential_register(history, 0).verdict;
}

}  // namespace

TEST_CASE("Terry et al.: each session guarantee is broken by its own anomaly") {
  // A session does not see what it wrote.
  CHECK(broken(History().write(0, 0, 1, 1, 2).read(0, 0, 0, 3, 4)) == "Y");
  // A session sees a value and then the one before any.
  CHECK(broken(History().write(0, 0, 1, 1, 2).read(1, 0, 1, 3, 4).read(1, 0, 0, 5, 6)) == "R");
  // Two sessions read two values in opposite orders.
  CHECK(broken(History()
                   .read(0, 0, 1, 1, 2)
                   .read(0, 0, 2, 3, 4)
                   .read(1, 0, 2, 5, 6)
                   .read(1, 0, 1, 7, 8)
                   .write(2, 0, 1, 9, 10)
                   .write(3, 0, 2, 11, 12)) == "R");
  // A session reads a value before it writes it.
  CHECK(broken(History().read(0, 0, 1, 1, 2).write(0, 0, 1, 3, 4)) == "F");
  // Each of two sessions answers the other's value.
  CHECK(broken(History().read(0, 0, 2, 1, 2).write(0, 0, 1, 3, 4).read(1, 0, 1, 5, 6).write(1, 0, 2, 7, 8)) == "F");
  // Each of two sessions writes a value and sees the other's.
  CHECK(broken(History().write(0, 0, 1, 1, 2).read(0, 0, 2, 5, 6).write(1, 0, 2, 3, 4).read(1, 0, 1, 7, 8)) == "Y");
}

TEST_CASE("guarantees that hold one by one need not hold together") {
  // Session 0 wrote 1 before 2, session 1 read 2 before 1.
  const auto history = History().write(0, 0, 1, 1, 2).write(0, 0, 2, 3, 4).read(1, 0, 2, 5, 6).read(1, 0, 1, 7, 8);
  CHECK(broken(history).empty());
  CHECK(sequential(history) == Verdict::fail);
}

TEST_CASE("what a crashed session may not have written binds only what came before") {
  CHECK(sequential(History().write(0, 0, 1, 1, kOpen).read(0, 0, 0, 2, 3)) == Verdict::pass);
  CHECK(broken(History().write(0, 0, 1, 1, kOpen).read(0, 0, 0, 2, 3)).empty());
  CHECK(sequential(History().write(0, 0, 1, 1, 2).write(0, 0, 2, 3, kOpen).read(1, 0, 2, 4, 5).read(1, 0, 1, 6, 7)) ==
        Verdict::fail);
  CHECK(broken(History().read(0, 0, 1, 1, 2).write(0, 0, 1, 3, kOpen)) == "F");
}

TEST_CASE("sequential consistency of a register ignores real time but not its sessions") {
  CHECK(sequential(History().write(0, 0, 1, 1, 2).read(1, 0, 0, 3, 4).read(1, 0, 1, 5, 6)) == Verdict::pass);
  CHECK(sequential(History().write(0, 0, 1, 1, 2).read(1, 0, 1, 3, 4).read(1, 0, 0, 5, 6)) == Verdict::fail);
  CHECK(sequential(History().read(0, 0, 7, 1, 2)) == Verdict::fail);
  CHECK(sequential(History().write(0, 0, 7, 1, 2).write(1, 0, 7, 3, 4)) == Verdict::undecided);
}

TEST_CASE("a broken session guarantee is told with its operations") {
  const auto history = History().write(0, 6, 1, 1, 2).write(1, 6, 2, 3, 4).read(0, 6, 0, 5, 6);
  const auto outcome = check_session_guarantee(history, 0, SessionGuarantee::read_your_writes);
  REQUIRE(outcome.verdict == Verdict::fail);
  CHECK_THAT(outcome.why, Catch::Contains("read-your-writes"));
  REQUIRE(outcome.operations.size() == 2);
  CHECK(outcome.operations[0].id == 1);
  CHECK(outcome.operations[1].id == 3);
}

TEST_CASE("a session of 200,000 operations is judged without a quadratic number of pairs") {
  RandomStream random(40, "long");
  Shape shape;
  shape.operations = 200'000;
  shape.sessions = 2;
  shape.lie = 0;
  shape.crash = 0.001;
  const auto history = random_history(random, shape);
  CHECK(check_sequential_register(history, 0).verdict == Verdict::pass);
  for (const auto guarantee : kSessionGuarantees)
    CHECK(check_session_guarantee(history, 0, guarantee).verdict == Verdict::pass);
}

TEST_CASE("session guarantees and the trial of all orders of values agree on random histories") {
  const auto guarantee = GENERATE(from_range(kSessionGuarantees.begin(), kSessionGuarantees.end()));
  RandomStream random(41, to_string(guarantee));
  Tally tally;
  for (int i = 0; i < some(150'000); ++i) {
    Shape shape;
    shape.operations = 4 + random.below(5);
    shape.sessions = 1 + random.below(3);
    shape.lie = i % 2 == 0 ? 0.4 : 0.8;
    const auto history = random_history(random, shape);
    const bool expected = has_order(history, guarantee);
    INFO(to_string(guarantee) << ", history " << i);
    REQUIRE(check_session_guarantee(history, 0, guarantee).verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.pass > some(10'000));
  // Monotonic writes alone cannot be broken: each value is written once, so the order of invocation is one.
  if (guarantee != SessionGuarantee::monotonic_writes) CHECK(tally.fail > some(5'000));
}

TEST_CASE("a register's sequential consistency agrees with the trial of all orders on random histories") {
  RandomStream random(42, "register");
  const RegisterSpecification object;
  const auto act = [&](ObjectState& state, const Operation& operation) { return object.apply(state, operation); };
  Tally tally;
  for (int i = 0; i < some(300'000); ++i) {
    Shape shape;
    shape.operations = 3 + random.below(4);
    shape.sessions = 1 + random.below(4);
    shape.lie = i % 2 == 0 ? 0.2 : 0.6;
    const auto history = random_history(random, shape);
    const bool expected = some_order_explains(history, object.initial(0), in_program_order, act);
    INFO("history " << i);
    REQUIRE(check_sequential_register(history, 0).verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.is_balanced());
}

TEST_CASE("a register's sequential consistency and the general search agree on longer histories") {
  RandomStream random(43, "register");
  Tally tally;
  for (int i = 0; i < some(10'000); ++i) {
    Shape shape;
    shape.operations = 10 + random.below(10);
    shape.sessions = 2 + random.below(3);
    shape.lie = i % 2 == 0 ? 0.05 : 0.2;
    const auto history = random_history(random, shape);
    const auto expected = search_sequential(history, RegisterSpecification()).verdict;
    REQUIRE(expected != Verdict::undecided);
    REQUIRE(check_sequential_register(history, 0).verdict == expected);
    tally.count(expected == Verdict::pass);
  }
  CHECK(tally.is_balanced());
}

}  // namespace session_order_test

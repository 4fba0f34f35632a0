// The general search for linearizations: published histories, and agreement with trying all orders.
#include "sim/checkers/linearizability_search.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/sim/checkers/histories.hpp"
#include "tests/sim/checkers/reference/lock_specification.hpp"

namespace linearizability_search_test {

using namespace racksim::sim;
using namespace racksim::sim::checkers;

namespace {

/// A first-in, first-out queue: write enqueues, read dequeues. Dequeuing from an empty queue waits.
class Queue final : public SequentialSpecification {
 public:
  ObjectState initial(std::uint64_t) const override { return {}; }
  bool apply(ObjectState& state, const Operation& operation) const override {
    if (operation.action == Action::write) {
      state.push_back(operation.argument);
      return true;
    }
    if (state.empty() || (!operation.pending() && state.front() != operation.result)) return false;
    state.erase(state.begin());
    return true;
  }
};

constexpr std::uint32_t kA = 0, kB = 1, kC = 2;
constexpr std::uint64_t kX = 10, kY = 11, kZ = 12;

Verdict of_queue(const History& history) {
  return search_linearizable(history, Queue(), 0).verdict;
}
Verdict of_register(const History& history) {
  return search_linearizable(history, RegisterSpecification(), 0).verdict;
}
Verdict of_lock(const History& history) {
  return search_linearizable(history, LockSpecification(), 0).verdict;
}

}  // namespace

TEST_CASE("Herlihy and Wing: queue histories with overlapping operations are linearizable where an order exists") {
  // Two enqueues overlap, so either value may come out first.
  CHECK(of_queue(History()
                     .write(kA, 0, kX, 1, 3)
                     .write(kB, 0, kY, 2, 4)
                     .read(kB, 0, kX, 5, 7)
                     .read(kA, 0, kY, 6, 8)
                     .write(kA, 0, kZ, 9, kOpen)) == Verdict::pass);
  // An enqueue that has not returned has taken effect.
  CHECK(of_queue(History().write(kA, 0, kX, 1, kOpen).read(kB, 0, kX, 2, 3)) == Verdict::pass);
}

TEST_CASE("Herlihy and Wing: queue histories without an order are refused") {
  // x was enqueued before the enqueue of y began, yet y comes out first.
  CHECK(of_queue(History().write(kA, 0, kX, 1, 2).write(kB, 0, kY, 3, 5).read(kA, 0, kY, 4, 6)) == Verdict::fail);
  // y comes out twice.
  CHECK(of_queue(History().write(kA, 0, kX, 1, 3).write(kB, 0, kY, 2, 4).read(kA, 0, kY, 5, 7).read(kC, 0, kY, 6, 8)) ==
        Verdict::fail);
}

TEST_CASE("a register seen to change does not change back") {
  History history;
  history.write(kA, 0, 1, 1, 2).write(kB, 0, 2, 3, 10).read(kA, 0, 2, 4, 5);
  CHECK(of_register(history) == Verdict::pass);
  CHECK(of_register(History(history).read(kC, 0, 2, 6, 7)) == Verdict::pass);
  CHECK(of_register(History(history).read(kC, 0, 1, 6, 7)) == Verdict::fail);
}

TEST_CASE("two concurrent compare-and-swaps from one value cannot both succeed") {
  CHECK(of_register(History().compare_and_swap(kA, 0, 1, 0, 1, 3).compare_and_swap(kB, 0, 2, 1, 2, 4)) ==
        Verdict::pass);
  CHECK(of_register(History().compare_and_swap(kA, 0, 1, 0, 1, 3).compare_and_swap(kB, 0, 2, 0, 2, 4)) ==
        Verdict::fail);
  // A pending one may have failed, or succeeded.
  CHECK(of_register(History().compare_and_swap(kA, 0, 1, 0, 1, kOpen).compare_and_swap(kB, 0, 2, 0, 2, 4)) ==
        Verdict::pass);
  CHECK(of_register(History().compare_and_swap(kA, 0, 1, 0, 1, kOpen).compare_and_swap(kB, 0, 2, 1, 2, 4)) ==
        Verdict::pass);
}

TEST_CASE("fetch-and-add hands out each number once") {
  CHECK(of_register(History().fetch_and_add(kA, 1, 1, 1, 3).fetch_and_add(kB, 1, 0, 2, 4)) == Verdict::pass);
  CHECK(of_register(History().fetch_and_add(kA, 1, 0, 1, 3).fetch_and_add(kB, 1, 0, 2, 4)) == Verdict::fail);
  CHECK(of_register(History().fetch_and_add(kA, 1, 1, 1, 2).fetch_and_add(kB, 1, 0, 3, 4)) == Verdict::fail);
}

TEST_CASE("a lock is a linearizable object too") {
  CHECK(of_lock(History().lock(kA, 1, 3).lock(kB, 2, 6).unlock(kA, 4, 5)) == Verdict::pass);
  CHECK(of_lock(History().lock(kA, 1, 3).lock(kB, 2, 4)) == Verdict::fail);
  CHECK(of_lock(History().lock_shared(kA, 1, 3).lock_shared(kB, 2, 4).unlock(kB, 5, 6).unlock(kA, 7, 8)) ==
        Verdict::pass);
  CHECK(of_lock(History().lock_shared(kA, 1, 3).lock(kB, 2, 4)) == Verdict::fail);
  CHECK(of_lock(History().lock(kA, 1, 2).unlock(kB, 3, 4)) == Verdict::fail);
  CHECK(of_lock(History().lock(kA, 1, 2).lock(kB, 3, kOpen)) == Verdict::pass);
}

TEST_CASE("a failed search names the operation that finds no place and those beside it") {
  const auto history = History().write(0, 6, 1, 1, 2).write(1, 6, 2, 3, 4).read(2, 6, 1, 5, 8).read(0, 6, 2, 6, 7);
  const auto outcome = search_linearizable(history, RegisterSpecification(), 0);
  REQUIRE(outcome.verdict == Verdict::fail);
  const auto names = [](std::uint32_t session) { return "node" + std::to_string(session); };
  const auto text = explained(outcome, names);
  CHECK_THAT(text, Catch::Contains("read of key 6 by node2 #3, which returned 1 (5.000 ns to 8.000 ns); read"));
  CHECK_THAT(text, Catch::Contains("read of key 6 by node0 #4, which returned 2 (6.000 ns to 7.000 ns)"));
  CHECK_THAT(text, !Catch::Contains("write of 1"));
}

TEST_CASE("a search that spends its budget is undecided and says at what") {
  History history;
  for (std::uint32_t s = 0; s < 12; ++s) history.fetch_and_add(s, 1 + s, s == 0 ? 1 : 0, 1 + s, 100 + s);
  const auto outcome = search_linearizable(history, RegisterSpecification(), 0, {50});
  CHECK(outcome.verdict == Verdict::undecided);
  CHECK_THAT(outcome.why, Catch::Contains("given up after 50 steps"));
  CHECK(outcome.operations.size() == 1);
  CHECK(search_linearizable(history, RegisterSpecification(), 0, {1'000'000}).verdict == Verdict::fail);
}

TEST_CASE("the search of a long history that passes takes few steps per operation") {
  RandomStream random(3, "long");
  Shape shape;
  shape.operations = 20'000;
  shape.sessions = 4;
  shape.lie = 0;
  shape.crash = 0.0002;
  const auto history = random_history(random, shape);
  CHECK(search_linearizable(history, RegisterSpecification(), 0, {50 * shape.operations}).verdict == Verdict::pass);
}

TEST_CASE("what is no history is refused") {
  auto operations = History().write(0, 0, 1, 1, 4).read(1, 0, 1, 2, 3).operations();
  std::swap(operations[0], operations[1]);
  CHECK_THROWS_WITH(search_linearizable(operations, RegisterSpecification(), 0), Catch::Contains("operation 1"));
  CHECK_THROWS_AS(search_linearizable(History().write(0, 0, 1, 5, 4), RegisterSpecification(), 0),
                  std::invalid_argument);
}

TEST_CASE("the search and the trial of all orders agree on random histories of a register with atomics") {
  RandomStream random(21, "linearizability");
  const RegisterSpecification object;
  const auto act = [&](ObjectState& state, const Operation& operation) { return object.apply(state, operation); };
  Tally tally;
  for (int i = 0; i < some(300'000); ++i) {
    Shape shape;
    shape.operations = 3 + random.below(4);
    shape.sessions = 2 + random.below(3);
    shape.actions = {Action::read, Action::write, Action::compare_and_swap, Action::fetch_and_add};
    shape.unique_values = false;
    shape.lie = i % 2 == 0 ? 0.1 : 0.3;
    const auto history = random_history(random, shape);
    const bool expected = some_order_explains(history, object.initial(0), in_real_time, act);
    const auto outcome = search_linearizable(history, object, 0);
    INFO("history " << i);
    REQUIRE(outcome.verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.is_balanced());
}

}  // namespace linearizability_search_test

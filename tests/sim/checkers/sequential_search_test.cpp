// Sequential consistency across keys: published histories, and agreement with trying all orders.
#include "sim/checkers/sequential_search.hpp"

#include <catch2/catch.hpp>

#include "tests/sim/checkers/histories.hpp"

namespace sequential_search_test {

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

Verdict of_registers(const History& history) {
  return search_sequential(history, RegisterSpecification()).verdict;
}

constexpr std::uint64_t kP = 0, kQ = 1, kX = 10, kY = 11;

}  // namespace

TEST_CASE("Herlihy and Wing: two queues can each be sequentially consistent and not together") {
  History p, q, both;
  const auto add = [](History& history, bool with_p, bool with_q) {
    if (with_p) history.write(0, kP, kX, 1, 2);
    if (with_q) history.write(1, kQ, kY, 3, 4);
    if (with_q) history.write(0, kQ, kX, 5, 6);
    if (with_p) history.write(1, kP, kY, 7, 8);
    if (with_p) history.read(0, kP, kY, 9, 10);
    if (with_q) history.read(1, kQ, kX, 11, 12);
  };
  add(p, true, false);
  add(q, false, true);
  add(both, true, true);
  CHECK(search_sequential(p, Queue()).verdict == Verdict::pass);
  CHECK(search_sequential(q, Queue()).verdict == Verdict::pass);
  CHECK(search_sequential(both, Queue()).verdict == Verdict::fail);
}

TEST_CASE("Lamport: two processes that each raise a flag and miss the other's are not sequentially consistent") {
  CHECK(of_registers(History().write(0, 0, 1, 1, 5).write(1, 1, 1, 2, 6).read(0, 1, 0, 7, 9).read(1, 0, 1, 8, 10)) ==
        Verdict::pass);
  CHECK(of_registers(History().write(0, 0, 1, 1, 5).write(1, 1, 1, 2, 6).read(0, 1, 0, 7, 9).read(1, 0, 0, 8, 10)) ==
        Verdict::fail);
}

TEST_CASE("sequential consistency does not care for real time") {
  CHECK(of_registers(History().write(0, 0, 1, 1, 2).read(1, 0, 0, 3, 4)) == Verdict::pass);
  CHECK(of_registers(History().read(1, 0, 1, 1, 2).write(0, 0, 1, 3, 4)) == Verdict::pass);
  CHECK(of_registers(History().write(0, 0, 1, 1, 2).read(0, 0, 0, 3, 4)) == Verdict::fail);
}

TEST_CASE("a pending write may take effect after later operations of its session but not before earlier ones") {
  CHECK(of_registers(History().write(0, 0, 1, 1, kOpen).read(0, 0, 0, 2, 3).read(0, 0, 1, 4, 5)) == Verdict::pass);
  CHECK(of_registers(History().write(0, 0, 1, 1, kOpen).read(0, 0, 1, 2, 3).read(0, 0, 0, 4, 5)) == Verdict::fail);
  CHECK(of_registers(History().write(0, 0, 1, 1, kOpen).read(0, 0, 0, 2, 3)) == Verdict::pass);
  // Session 1 saw key 1 change and then key 0 unchanged, which session 0 had written before it could write key 1.
  CHECK(of_registers(History().write(0, 0, 1, 1, 2).write(0, 1, 1, 3, kOpen).read(1, 1, 1, 4, 5).read(1, 0, 0, 6, 7)) ==
        Verdict::fail);
}

TEST_CASE("a write that changes nothing now may be needed later") {
  // 1 is written while it is there already, but must wait until 2 was seen.
  CHECK(of_registers(History()
                         .write(0, 0, 1, 1, 2)
                         .write(1, 0, 1, 3, 8)
                         .write(2, 0, 2, 4, 9)
                         .read(2, 0, 2, 10, 11)
                         .read(2, 0, 1, 12, 13)) == Verdict::pass);
}

TEST_CASE("initial values are per key") {
  const History history = History().read(0, 0, 5, 1, 2).read(0, 1, 6, 3, 4).read(0, 2, 0, 5, 6);
  CHECK(search_sequential(history, RegisterSpecification(), {{0, 5}, {1, 6}}).verdict == Verdict::pass);
  CHECK(search_sequential(history, RegisterSpecification(), {{0, 5}, {1, 7}}).verdict == Verdict::fail);
}

TEST_CASE("a search for a sequential order that spends its budget is undecided and names the sessions' next") {
  History history;
  for (std::uint32_t s = 0; s < 10; ++s) history.fetch_and_add(s, 1 + s, s == 0 ? 1 : 0, 1 + s, 100 + s);
  const auto outcome = search_sequential(history, RegisterSpecification(), {}, {20});
  CHECK(outcome.verdict == Verdict::undecided);
  CHECK_FALSE(outcome.operations.empty());
  CHECK(search_sequential(history, RegisterSpecification()).verdict == Verdict::fail);
}

TEST_CASE("the search for a sequential order and the trial of all orders agree on random histories") {
  RandomStream random(31, "sequential");
  const RegisterSpecification object;
  using Memory = std::vector<ObjectState>;
  const auto act = [&](Memory& memory, const Operation& operation) {
    return object.apply(memory[operation.key], operation);
  };
  Tally tally;
  for (int i = 0; i < some(300'000); ++i) {
    Shape shape;
    shape.operations = 3 + random.below(4);
    shape.sessions = 2 + random.below(3);
    shape.keys = 1 + random.below(3);
    shape.unique_values = i % 3 == 0;
    if (i % 3 == 1) shape.actions = {Action::read, Action::write, Action::compare_and_swap, Action::fetch_and_add};
    shape.lie = i % 2 == 0 ? 0.15 : 0.4;
    const auto history = random_history(random, shape);
    // A pending operation puts nothing after it.
    const bool expected = some_order_explains(history, Memory(shape.keys, object.initial(0)), in_program_order, act);
    INFO("history " << i);
    REQUIRE(search_sequential(history, object).verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.is_balanced());
}

}  // namespace sequential_search_test

#include "models/nic/rpc.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <vector>

#include "sim/kernel/invariant.hpp"
#include "tests/models/nic/two_nics.hpp"

namespace rpc_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

// Two ends; each answers a number with its double, and counts how often it was asked for each.
struct Ends : TwoNics {
  explicit Ends(bool datagrams, RpcOptions rpc = {}, std::uint32_t incarnation = 0)
      : end_a(
            clock_a, incarnation, [this](const RpcEnd::Call& call) { answer(end_a, call); }, rpc),
        end_b(
            clock_b, 0, [this](const RpcEnd::Call& call) { answer(end_b, call); }, rpc) {
    const QueuePair::Queues at_a{queue_a, queue_a}, at_b{queue_b, queue_b};
    if (datagrams) {
      qp_a = &a.nic.create_datagram(at_a);
      qp_b = &b.nic.create_datagram(at_b);
    } else {
      auto &connection_a = a.nic.create_reliable(at_a), &connection_b = b.nic.create_reliable(at_b);
      connection_a.connect(1, connection_b.number());
      connection_b.connect(0, connection_a.number());
      qp_a = &connection_a;
      qp_b = &connection_b;
    }
    end_a.add(*qp_a, {1, qp_b->number()});
    end_b.add(*qp_b, {0, qp_a->number()});
  }
  void answer(RpcEnd& end, const RpcEnd::Call& call) {
    const auto asked = call.content.as<std::uint64_t>();
    ++executed[asked];
    if (silent) {
      unanswered.push_back(call);
    } else {
      end.reply(call, {Content::of(2 * asked)});
    }
  }
  sim::Task<void> ask(std::uint64_t number, sim::Duration timeout = 20_us, std::uint32_t attempts = 100) {
    const auto reply = co_await end_a.call({1, qp_b->number()}, {Content::of(number), 64, sim::OperationId{number}},
                                           {timeout, attempts});
    if (reply) {
      replies[number] = reply->as<std::uint64_t>();
    } else {
      ++given_up;
    }
  }

  sim::Clock clock_a{calendar, "a"}, clock_b{calendar, "b"};
  RpcEnd end_a, end_b;
  CompletionQueue &queue_a = a.nic.create_completion_queue(a.core, end_a),
                  &queue_b = b.nic.create_completion_queue(b.core, end_b);
  QueuePair *qp_a = nullptr, *qp_b = nullptr;
  std::map<std::uint64_t, int> executed;
  std::map<std::uint64_t, std::uint64_t> replies;
  std::vector<RpcEnd::Call> unanswered;
  bool silent = false;
  int given_up = 0;
  std::optional<sim::Scope> tasks{calendar};
};

}  // namespace

TEST_CASE("A call is carried out and answered, over datagrams and over connections") {
  for (const bool datagrams : {false, true}) {
    Ends t(datagrams);
    for (std::uint64_t i = 1; i <= 100; ++i) t.tasks->spawn(t.ask(i));
    t.calendar.run_until();
    CHECK(t.replies.size() == 100);
    for (const auto& [asked, answer] : t.replies) CHECK(answer == 2 * asked);
    CHECK(t.end_a.attempts() == 100);
    CHECK(t.end_a.waiting() == 0);
    CHECK(t.accounting.expected_in_flight() == 0);
  }
}

TEST_CASE("Over wires that lose, double and reorder, each call is carried out once, and all are answered") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    Ends t(true, {8, 64});
    t.context.seed = seed;
    WireFaults faults;
    faults.loss = 0.1;
    faults.duplicate = 0.1;
    faults.reorder = 0.2;
    faults.reorder_delay = 60_us;  // beyond the timeout
    t.ab.set_faults(faults);
    t.ba.set_faults(faults);
    for (std::uint64_t i = 1; i <= 300; ++i) t.tasks->spawn(t.ask(i));
    t.calendar.run_until();
    CHECK(t.replies.size() == 300);
    CHECK(t.executed.size() == 300);
    for (const auto& [asked, times] : t.executed) CHECK(times == 1);
    for (const auto& [asked, answer] : t.replies) CHECK(answer == 2 * asked);
    CHECK(t.end_b.repeated() > 10);
  }
}

TEST_CASE("No more calls are under way than the window, and the others wait for their turn") {
  Ends t(true, {4, 64});
  t.silent = true;
  for (std::uint64_t i = 1; i <= 10; ++i) t.tasks->spawn(t.ask(i, 1_ms, 1));
  t.calendar.run_until(at(100_us));
  CHECK(t.executed.size() == 4);
  CHECK(t.end_a.waiting() == 4);
  t.end_b.reply(t.unanswered[2], {Content::of(std::uint64_t{6})});
  t.calendar.run_until(at(200_us));
  CHECK(t.replies.size() == 1);
  CHECK(t.executed.size() == 5);
}

TEST_CASE("A call is given up after its attempts, and its answer that comes too late harms nobody") {
  Ends t(true, {1, 64});
  t.silent = true;
  t.tasks->spawn(t.ask(1, 10_us, 3));
  t.tasks->spawn(t.ask(2, 10_us, 3));
  t.calendar.run_until(at(25_us));
  CHECK(t.end_b.repeated() > 0);
  CHECK(t.executed[1] == 1);
  t.calendar.run_until(at(45_us));
  CHECK(t.given_up == 1);
  t.end_b.reply(t.unanswered[0], {Content::of(std::uint64_t{77})});  // its slot is another call's by now
  t.end_b.reply(t.unanswered[1], {Content::of(std::uint64_t{4})});
  t.calendar.run_until();
  CHECK(t.replies == std::map<std::uint64_t, std::uint64_t>{{2, 4}});
}

TEST_CASE("A task may be destroyed at any instant of its call, and leaves room for others") {
  for (int step = 0; step < 60; ++step) {
    Ends t(true, {1, 64});
    t.tasks->spawn(t.ask(1));
    t.tasks->spawn(t.ask(2));  // waits for room
    for (int i = 0; i < step && t.calendar.run_one(); ++i) {
    }
    t.tasks.reset();
    CHECK(t.end_a.waiting() == 0);
    t.tasks.emplace(t.calendar);
    t.tasks->spawn(t.ask(3));
    t.calendar.run_until();
    CHECK(t.replies[3] == 6);
    CHECK(t.accounting.expected_in_flight() == 0);
  }
}

TEST_CASE("Calls of a later incarnation are not taken for those of before, also where its numbers wrap") {
  const std::uint32_t before = GENERATE(0, 127);
  INFO("incarnation " << before);
  Ends t(true, {1, 64}, before);
  t.tasks->spawn(t.ask(1));
  t.calendar.run_until();
  CHECK(t.executed[1] == 1);
  RpcEnd again(t.clock_a, before + 1, {}, {1, 64});
  again.add(*t.qp_a, {1, t.qp_b->number()});
  t.tasks->spawn([](Ends& ends, RpcEnd& end) -> sim::Task<void> {
    co_await end.call({1, ends.qp_b->number()}, {Content::of(std::uint64_t{9}), 64}, {10_us, 2});
  }(t, again));
  t.calendar.run_until();
  CHECK(t.executed[9] == 1);
}

TEST_CASE("Receives that an error has flushed are posted again when the queue pair is joined and added anew") {
  Ends t(false, {4, 8});
  auto &a = static_cast<ReliableConnection&>(*t.qp_a), &b = static_cast<ReliableConnection&>(*t.qp_b);
  for (int time = 0; time < 3; ++time) {
    WorkRequest wrong = t.request(Opcode::fetch_add, 1, 65);  // misaligned: both ends go to the error state
    a.post(wrong);
    t.calendar.run_until();
    CHECK(b.state() == QueuePair::State::error);
    a.connect(1, b.number());
    b.connect(0, a.number());
    t.end_a.add(a, {1, b.number()});
    t.end_b.add(b, {0, a.number()});
    const std::uint64_t first = 100 * static_cast<std::uint64_t>(time) + 1;
    for (std::uint64_t i = first; i < first + 20; ++i) t.tasks->spawn(t.ask(i, 1_ms, 1));
    t.calendar.run_until();
    for (std::uint64_t i = first; i < first + 20; ++i) CHECK(t.replies[i] == 2 * i);
  }
  CHECK(t.counters.not_ready.value == 0);
  CHECK(t.given_up == 0);
}

TEST_CASE("A window that is no power of two is refused, and so is a call to a stranger") {
  Ends t(true);
  CHECK_THROWS_AS(RpcEnd(t.clock_a, 0, {}, {3, 1}), std::invalid_argument);
  CHECK_THROWS_AS(RpcEnd(t.clock_a, 0, {}, {512, 1}), std::invalid_argument);
}

TEST_CASE("A call that is answered twice breaks an invariant") {
  const sim::InvariantChecks on(true);
  Ends ends(true);
  ends.silent = true;
  ends.tasks->spawn(ends.ask(4));
  ends.calendar.run_until(at(10_us));
  REQUIRE(ends.unanswered.size() == 1);
  ends.end_b.reply(ends.unanswered[0], {Content::of(std::uint64_t{8})});
  CHECK_THROWS_AS(ends.end_b.reply(ends.unanswered[0], {Content::of(std::uint64_t{8})}), sim::BrokenInvariant);
}

}  // namespace rpc_test

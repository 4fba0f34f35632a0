// Tasks: results, waiting, gathering, and what a crash leaves behind.
#include "sim/kernel/task.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "sim/kernel/waiting.hpp"

namespace task_test {

using namespace racksim::sim;
using namespace racksim::sim::literals;

namespace {

struct World {
  Calendar calendar;
  Clock clock{calendar, "node"};
  Scope scope{calendar};
  std::vector<std::string> log;
};

Task<int> immediate(int value) {
  co_return value;
}

Task<int> later(World& w, Duration d, int value) {
  co_await sleep_for(w.clock, d);
  co_return value;
}

Task<void> note_after(World& w, Duration d, std::string text) {
  co_await sleep_for(w.clock, d);
  w.log.push_back(text + "@" + std::to_string(w.calendar.now().ps()));
}

Task<int> failing(World& w, Duration d) {
  co_await sleep_for(w.clock, d);
  throw std::runtime_error("broken");
}

struct Counted {
  int& alive;
  explicit Counted(int& n) : alive(n) { ++alive; }
  Counted(const Counted&) = delete;
  ~Counted() { --alive; }
};

}  // namespace

TEST_CASE("awaiting a task gives its result at the instant it finishes") {
  World w;
  std::int64_t at = -1;
  int sum = 0;
  auto body = [](World& world, std::int64_t& when, int& result) -> Task<void> {
    result = co_await later(world, 5_ns, 3) + co_await immediate(4) + co_await later(world, 2_ns, 5);
    when = world.calendar.now().ps();
  };
  w.scope.spawn(body(w, at, sum));
  CHECK(w.scope.running() == 1);
  w.calendar.run_until();
  CHECK(sum == 12);
  CHECK(at == 7'000);
  CHECK(w.scope.running() == 0);
}

TEST_CASE("a million operations that complete at once leave the stack flat") {
  World w;
  std::int64_t sum = 0;
  auto body = [](std::int64_t& result) -> Task<void> {
    for (int i = 0; i < 1'000'000; ++i) result += co_await immediate(1);
  };
  w.scope.spawn(body(sum));
  CHECK(sum == 1'000'000);
}

TEST_CASE("a million operations that each finish through the ready queue leave the stack flat") {
  World w;
  Signal ping(w.calendar), pong(w.calendar);
  int rounds = 0;
  auto wait = [](Signal& s) -> Task<void> { co_await s.wait(); };
  auto player = [](auto& waiting, Signal& mine, Signal& other, int& count) -> Task<void> {
    while (count < 1'000'000) {
      co_await waiting(mine);
      ++count;
      other.notify_all();
    }
  };
  w.scope.spawn(player(wait, ping, pong, rounds));
  w.scope.spawn(player(wait, pong, ping, rounds));
  ping.notify_all();
  w.calendar.drain_ready();
  CHECK(rounds >= 1'000'000);
}

TEST_CASE("an exception travels to the awaiter, and out of the run from a root task") {
  World w;
  bool caught = false;
  auto catching = [](World& world, bool& seen) -> Task<void> {
    try {
      co_await failing(world, 1_ns);
    } catch (const std::runtime_error&) {
      seen = true;
    }
  };
  w.scope.spawn(catching(w, caught));
  w.calendar.run_until();
  CHECK(caught);
  auto uncaught = [](World& world) -> Task<void> { co_await failing(world, 1_ns); };
  w.scope.spawn(uncaught(w));
  CHECK_THROWS_WITH(w.calendar.run_until(), "broken");
}

TEST_CASE("a signal wakes those that wait, in order, and a timed wait tells which came first") {
  World w;
  Signal signal(w.calendar);
  auto waiter = [](World& world, Signal& s, Duration timeout, std::string name) -> Task<void> {
    const bool notified = co_await s.wait_for(world.clock, timeout);
    world.log.push_back(name + (notified ? " notified@" : " timed out@") + std::to_string(world.calendar.now().ps()));
  };
  auto notifier = [](World& world, Signal& s) -> Task<void> {
    co_await sleep_for(world.clock, 5_ns);
    s.notify_all();
  };
  w.scope.spawn(waiter(w, signal, 9_ns, "a"));
  w.scope.spawn(waiter(w, signal, 4_ns, "b"));
  w.scope.spawn(waiter(w, signal, 9_ns, "c"));
  w.scope.spawn(notifier(w, signal));
  w.calendar.run_until();
  CHECK(w.log == std::vector<std::string>{"b timed out@4000", "a notified@5000", "c notified@5000"});
  CHECK(w.calendar.pending() == 0);
}

TEST_CASE("gather returns all results in order when the last task has finished") {
  World w;
  std::vector<int> results;
  std::int64_t at = -1;
  auto body = [](World& world, std::vector<int>& out, std::int64_t& when) -> Task<void> {
    std::vector<Task<int>> tasks;
    tasks.push_back(later(world, 9_ns, 1));
    tasks.push_back(immediate(2));
    tasks.push_back(later(world, 3_ns, 3));
    out = co_await gather(std::move(tasks));
    when = world.calendar.now().ps();
  };
  w.scope.spawn(body(w, results, at));
  w.calendar.run_until();
  CHECK(results == std::vector<int>{1, 2, 3});
  CHECK(at == 9'000);
}

TEST_CASE("an exception of one of several tasks is thrown at its instant, whatever the others wait for") {
  World w;
  Signal never(w.calendar);
  auto body = [](World& world, Signal& signal) -> Task<void> {
    std::vector<Task<void>> tasks;
    tasks.push_back([](Signal& s) -> Task<void> { co_await s.wait(); }(signal));
    tasks.push_back([](World& x) -> Task<void> { co_await failing(x, 3_ns); }(world));
    tasks.push_back(note_after(world, 9_ns, "slow"));
    co_await gather(std::move(tasks));
  };
  w.scope.spawn(body(w, never));
  CHECK_THROWS_WITH(w.calendar.run_until(), "broken");
  CHECK(w.calendar.now() == Time::from_ps(3'000));
}

TEST_CASE("of several tasks that end at one instant, one with an exception is not overlooked") {
  World w;
  auto body = [](World& world) -> Task<void> {
    Signal at_once(world.calendar);
    std::vector<Task<void>> tasks;
    tasks.push_back([](World& x, Signal& s) -> Task<void> {
      co_await note_after(x, 3_ns, "quick");
      s.notify_all();
    }(world, at_once));
    tasks.push_back([](World& x, Signal& s) -> Task<void> {
      co_await s.wait();
      throw std::runtime_error(x.log.back() + " and broken");
    }(world, at_once));
    co_await gather(std::move(tasks));
  };
  w.scope.spawn(body(w));
  CHECK_THROWS_WITH(w.calendar.run_until(), "quick@3000 and broken");
}

TEST_CASE("a fast clock's timers expire early in true time") {
  World w;
  w.clock.set_rate(11, 10);
  w.scope.spawn(note_after(w, 11_ns, "eleven fast nanoseconds"));
  w.calendar.run_until();
  CHECK(w.log == std::vector<std::string>{"eleven fast nanoseconds@10000"});
}

TEST_CASE("a crash destroys every task at once, and leaves no timer, waiter or queued resumption") {
  struct Crash {
    World& w;
    Signal& signal;
    void strike() {
      signal.notify_all();  // puts tasks into the ready queue that are then destroyed
      w.scope.cancel_all();
    }
  };
  // The crash strikes before, between and after every instant at which something happens.
  for (std::int64_t ps = 0; ps <= 12'000; ps += 500) {
    World w;
    Signal signal(w.calendar);
    int alive = 0;
    auto leaf = [](World& world, Signal& s, int& n) -> Task<int> {
      Counted counted(n);
      co_await sleep_for(world.clock, 2_ns);
      co_await s.wait_for(world.clock, 3_ns);
      co_return 1;
    };
    auto root = [](auto& make_leaf, World& world, Signal& s, int& n) -> Task<void> {
      Counted counted(n);
      std::vector<Task<int>> tasks;
      tasks.push_back(make_leaf(world, s, n));
      tasks.push_back(make_leaf(world, s, n));
      co_await gather(std::move(tasks));
      co_await make_leaf(world, s, n);
    };
    w.scope.spawn(root(leaf, w, signal, alive));
    w.scope.spawn(root(leaf, w, signal, alive));
    Crash crash{w, signal};
    w.calendar.at<&Crash::strike>(Time::from_ps(ps), w.calendar.add_lane("crash"), crash);
    w.calendar.run_until(Time::from_ps(ps));
    CHECK(alive == 0);
    CHECK(w.scope.running() == 0);
    CHECK(w.calendar.pending() == 0);
    CHECK(!signal.has_waiters());
  }
}

}  // namespace task_test

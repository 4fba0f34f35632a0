// A task that occupies a core may be destroyed at any instant.
#include "models/host/core_wait.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "sim/kernel/task.hpp"

namespace core_wait_test {

using namespace racksim;
using namespace racksim::sim::literals;
using models::occupy;
using sim::Duration;
using sim::Time;

namespace {

/// A core, and tasks each of which occupies it for 100 ns and then notes its number and the instant.
struct Tasks {
  struct Ended {
    int task;
    Duration when;
    bool operator==(const Ended&) const = default;
  };
  void spawn(int number) {
    scopes.push_back(std::make_unique<sim::Scope>(calendar));
    scopes.back()->spawn([](Tasks& t, int n) -> sim::Task<void> {
      co_await occupy(t.core, 100_ns);
      t.ended.push_back({n, t.calendar.now() - Time{}});
    }(*this, number));
  }
  void destroy(int number) { scopes.at(static_cast<std::size_t>(number))->cancel_all(); }

  sim::Calendar calendar;
  models::Core core{calendar, "node0/core0"};
  std::vector<std::unique_ptr<sim::Scope>> scopes;
  std::vector<Ended> ended;
};

}  // namespace

TEST_CASE("a task that is destroyed while it waits for the core is not served") {
  Tasks t;
  for (int i = 0; i < 4; ++i) t.spawn(i);
  t.calendar.run_until(Time{} + 50_ns);
  t.destroy(1);
  t.destroy(3);
  t.calendar.run_until();
  CHECK(t.ended == std::vector<Tasks::Ended>{{0, 100_ns}, {2, 200_ns}});
  CHECK(t.core.busy_time() == 200_ns);
  CHECK(t.core.backlog() == 0);
}

TEST_CASE("a task that is destroyed while the core serves it leaves the core busy to the end of its work") {
  Tasks t;
  for (int i = 0; i < 2; ++i) t.spawn(i);
  t.calendar.run_until(Time{} + 50_ns);
  t.destroy(0);
  t.calendar.run_until();
  CHECK(t.ended == std::vector<Tasks::Ended>{{1, 200_ns}});
  CHECK(t.core.busy_time() == 200_ns);
}

TEST_CASE("work that was to begin later, and whose task is destroyed, takes no time") {
  Tasks t;
  t.core.charge(70_ns);
  for (int i = 0; i < 2; ++i) t.spawn(i);
  t.calendar.run_until(Time{} + 50_ns);
  t.destroy(0);
  t.calendar.run_until();
  CHECK(t.ended == std::vector<Tasks::Ended>{{1, 170_ns}});
  CHECK(t.core.busy_time() == 170_ns);
}

TEST_CASE("tasks destroyed at any instant end nothing and hold up nobody for longer than they had begun") {
  constexpr int kTasks = 9;  // enough that those that wait are no heap by chance
  for (int destroyed = 0; destroyed < kTasks; ++destroyed) {
    for (Duration when = 0_ns; when <= 910_ns; when += 10_ns) {
      Tasks t;
      for (int i = 0; i < kTasks; ++i) t.spawn(i);
      t.calendar.run_until(Time{} + when);
      t.destroy(destroyed);
      t.calendar.run_until();
      const bool begun = when >= 100_ns * destroyed, ended = when >= 100_ns * (destroyed + 1);
      std::vector<Tasks::Ended> expected;
      for (int i = 0; i < kTasks; ++i) {
        if (i == destroyed && !ended) continue;
        expected.push_back({i, 100_ns * (i + 1) - (i > destroyed && !begun ? 100_ns : 0_ns)});
      }
      INFO("task " << destroyed << " after " << when.ns() << " ns");
      CHECK((t.ended == expected));
    }
  }
}

TEST_CASE("a task may be destroyed by the work before it, and after its core was halted") {
  struct Killer {
    Tasks& t;
    void kill() { t.destroy(0); }
  };
  Tasks t;
  Killer killer{t};
  t.core.run<&Killer::kill>(10_ns, killer);
  t.spawn(0);
  t.spawn(1);
  t.calendar.run_until();
  CHECK(t.ended == std::vector<Tasks::Ended>{{1, 110_ns}});
  t.spawn(2);
  t.core.halt();
  t.destroy(2);
  t.calendar.run_until();
  CHECK(t.ended.size() == 1);
}

}  // namespace core_wait_test

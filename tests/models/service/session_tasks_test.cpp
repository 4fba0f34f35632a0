// Sessions as tasks: they die with their node, and somebody is told when enough has been done.
#include "models/service/session_tasks.hpp"

#include <catch2/catch.hpp>

#include "sim/kernel/clock.hpp"
#include "sim/kernel/waiting.hpp"

namespace session_tasks_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::sim::literals;

namespace {

sim::Task<void> operate(sim::Clock& clock, SessionTasks& tasks, int operations) {
  for (int i = 0; i < operations; ++i) {
    co_await sim::sleep_for(clock, 10_ns);
    tasks.operation_ended();
  }
}

}  // namespace

TEST_CASE("sessions run until they end or their node crashes, and a node without sessions may crash too") {
  sim::Calendar calendar;
  sim::Clock clock(calendar, "node0");
  SessionTasks tasks(calendar, 2);
  tasks.spawn(0, operate(clock, tasks, 2));
  tasks.spawn(0, operate(clock, tasks, 5));
  tasks.spawn(1, operate(clock, tasks, 5));
  CHECK(tasks.running() == 3);
  calendar.run_until(sim::Time{} + 25_ns);
  CHECK(tasks.running() == 2);
  tasks.node_crashed(1);
  tasks.node_crashed(7);
  CHECK(tasks.running() == 1);
  calendar.run_until(sim::Time{} + 100_ns);
  CHECK(tasks.running() == 0);
}

TEST_CASE("the notification comes once, with the last of so many operations, and may ask for another") {
  sim::Calendar calendar;
  sim::Clock clock(calendar, "node0");
  SessionTasks tasks(calendar, 1);
  std::vector<std::int64_t> told;
  tasks.notify_after(3, [&] {
    told.push_back(calendar.now().ps());
    tasks.notify_after(1, [&] { told.push_back(calendar.now().ps()); });
  });
  tasks.spawn(0, operate(clock, tasks, 8));
  calendar.run_until(sim::Time{} + 1_us);
  CHECK(told == std::vector<std::int64_t>{30'000, 40'000});
}

TEST_CASE("who waits for more operations than there are is told with the last one, once") {
  sim::Calendar calendar;
  SessionTasks tasks(calendar, 1);
  int told = 0;
  tasks.nothing_more();  // nobody waits
  tasks.notify_after(100, [&] { ++told; });
  tasks.operation_ended();
  CHECK(told == 0);
  tasks.nothing_more();
  tasks.nothing_more();
  tasks.operation_ended();
  CHECK(told == 1);
}

}  // namespace session_tasks_test

// What an application sees of the latches that it holds, on whichever protocol caches lines of disaggregated memory.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/kernel/waiting.hpp"
#include "tests/protocols/disaggregated_run.hpp"

namespace racksim::testing {

/// Another node's read waits at its owner for as long as a thread holds the latch exclusively.
template <class Run>
void check_that_an_exclusive_latch_keeps_others_out(Run& run) {
  sim::Time read_ended = sim::Time::max();
  const auto hold = [&]() -> sim::Task<void> {
    co_await run.memory.lock({0, 0}, run.line(0), models::LockMode::exclusive);
    co_await run.memory.write({0, 0}, run.line(0));
    co_await sim::sleep_for(run.rack.server(0).clock(), 100_us);
    co_await run.memory.write({0, 0}, run.line(0));
    co_await run.memory.unlock({0, 0}, run.line(0));
  };
  run.spawn(hold(), 0);
  run.advance(20_us);
  run.begin({1, 0}, run.line(0), false, &read_ended);
  run.advance(60_us);
  CHECK(read_ended == sim::Time::max());
  CHECK(run.counter("deferred") == 1);
  run.advance(100_us);
  CHECK(read_ended < run.calendar.now());
  run.finish();
  CHECK(run.violations() == "");
}

/// Two nodes hold the latch of a line shared at the same time.
template <class Run>
void check_that_shared_latches_are_held_together(Run& run) {
  int both = 0, most = 0;
  const auto hold = [&](models::NodeId node) -> sim::Task<void> {
    co_await run.memory.lock({node, 0}, run.line(0), models::LockMode::shared);
    most = std::max(most, ++both);
    co_await sim::sleep_for(run.rack.server(node).clock(), 50_us);
    --both;
    co_await run.memory.unlock({node, 0}, run.line(0));
  };
  run.spawn(hold(0), 0);
  run.spawn(hold(1), 1);
  run.advance(200_us);
  CHECK(most == 2);
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace racksim::testing

// SELCC's latches as an application holds them (§6.1), and what a crash of a compute node leaves behind: the paper has
// no recovery, so whoever needs a line that it held waits, and the report says for whom.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/protocols/selcc/selcc_run.hpp"

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;
using models::LockMode;

TEST_CASE("An exclusive latch keeps others out, and its release leaves the line where it is") {
  SelccScript run{Setup{}};
  sim::Time read_ended = sim::Time::max();
  const auto hold = [&]() -> sim::Task<void> {
    co_await run.memory.lock({0, 0}, run.line(0), LockMode::exclusive);
    co_await run.protocol->write({0, 0}, run.line(0));
    co_await sim::sleep_for(run.rack.server(0).clock(), 100_us);
    co_await run.protocol->write({0, 0}, run.line(0));
    co_await run.protocol->unlock({0, 0}, run.line(0));
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

TEST_CASE("Latches held shared by two nodes do not keep each other out") {
  SelccScript run{Setup{}};
  int both = 0, most = 0;
  const auto hold = [&](NodeId node) -> sim::Task<void> {
    co_await run.memory.lock({node, 0}, run.line(0), LockMode::shared);
    most = std::max(most, ++both);
    co_await sim::sleep_for(run.rack.server(node).clock(), 50_us);
    --both;
    co_await run.protocol->unlock({node, 0}, run.line(0));
  };
  run.spawn(hold(0), 0);
  run.spawn(hold(1), 1);
  run.advance(200_us);
  CHECK(most == 2);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("After a crash of its owner a line is stuck, and the waits say who waits for whom") {
  SelccScript run{Setup{}};
  run.write(0, 0);
  run.rack.crash(0);
  run.begin({1, 0}, run.line(0), false);
  run.advance(1_ms);
  const auto waits = run.waits();
  CHECK(std::any_of(waits.begin(), waits.end(), [](const std::string& line) {
    return line.find("node1/thread0") != std::string::npos && line.find("node0") != std::string::npos;
  }));
  // Everybody else goes on.
  CHECK(run.write(2, 1) < 20_us);
}

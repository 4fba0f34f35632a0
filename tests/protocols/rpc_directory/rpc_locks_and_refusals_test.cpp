// Latches as an application holds them, what a crash of a compute node leaves behind, and what is refused.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <stdexcept>

#include "tests/protocols/held_latches.hpp"
#include "tests/protocols/rpc_directory/rpc_directory_run.hpp"

namespace rpc_locks_and_refusals_test {

using namespace racksim;
using namespace racksim::rpc_directory;
using namespace racksim::rpc_directory::testing;
using models::LockMode;

namespace {

std::string refusal(const std::function<void(Setup&)>& change) {
  Setup setup;
  change(setup);
  try {
    Script run(setup);
  } catch (const std::exception& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace

TEST_CASE("With a directory an exclusive latch keeps other nodes out until it is given back") {
  Script run{Setup{}};
  racksim::testing::check_that_an_exclusive_latch_keeps_others_out(run);
}

TEST_CASE("With a directory latches held shared by two nodes do not keep each other out") {
  Script run{Setup{}};
  racksim::testing::check_that_shared_latches_are_held_together(run);
}

TEST_CASE("After a crash of its owner a line's directory entry is stuck, and the waits say who waits for whom") {
  Script run{Setup{}};
  run.write(0, 0);
  run.rack.crash(0);
  run.begin({1, 0}, run.line(0), false);
  run.begin({2, 0}, run.line(0), false);
  run.advance(1_ms);
  const auto waits = run.waits();
  const auto told = [&](const char* who, const char* whom) {
    return std::any_of(waits.begin(), waits.end(), [&](const std::string& wait) {
      return wait.find(who) != std::string::npos && wait.find(whom) != std::string::npos;
    });
  };
  CHECK(told("node1/thread0", "node0"));
  CHECK(told("node2/thread0", "node1/thread0"));
  // Everybody else goes on.
  sim::Time ended = sim::Time::max();
  run.begin({3, 0}, run.line(1), true, &ended);
  run.advance(20_us);
  CHECK(ended < run.calendar.now());
}

TEST_CASE("What does not fit a directory's rack is refused with its reason") {
  CHECK(refusal([](Setup& setup) { setup.rack.roles = {}; }).find("apart") != std::string::npos);
  CHECK(refusal([](Setup& setup) { setup.micro.threads = 7; }).find("7 application threads") != std::string::npos);
  CHECK(refusal([](Setup& setup) { setup.micro.threads = 6; }) == "");
  CHECK(refusal([](Setup& setup) { setup.options.directory_cores = 9; }).find("8 cores") != std::string::npos);
  CHECK(refusal([](Setup& setup) { setup.options.directory_cores = 8; }) == "");
  CHECK(refusal([](Setup& setup) { setup.options.line_bytes = 320; }).find("power of two") != std::string::npos);
  CHECK(refusal([](Setup& setup) { setup.options.cache_bytes = setup.options.line_bytes; }).find("2 threads") !=
        std::string::npos);
}

TEST_CASE("With a directory a node has room for as many locks as its cache has frames") {
  Script run{Setup{}};
  CHECK(run.memory.shape().lines_pinned_per_node == 16);
  CHECK(run.memory.shape().locks_per_session == 0);
}

TEST_CASE("With a directory a latch that a thread does not hold, and a write under one held shared, are refused") {
  Script run{Setup{}};
  run.spawn(run.memory.lock({0, 0}, run.line(0), LockMode::shared));
  run.advance(100_us);
  const auto write = [](Script& r) -> sim::Task<void> { co_await r.memory.write({0, 0}, r.line(0)); };
  CHECK(run.refusal(write(run)).find("holds shared") != std::string::npos);
  CHECK(run.refusal(run.memory.unlock({0, 0}, run.line(0))) == "");
  CHECK(run.refusal(run.memory.unlock({0, 0}, run.line(0))).find("does not hold") != std::string::npos);
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace rpc_locks_and_refusals_test

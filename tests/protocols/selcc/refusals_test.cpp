// What SELCC refuses before a run, with the reason, and what it refuses at a call.
#include <catch2/catch.hpp>
#include <functional>
#include <stdexcept>

#include "sim/options/option_error.hpp"
#include "tests/protocols/selcc/selcc_run.hpp"

namespace refusals_test {

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;

namespace {

std::string refusal(const std::function<void(Setup&)>& change) {
  Setup setup;
  change(setup);
  try {
    SelccScript run(setup);
  } catch (const std::exception& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace

TEST_CASE("More compute nodes than the latch word has bits for are refused", "[claim:selcc-s43-max-nodes]") {
  CHECK(refusal([](Setup& setup) {
          setup.rack.nodes = 60;
          setup.rack.network_switch.ports = 64;
          setup.rack.roles = {.compute = 59, .memory = 1};
        }).find("59 compute nodes") != std::string::npos);
  CHECK(refusal([](Setup& setup) {
          setup.rack.nodes = 60;
          setup.rack.network_switch.ports = 64;
          setup.rack.roles = {.compute = 58, .memory = 2};
        }) == "");
}

TEST_CASE("Nodes that both compute and hold memory are refused, and so is a rack without memory servers") {
  CHECK(refusal([](Setup& setup) { setup.rack.roles = {}; }).find("apart") != std::string::npos);
  CHECK(refusal([](Setup& setup) { setup.rack.roles = {.compute = 6, .memory = 2}; }).find("apart") !=
        std::string::npos);
}

TEST_CASE("More threads than cores beside handler and evictor are refused") {
  CHECK(refusal([](Setup& setup) { setup.micro.threads = 7; }).find("7 application threads") != std::string::npos);
  CHECK(refusal([](Setup& setup) { setup.micro.threads = 6; }) == "");
}

TEST_CASE("A line that is no power of two, and a cache below one line a thread, are refused") {
  CHECK(refusal([](Setup& setup) { setup.selcc.line_bytes = 320; }).find("power of two") != std::string::npos);
  CHECK(refusal([](Setup& setup) { setup.selcc.cache_bytes = setup.selcc.line_bytes; }).find("2 threads") !=
        std::string::npos);
}

// A line that is latched keeps its frame, of which there are 16.
TEST_CASE("Threads that together hold more latches than the cache has frames are refused before the run") {
  const auto spanning = [](std::uint64_t lines, models::MicroOptions::Mode mode) {
    Setup setup;
    setup.micro.mode = mode;
    setup.micro.working_set = 1024 * setup.selcc.line_bytes;
    setup.micro.access_bytes = 8 + (lines - 1) * setup.selcc.line_bytes;
    try {
      SelccRun run(setup);
    } catch (const sim::OptionError& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  using Mode = models::MicroOptions::Mode;
  CHECK(spanning(8, Mode::lock_and_access) == "");
  CHECK_THAT(spanning(9, Mode::lock_and_access),
             Catch::Contains("holds locks of 18 blocks at a node: 2 threads, 9 locks at once, expected at most 16"));
  CHECK_THAT(spanning(9, Mode::try_lock), Catch::Contains("expected at most 16"));
  CHECK(spanning(9, Mode::access) == "");
}

TEST_CASE("A thread that gives back a latch that it does not hold is refused, and nothing is changed") {
  SelccScript run{Setup{}};
  run.write(0, 0);
  CHECK(run.refusal(run.memory.unlock({0, 0}, run.line(0))).find("gives back a latch that it does not hold") !=
        std::string::npos);
  CHECK(run.state(0, 0) == FrameState::modified);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A write under a latch that is held shared is refused") {
  SelccScript run{Setup{}};
  run.spawn(run.memory.lock({0, 0}, run.line(0), models::LockMode::shared));
  run.advance(100_us);
  const auto write = [](SelccScript& r) -> sim::Task<void> { co_await r.memory.write({0, 0}, r.line(0)); };
  CHECK(run.refusal(write(run)).find("latch that it holds shared") != std::string::npos);
  run.spawn(run.memory.unlock({0, 0}, run.line(0)));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("An address at no memory server is refused at the call, and the run goes on") {
  SelccScript run{Setup{}};
  const models::GlobalAddress beyond = models::GlobalAddress::at(6, 0), at_compute = models::GlobalAddress::at(0, 512);
  const auto write = [](SelccScript& r, models::GlobalAddress at) -> sim::Task<void> {
    co_await r.memory.write({1, 0}, at);
  };
  const auto read = [](SelccScript& r, models::GlobalAddress at) -> sim::Task<void> {
    co_await r.memory.read({1, 0}, at);
  };
  for (const models::GlobalAddress at : {beyond, at_compute}) {
    CHECK(run.refusal(write(run, at)).find("out of range") != std::string::npos);
    CHECK(run.refusal(read(run, at)).find("memory is at nodes 4 to 5") != std::string::npos);
    CHECK(run.refusal(run.memory.lock({1, 0}, at)).find("out of range") != std::string::npos);
  }
  run.write(1, 0);
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace refusals_test

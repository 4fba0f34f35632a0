// What SELCC refuses before a run, with the reason, and what it refuses at a call.
#include <catch2/catch.hpp>
#include <functional>
#include <stdexcept>

#include "sim/options/option_error.hpp"
#include "tests/protocols/selcc/selcc_run.hpp"

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

TEST_CASE("More compute nodes than the latch word has bits for are refused") {
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

TEST_CASE("A thread that gives back a latch that it does not hold is refused, and nothing is changed") {
  SelccScript run{Setup{}};
  run.write(0, 0);
  bool refused = false;
  const auto unlock = [&]() -> sim::Task<void> {
    try {
      co_await run.protocol->unlock({0, 0}, run.line(0));
    } catch (const std::invalid_argument&) {
      refused = true;
    }
  };
  run.spawn(unlock());
  run.advance(10_us);
  CHECK(refused);
  CHECK(run.state(0, 0) == FrameState::modified);
}

TEST_CASE("A write under a latch that is held shared is refused") {
  SelccScript run{Setup{}};
  bool refused = false;
  const auto write = [&]() -> sim::Task<void> {
    co_await run.protocol->lock({0, 0}, run.line(0), models::LockMode::shared);
    try {
      co_await run.protocol->write({0, 0}, run.line(0));
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    co_await run.protocol->unlock({0, 0}, run.line(0));
  };
  run.spawn(write());
  run.advance(100_us);
  CHECK(refused);
}

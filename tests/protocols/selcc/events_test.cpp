// What an access costs the calendar, on a rack that does nothing else: events are what a run's time is made of.
#include <catch2/catch.hpp>

#include "tests/protocols/selcc/selcc_run.hpp"

namespace events_test {

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;

namespace {

/// Events from the call of an access to its return.
std::uint64_t events_of(SelccScript& run, std::uint64_t line, bool write) {
  std::uint64_t events = 0;
  const auto access = [&]() -> sim::Task<void> {
    const std::uint64_t before = run.calendar.executed();
    if (write) {
      co_await run.memory.write({0, 0}, run.line(line));
    } else {
      co_await run.memory.read({0, 0}, run.line(line));
    }
    events = run.calendar.executed() - before;
  };
  run.spawn(access());
  run.advance(300_us);
  return events;
}

}  // namespace

// Two packets go there and two come back, each by a switch, which makes 8 events; the responder has one for each
// answer, the thread one for the completion, and one for the time that it spends on the line.
TEST_CASE("An uncontended miss takes 12 events from its call to its return, whatever the line") {
  for (const std::uint64_t bytes : {64, 256, 2048}) {
    INFO("lines of " << bytes << " bytes");
    Setup setup;
    setup.micro.working_set = 64 * bytes;
    setup.selcc.line_bytes = bytes;
    setup.selcc.cache_bytes = 16 * bytes;
    SelccScript run(setup);
    run.read(0, 0);
    CHECK(events_of(run, 1, false) == 12);
    CHECK(events_of(run, 2, true) == 12);
    run.finish();
    CHECK(run.violations() == "");
  }
}

// Of an upgrade one packet goes there and one comes back.
TEST_CASE("An upgrade takes 7 events from its call to its return") {
  SelccScript run{Setup{}};
  run.read(0, 0);
  CHECK(events_of(run, 0, true) == 7);
}

// When a thread has spent its time on a line others may see it: that is an instant, and somebody has to wait for it.
TEST_CASE("A hit takes the one event at which its time on the core is over") {
  SelccScript run{Setup{}};
  run.write(0, 0);
  CHECK(events_of(run, 0, false) == 1);
  CHECK(events_of(run, 0, true) == 1);
}

}  // namespace events_test

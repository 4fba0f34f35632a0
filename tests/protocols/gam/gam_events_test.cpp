// What GAM's messages cost the calendar: events are what a run's time is made of.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/protocols/gam/gam_run.hpp"

namespace gam_events_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;

namespace {

/// Events of an access and all that follows from it, beyond those that come anyhow.
std::uint64_t events_of(Script& run, models::NodeId node, std::uint64_t line, bool write) {
  const auto executed_in_a_while = [&] {
    const std::uint64_t before = run.calendar.executed();
    run.advance(300_us);
    return run.calendar.executed() - before;
  };
  const std::uint64_t idle = executed_in_a_while();
  run.begin({node, 0}, run.line(line), write);
  return executed_in_a_while() - idle;
}

}  // namespace

// A message leaves, crosses two wires and a switch, is acknowledged by its receiver's NIC, and is handled by the
// worker.
TEST_CASE("A message of GAM takes at most 6 events, those of the request that it serves included") {
  Setup setup;
  setup.rack.nic.rc_retransmission_timeout = 100_ms;  // the timer, one event for all messages within it, is left out
  Script run(setup);
  Messages messages(run);
  const std::uint64_t local = std::max(events_of(run, 0, 0, true), events_of(run, 0, 0, false));
  CHECK(messages.taken().empty());
  for (const auto& [name, node, line, write, count] :
       {std::tuple{"remote read, clean", 1, 0, false, 2u}, std::tuple{"remote read, shared", 2, 0, false, 2u},
        std::tuple{"upgrade with a sharer", 1, 0, true, 4u}, std::tuple{"remote write, dirty", 2, 0, true, 5u},
        std::tuple{"remote read, dirty", 3, 0, false, 4u}, std::tuple{"home write, shared", 0, 0, true, 4u}}) {
    const std::uint64_t events =
        events_of(run, static_cast<models::NodeId>(node), static_cast<std::uint64_t>(line), write);
    INFO(name << ": " << events << " events, of which " << local << " for the request");
    CHECK(messages.taken().size() == count);
    CHECK(events <= 6 * count + local);
  }
}

}  // namespace gam_events_test

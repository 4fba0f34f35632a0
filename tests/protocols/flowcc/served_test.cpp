// What FlowCC sends again, and what explains it to the oracle `served`.
#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace flowcc_served_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Ownership = FlowCcOptions::Ownership;

namespace {

std::uint64_t timeouts(const FlowCcRun& run) {
  return run.counter("request_retransmissions") + run.counter("unlock_retransmissions");
}

std::string first(const FlowCcRun& run) {
  return run.oracle("served").violations().empty() ? "" : run.oracle("served").violations().front().what;
}

}  // namespace

TEST_CASE("on sound wires every request is served at once, failed ACKs among them") {
  for (const auto ownership : {Ownership::switch_owned, Ownership::home}) {
    Setup setup;
    setup.flowcc.ownership = ownership;
    FlowCcRun run(setup);
    run.finish();
    CHECK(first(run) == "");
    CHECK(timeouts(run) == 0);
    CHECK(run.counter("failed_events") > 0);  // refusals that the protocol answers
  }
}

TEST_CASE("loss, reordering and RC go-back-N explain each timeout by a packet of its operation") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Setup setup;
    setup.seed = seed;
    setup.rack.faults = lossy();
    FlowCcRun run(setup);
    run.finish();
    INFO("seed " << seed);
    CHECK(first(run) == "");
    CHECK(timeouts(run) > 0);
    CHECK(std::get<sim::Counter>(run.metrics.find("nic.rc_retransmitted")->value).value > 0);
  }
}

TEST_CASE("without the check table a request goes to nobody: served speaks though no fault did it") {
  // Table 2 refuses a WRITE-SHARED of a block that has no holder any more; forwarded, it reaches nobody.
  Setup setup;
  setup.flowcc.check_table = false;
  setup.flowcc.miss_setup = 5_us;  // between choosing the request and sending it, others may take the copy
  setup.plan.drain = 1_ms;
  FlowCcRun run(setup);
  run.finish();
  CHECK(run.rack.accounting().dropped() == run.rack.accounting().dropped(models::DropReason::switch_program));
  CHECK(run.oracle("served").violation_count() > 0);
}

TEST_CASE("timeouts shorter than what they wait for are no excuse") {
  Setup setup;
  setup.flowcc.ownership = Ownership::home;
  setup.flowcc.home_agent_work = 5_us;
  setup.measure(500);
  FlowCcRun run(setup);
  run.finish();
  CHECK(run.violations({"served", "bounded-waiting"}) == "");
  CHECK(timeouts(run) > 0);
  CHECK(run.oracle("served").violation_count() > 0);
}

}  // namespace flowcc_served_test

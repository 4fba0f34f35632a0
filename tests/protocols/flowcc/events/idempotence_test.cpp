// The idempotence rules as printed in Concordia §5.3 leak a lock after one spurious timeout, without any loss.
//
// Two requesters, one block of which the home has the only copy, every wire lossless and in order:
//
//   A writes: its WRITE-MISS takes the lock
//   B reads:  its first READ-MISS finds the lock taken; the failed ACK's way to B stalls for 20 us
//   A unlocks
//   B times out after 6 RTT = 13.2 us, though nothing is lost, and sends again: this READ-MISS takes the lock
//   B gets the failed ACK of its first transmission
//
// As printed B gives the event up. Nobody will ever unlock for it: no failed event sends an unlock. Under the rules of
// event_runner.hpp B sees that the failed ACK does not answer its latest transmission, and waits for the one that does.
#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace idempotence_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Idempotence = FlowCcOptions::Idempotence;

namespace {

struct Scenario {
  explicit Scenario(Idempotence idempotence, bool stall) : run(setup(idempotence)) {
    if (stall) {
      // One stall of the wire from the switch to B; what follows on it keeps its order.
      models::WireFaults stalled;
      stalled.spike = 1;
      stalled.spike_delay = 20_us;
      run.rack.downlink(kB).set_faults(stalled);
      run.rack.downlink(kB).set_faults({}, sim::Time{} + 10_us);
    }
    run.begin({kA, 0}, run.shared_block(0), true, &a_ended);
    // B's request reaches the switch when A's holds the lock and waits for its data: A's request takes one way to the
    // switch, the lock is held for at least three more.
    run.advance_to(sim::Time{} + 500_ns);
    run.begin({kB, 0}, run.shared_block(0), false, &b_ended);
    run.advance_to(sim::Time{} + 1_ms);
    run.finish();
  }
  static Setup setup(Idempotence idempotence) {
    Setup setup;
    setup.flowcc.idempotence = idempotence;
    setup.rack.nodes = 3;
    setup.micro.threads = 1;
    setup.micro.sharing_ratio = 1;
    return setup;
  }
  static constexpr models::NodeId kA = 1, kB = 2;
  FlowCcScript run;
  sim::Time a_ended = sim::Time::max(), b_ended = sim::Time::max();
};

}  // namespace

TEST_CASE("as printed, one spurious timeout leaks a lock without any loss") {
  Scenario scenario(Idempotence::paper, true);
  FlowCcScript& run = scenario.run;
  CHECK(run.rack.accounting().dropped() == 0);
  CHECK(scenario.a_ended < sim::Time{} + 10_us);
  CHECK(run.found("leaked-lock"));
}

TEST_CASE("the safe rules survive the same spurious timeout") {
  Scenario scenario(Idempotence::safe, true);
  FlowCcScript& run = scenario.run;
  CHECK(run.violations() == "");
  CHECK(run.protocol->quiescent());
  CHECK(run.rack.accounting().dropped() == 0);
  // The scenario is what it says: B timed out once, nothing failed in the end, and the stall is what B waited for.
  CHECK(run.counter("request_retransmissions") == 1);
  CHECK(run.counter("failed_events") == 0);
  CHECK(scenario.b_ended > sim::Time{} + 20_us);
  CHECK(scenario.b_ended < sim::Time{} + 30_us);
}

TEST_CASE("without the stall both rules are clean: B's failed ACK makes it try again",
          "[claim:concordia-inv-conflict-failed-ack]") {
  for (const auto idempotence : {Idempotence::paper, Idempotence::safe}) {
    Scenario scenario(idempotence, false);
    CHECK(scenario.run.violations() == "");
    CHECK(scenario.run.counter("request_retransmissions") == 0);
    CHECK(scenario.run.counter("failed_events") >= 1);
    // When A's unlock frees the block, B's latest attempt may just have failed: it ends, and the next one succeeds.
    // Neither takes longer than A's miss, which nothing disturbed. As printed, B then waits for the write-back of what
    // A wrote.
    const sim::Duration miss = scenario.a_ended - sim::Time{};
    CHECK(scenario.b_ended < scenario.a_ended + (idempotence == Idempotence::paper ? 3 : 2) * miss);
  }
}

TEST_CASE(
    "as printed, contention and timeouts that are too short leak locks on lossless wires; the safe rules do not") {
  for (const auto idempotence : {Idempotence::paper, Idempotence::safe}) {
    bool leaked = false;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Setup setup;
      setup.seed = seed;
      setup.flowcc.idempotence = idempotence;
      setup.rack.rtt = 300_ns;  // a round trip takes 2.2 us or more
      setup.plan.expect_timeouts = true;
      setup.measure(500);
      setup.plan.drain = 1_ms;
      FlowCcRun run(setup);
      run.finish();
      leaked = leaked || !run.violations().empty();
    }
    CHECK(leaked == (idempotence == Idempotence::paper));
  }
}

}  // namespace idempotence_test

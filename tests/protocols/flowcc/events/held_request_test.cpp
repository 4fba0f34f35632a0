// A READ-MISS that reaches the owner of a Modified block long after its event is over, while nobody asked for the block
// in the meantime (block.hpp, `route`):
//
//   A has written the block.
//   B reads:  the switch forwards its READ-MISS to A, Modified as the block is, and the wire to A holds it
//   C reads:  A downgrades to a clean copy and sends the data; C unlocks, the block is Shared by A and C
//   B times out after 6 RTT and sends again, marked: it goes to all holders, so that A too has seen B's event
//   A writes: its copy is dirty again
//   B's first READ-MISS arrives at A, and says Modified
//
// Without the mark the retransmission goes to one holder, the data provider. Where that is C, A takes the late request
// for a new one and downgrades the copy that it has written since: the switch still says Modified, so A can never write
// it again.
#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace held_request_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

TEST_CASE("a request that is held until its event is over and its block rewritten changes nothing") {
  constexpr models::NodeId kA = 0, kB = 1, kC = 2;
  // The data provider is picked by requester and sequence number: with one event more before it is the other holder.
  for (std::uint64_t events_before = 0; events_before < 2; ++events_before) {
    INFO("B has had " << events_before << " events before");
    Setup setup;
    setup.rack.nodes = 3;
    setup.micro.threads = 1;
    setup.micro.sharing_ratio = 1;
    FlowCcScript run(setup);
    for (std::uint64_t i = 0; i < events_before; ++i) run.access({kB, 0}, run.shared_block(3 + i), false);
    const models::GlobalAddress block = run.shared_block(0);
    run.access({kA, 0}, block, true);

    models::TargetedFault held;
    held.match = {"flowcc", {{"type", static_cast<std::uint64_t>(MessageType::read_miss)}, {"requester", kB}}};
    held.effect = models::TargetedFault::Effect::hold;
    held.delay = 100_us;
    run.rack.downlink(kA).add_targeted_fault(held);
    const sim::Time begin = run.calendar.now();
    const auto at = [&](sim::Duration since) { run.advance_to(begin + since); };
    sim::Time b_read = sim::Time::max(), c_read = b_read, a_wrote = b_read, a_wrote_again = b_read;
    run.begin({kB, 0}, block, false, &b_read);
    run.begin({kC, 0}, block, false, &c_read);
    at(60_us);
    CHECK(c_read < begin + 10_us);
    CHECK(b_read > begin + 13'200_ns);
    CHECK(b_read < begin + 20_us);
    CHECK(run.counter("request_retransmissions") == 1);
    run.begin({kA, 0}, block, true, &a_wrote);
    at(90_us);
    CHECK(a_wrote < begin + 70_us);
    CHECK(run.counter("repeated_requests") == 0);
    at(150_us);
    CHECK(run.counter("repeated_requests") == 1);  // the held one, which has been executed already
    run.begin({kA, 0}, block, true, &a_wrote_again);
    at(1_ms);
    CHECK(a_wrote_again < begin + 152_us);  // A's copy is still dirty
    run.finish();
    CHECK(run.violations() == "");
  }
}

}  // namespace held_request_test

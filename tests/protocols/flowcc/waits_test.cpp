// What people read of a run of FlowCC that stands still: who waits for which lock, which ACK and which unlock.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/oracles/oracle.hpp"
#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace flowcc_waits_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Ownership = FlowCcOptions::Ownership;

namespace {

constexpr models::NodeId kA = 1, kB = 2;

/// Three nodes with a thread each, of which node 0 is the home of the first block.
Setup three_nodes(Ownership ownership) {
  Setup setup;
  setup.flowcc.ownership = ownership;
  setup.rack.nodes = 3;
  setup.micro.threads = 1;
  setup.plan.stall = 1_ms;
  return setup;
}

/// What a wire does from now on to this many packets of a type.
void harm(models::Wire& wire, MessageType type, models::TargetedFault::Effect effect, std::uint64_t count,
          sim::Duration delay = {}) {
  models::TargetedFault fault;
  fault.match = {"flowcc", {{"type", static_cast<std::uint64_t>(type)}}, {}};
  fault.effect = effect;
  fault.count = count;
  fault.delay = delay;
  wire.add_targeted_fault(fault);
}

bool has_line(const FlowCcRun& run, const std::string& beginning, const std::string& end) {
  const std::vector<std::string> lines = run.stall();
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.starts_with(beginning) && line.ends_with(end); });
}

std::string all_lines(const FlowCcRun& run) {
  std::string text;
  for (const std::string& line : run.stall()) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("a reader that stands still waits for the unlock that has the lock, and the unlock for the block's owner") {
  for (const auto ownership : {Ownership::switch_owned, Ownership::home}) {
    FlowCcScript run(three_nodes(ownership));
    const auto block = run.shared_block(0);
    const std::string key = sim::printed_key(run.protocol->block_of(block));
    harm(run.rack.uplink(kA), MessageType::unlock_write, models::TargetedFault::Effect::drop, 1'000'000);
    run.begin({kA, 0}, block, true);
    run.advance(20_us);
    run.begin({kB, 0}, block, false);
    run.advance(5_ms);
    run.finish();
    INFO(all_lines(run));
    CHECK(run.violations({"stall", "served"}) == "");
    CHECK(run.found("stall"));
    CHECK(has_line(run,
                   "node2/thread0 waits for unlock of block " + key + " by node1/thread0: READ-MISS of block " + key,
                   ": its lock"));
    CHECK(has_line(run, "unlock of block " + key + " by node1/thread0 waits for ",
                   (ownership == Ownership::home ? "home agent of node0" : "switch") +
                       std::string(": sent, and not acknowledged")));
    CHECK_FALSE(has_line(run, "in a circle", ""));
  }
}

TEST_CASE(
    "an unlock that never arrives is a stall although every operation has ended; what rests for as long is none") {
  for (const bool lost : {true, false}) {
    FlowCcScript run(three_nodes(Ownership::switch_owned));
    if (lost) harm(run.rack.uplink(kA), MessageType::unlock_write, models::TargetedFault::Effect::drop, 1'000'000);
    run.access({kA, 0}, run.shared_block(0), true);
    REQUIRE(run.protocol->pending_operations() == 0);
    run.advance(900_us);
    if (!lost) run.access({kA, 0}, run.shared_block(1), true);
    run.advance(5_ms);
    run.finish();
    INFO(run.violations());
    CHECK(run.found("stall") == lost);
    // A script says that it may have more, and does not wait for a timer.
    CHECK(run.found("idle-workload") == !lost);
  }
}

// Readers share the lock (Concordia §5.1.1): who has it for reading bars no reader.
TEST_CASE("a reader whose request is lost waits for the block's owner, and not for another reader's lock") {
  for (const auto ownership : {Ownership::switch_owned, Ownership::home}) {
    FlowCcScript run(three_nodes(ownership));
    const auto block = run.shared_block(0);
    const std::string key = sim::printed_key(run.protocol->block_of(block));
    harm(run.rack.uplink(kA), MessageType::unlock_read, models::TargetedFault::Effect::drop, 1'000'000);
    run.begin({kA, 0}, block, false);
    run.advance(20_us);
    harm(run.rack.uplink(kB), MessageType::read_miss, models::TargetedFault::Effect::drop, 1'000'000);
    run.begin({kB, 0}, block, false);
    run.advance(5_ms);
    run.finish();
    INFO(all_lines(run));
    const std::string owner = ownership == Ownership::home ? "home agent of node0" : "switch";
    CHECK(has_line(run, "unlock of block " + key + " by node1/thread0 waits for " + owner,
                   ": sent, and not acknowledged"));
    CHECK(has_line(run, "node2/thread0 waits for " + owner + ": READ-MISS of block " + key, ": an answer"));
    CHECK_FALSE(has_line(run, "node2/thread0 waits for unlock", ""));
    CHECK_FALSE(has_line(run, "node2/thread0 waits for node1/thread0", ""));
  }
}

TEST_CASE("a request that no cache agent answers waits for the agents that have not acknowledged it") {
  FlowCcScript run(three_nodes(Ownership::switch_owned));
  const auto block = run.shared_block(0);
  for (const models::NodeId sharer : {models::NodeId{0}, kB}) run.access({sharer, 0}, block, false);
  // Of the two copies of the invalidation the one to node 2 is lost.
  harm(run.rack.downlink(kB), MessageType::write_miss, models::TargetedFault::Effect::drop, 1'000'000);
  run.begin({kA, 0}, block, true);
  run.advance(5_ms);
  run.finish();
  INFO(all_lines(run));
  CHECK(has_line(run, "node1/thread0 waits for cache agent of node2: WRITE-MISS of block ", ": its ACK"));
  CHECK_FALSE(has_line(run, "node1/thread0 waits for cache agent of node0", ""));
}

// As printed, a request that comes when its event is over takes a lock for nobody (paper_order_test.cpp). Who asked for
// it may be the next to want it.
TEST_CASE("a requester that waits for a lock of its own, which nobody gives back, is a circle of one") {
  Setup setup = three_nodes(Ownership::home);
  setup.flowcc.idempotence = FlowCcOptions::Idempotence::paper;
  FlowCcScript run(setup);
  const auto block = run.shared_block(0);
  harm(run.rack.uplink(kA), MessageType::write_miss, models::TargetedFault::Effect::hold, 1, 100_us);
  run.begin({kA, 0}, block, true);
  run.advance(50_us);
  run.begin({kB, 0}, block, true);
  run.advance(100_us);
  run.begin({kA, 0}, block, true);
  run.advance(5_ms);
  run.finish();
  INFO(all_lines(run));
  CHECK(run.found("stall"));
  REQUIRE_FALSE(run.stall().empty());
  CHECK(run.stall().front() == "in a circle: node1/thread0 -> node1/thread0");
  CHECK(has_line(run, "node1/thread0 waits for node1/thread0: WRITE-MISS of block ", ": its lock"));
}

}  // namespace flowcc_waits_test

// ccKVS whose messages are lost, doubled and late, and sent again, which the paper does not treat: what is to be sent
// again, to whom, and with which credits.
#include <catch2/catch.hpp>

#include "tests/protocols/cckvs/cckvs_run.hpp"

namespace retransmit_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;

TEST_CASE("with retransmit every promise holds through loss, duplication and late messages, credits included") {
  auto options = small(GENERATE(Consistency::sc, Consistency::lin));
  options.rules.retransmit = true;
  options.rules.losers = GENERATE(Rules::Losers::wait, Rules::Losers::acked);
  options.retransmit_after = 50_us;
  options.partitioning = GENERATE(Partitioning::crcw, Partitioning::erew);
  options.broadcast = GENERATE(Broadcast::unicast, Broadcast::multicast);
  options.coalesce = GENERATE(1u, 8u);
  const bool few = GENERATE(false, true);
  if (few) {
    options.request_credits = 1;
    options.consistency_credits = options.credit_batch = 2;
  }
  Setup setup = contended(GENERATE(1u, 2u, 3u), 20, 0.3);
  setup.workload->preload = 8;
  setup.rack.faults = {.loss = 0.01, .duplicate = 0.01, .reorder = 0.1, .reorder_delay = 20_us};
  CckvsRun run(setup, options);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counted("sent_again") > 0);
}

TEST_CASE("a copy of a multicast that is lost is sent again to whom it was for, and to nobody else") {
  auto options = small(GENERATE(Consistency::sc, Consistency::lin));
  const bool lin = options.rules.consistency == Consistency::lin;
  options.rules.retransmit = true;
  options.retransmit_after = 50_us;
  options.broadcast = Broadcast::multicast;
  CckvsRun run(scripted(1, 4), options);
  models::TargetedFault drop;
  drop.match = {.header = "deth", .fields = {}};
  drop.count = 1;
  run.rack.downlink(2).add_targeted_fault(std::move(drop));  // the copy of the update, or of the invalidation
  const Ended written = run.put_now(kAlice, 0);
  CHECK((written.took > 50_us) == lin);
  run.advance(200_us);
  for (models::NodeId node = 0; node < 4; ++node) CHECK(run.get_now({node, 0}, 0).value == written.value);
  const MessageClass lost = lin ? MessageClass::invalidation : MessageClass::update;
  CHECK(run.packets(lost) == 2);  // to all, and to one
  CHECK(run.packets(MessageClass::update) == (lin ? 1 : 2));
  run.finish();
  CHECK(run.violations() == "");
}

// What goes to one between two messages to all does not use up their numbers and credits.
TEST_CASE("credits of a multicast come back although copies are lost") {
  auto options = small(GENERATE(Consistency::sc, Consistency::lin));
  options.rules.retransmit = true;
  options.retransmit_after = 50_us;
  options.broadcast = Broadcast::multicast;
  options.consistency_credits = options.credit_batch = GENERATE(1u, 2u);
  CckvsRun run(scripted(1, 4), options);
  for (const models::NodeId node : {1, 2, 3}) {
    models::TargetedFault drop;
    drop.match = {.header = "deth", .fields = {}};
    drop.count = 5;
    run.rack.downlink(node).add_targeted_fault(std::move(drop));
  }
  for (int i = 0; i < 8; ++i) CHECK(run.put_now(kAlice, 0).write);
  run.advance(1_ms);
  CHECK(run.put_now(kAlice, 0).took < 50_us);  // by what goes to all, without sending it again
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE(
    "of a packet of many requests that comes twice each put is executed once, whether keys are handed over or not") {
  auto options = small(Consistency::lin);
  options.cache_threads = options.kvs_threads = 1;
  options.coalesce = 32;
  options.request_credits = 1;
  options.rules.retransmit = true;
  options.learning = GENERATE(false, true);
  options.epoch = 30_us;
  options.cache_keys = 4;
  options.message_work = 15_ns;  // so that requests crowd at the KVS thread
  Setup setup = contended(GENERATE(1u, 2u), 40);
  setup.rack.nodes = 2;
  setup.rack.cores = 2;
  setup.rack.faults = {.duplicate = 1, .reorder = 0.2, .reorder_delay = 20_us};
  setup.workload->preload = 4;
  setup.workload->threads = 1;
  setup.workload->window = 100;
  CckvsRun run(setup, options);
  run.finish();
  CHECK(run.violations() == "");
  const std::uint64_t first_times = run.packets(MessageClass::request) - run.counted("sent_again");
  CHECK(run.counted("remote_requests") > 16 * first_times);
}

TEST_CASE("what waits for a credit is not sent again, however long it waits") {
  auto options = small(Consistency::lin);
  options.cache_threads = 1;
  options.rules.retransmit = true;
  options.retransmit_after = 50_us;
  options.broadcast = GENERATE(Broadcast::unicast, Broadcast::multicast);
  options.consistency_credits = options.credit_batch = 1;
  CckvsRun run(scripted(2), options);
  models::TargetedFault drop;
  drop.match = {.header = "deth", .fields = {}};
  drop.count = 11;  // the first invalidation for Bob's node, and for half a millisecond whatever comes then
  run.rack.downlink(1).add_targeted_fault(std::move(drop));
  run.put(kAlice, 0);
  run.put(kAlice, 1);
  run.advance(2_ms);
  CHECK(run.ended() == 2);
  // By unicast two to Carol's node, the one that was lost, and the two that have waited for its credit; by multicast one
  // to all, lost for Bob, one of Bob's own, lost, one that has waited for that one's credit, and the other key's to all.
  CHECK(run.packets(MessageClass::invalidation) == (options.broadcast == Broadcast::unicast ? 5 : 4));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("with one credit a lossy network carries at least a fifth of what it does with two") {
  auto options = small(GENERATE(Consistency::sc, Consistency::lin));
  options.cache_threads = 1;
  options.rules.retransmit = true;
  options.retransmit_after = 50_us;
  options.broadcast = GENERATE(Broadcast::unicast, Broadcast::multicast);
  Setup setup = contended(GENERATE(1u, 2u, 3u), 40, 0.3);
  setup.workload->window = 20;
  setup.workload->zipf = 0.5;
  setup.rack.faults.loss = 0.05;
  const auto rate = [&](std::uint64_t credits) {
    options.consistency_credits = credits;
    options.credit_batch = 1;
    CckvsRun run(setup, options);
    run.finish();
    CHECK(run.violations() == "");
    return run.gauge("store.cache_mops");
  };
  CHECK(5 * rate(1) > rate(2));
}

TEST_CASE("with retransmit a put that is lost, or whose answer is, is executed once") {
  const models::NodeId sender = GENERATE(0, 1);
  auto options = small(Consistency::lin);
  options.rules.retransmit = true;
  options.retransmit_after = 50_us;
  CckvsRun run(scripted(1), options);
  const std::uint64_t there = run.key_at(1, 1);
  models::TargetedFault drop;
  drop.match = {.header = "deth", .fields = {}};
  drop.count = 1;
  run.rack.uplink(sender).add_targeted_fault(std::move(drop));
  CHECK(run.put_now(kAlice, there).took > 50_us);
  CHECK(run.counted("store_writes") == 1);
  CHECK(run.packets(MessageClass::request) == 2);
  CHECK(run.packets(MessageClass::response) == (sender == 0 ? 1 : 2));
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace retransmit_test

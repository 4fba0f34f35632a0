// ccKVS on a rack (§4-§6): how many messages a put costs, what each consistency promises and each safety mechanism is
// for, flow control, and what happens when messages or nodes are lost, which the paper does not treat.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "tests/protocols/cckvs/cckvs_run.hpp"

namespace cckvs_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;

namespace {

std::uint64_t consistency_packets(const CckvsRun& run) {
  return run.packets(MessageClass::invalidation) + run.packets(MessageClass::acknowledgement) +
         run.packets(MessageClass::update);
}

}  // namespace

TEST_CASE("a put of a cached key is N-1 updates by SC, and N-1 of each message by Lin; the store is not written",
          "[claim:cckvs-fig11-message-kinds][claim:cckvs-inv-symmetric][claim:cckvs-inv-no-directory]"
          "[claim:cckvs-inv-writeback][claim:cckvs-inv-hot-write-msgs-sc][claim:cckvs-inv-hot-write-msgs-lin]") {
  const std::uint64_t nodes = GENERATE(2u, 3u, 9u);
  const auto consistency = GENERATE(Consistency::sc, Consistency::lin);
  const bool lin = consistency == Consistency::lin;
  CckvsRun run(scripted(4, nodes), small(consistency));
  for (std::uint64_t put = 1; put <= 5; ++put) {
    const Ended written = run.put_now({static_cast<models::NodeId>(put % nodes), 0}, 1);
    run.advance(50_us);
    CHECK(run.packets(MessageClass::update) == put * (nodes - 1));
    CHECK(run.packets(MessageClass::invalidation) == (lin ? put * (nodes - 1) : 0));
    CHECK(run.packets(MessageClass::acknowledgement) == (lin ? put * (nodes - 1) : 0));
    for (models::NodeId node = 0; node < nodes; ++node) CHECK(run.get_now({node, 0}, 1).value == written.value);
  }
  CHECK(run.counted("store_writes") == 0);
  CHECK(run.packets(MessageClass::request) == 0);
  CHECK(run.counter("store.answers_by_cache") == run.ended());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("messages of consistency have the payloads of the paper's model: 50 bytes in an update, 17 in the others") {
  Setup setup = scripted(1);
  setup.rack.link_framing = models::Framing::infiniband;
  CckvsRun run(setup, small(Consistency::lin));
  run.put_now(kAlice, 0);
  run.finish();
  constexpr std::uint64_t kHeaders = 34;
  CHECK(run.bytes(MessageClass::update) == 2 * (50 + kHeaders));
  CHECK(run.bytes(MessageClass::invalidation) == 2 * (17 + kHeaders));
  CHECK(run.bytes(MessageClass::acknowledgement) == 2 * (17 + kHeaders));
}

TEST_CASE("what the cost table allows a put makes the bytes of the paper's model for each other copy") {
  constexpr std::uint64_t kHeaderOfModel = 33;  // §8.7
  const std::map<std::string, std::uint64_t> payloads{
      {"received updates", 50}, {"received invalidations", 17}, {"sent acknowledgements", 17}};
  const auto bytes_of_put = [&](Consistency consistency) {
    models::RackOptions rack;
    rack.nodes = 9;
    std::map<std::string, std::uint64_t> messages{{"writes", 1}};
    for (const models::CostRow& row : small(consistency).costs(rack).rows) {
      const auto each = messages.find(row.per);
      if (payloads.contains(row.cost) && each != messages.end())
        messages.try_emplace(row.cost, each->second * row.most);
    }
    std::uint64_t bytes = 0;
    for (const auto& [message, payload] : payloads) bytes += messages[message] * (payload + kHeaderOfModel);
    return bytes;
  };
  CHECK(bytes_of_put(Consistency::sc) == 8 * 83);
  CHECK(bytes_of_put(Consistency::lin) == 8 * 183);
}

TEST_CASE("a put returns at once by SC, and after a round trip to all by Lin", "[claim:cckvs-inv-sc-nonblocking]") {
  const auto consistency = GENERATE(Consistency::sc, Consistency::lin);
  auto options = small(consistency);
  options.request_work = options.probe_work = 100_ns;
  CckvsRun run(scripted(1), options);
  const sim::Duration took = run.put_now(kAlice, 0).took;
  if (consistency == Consistency::sc) {
    CHECK(took >= 200_ns);
    CHECK(took <= 210_ns);
  } else {
    CHECK(took > 2_us);  // two packets, of which each takes more than a microsecond through NICs and switch
  }
}

TEST_CASE("a key that is not cached is served by its home, and a put of it written there",
          "[claim:cckvs-inv-symmetric]") {
  CckvsRun run(scripted(1), small(Consistency::lin));
  const std::uint64_t cold = run.key_at(1, 1);
  const Ended written = run.put_now(kAlice, cold);
  CHECK(run.get_now(kCarol, cold).value == written.value);
  CHECK(run.counted("store_writes") == 1);
  CHECK(run.packets(MessageClass::request) == 2);
  CHECK(consistency_packets(run) == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Lin is linearizable and SC sequentially consistent under contention, and all caches end alike",
          "[claim:cckvs-inv-sc][claim:cckvs-inv-lin]") {
  auto options = small(GENERATE(Consistency::sc, Consistency::lin));
  options.rules.losers = GENERATE(Rules::Losers::wait, Rules::Losers::acked);
  options.rules.start_at_once = GENERATE(false, true);
  options.rules.stalled = GENERATE(Rules::Stalled::together, Rules::Stalled::in_order);
  options.broadcast = GENERATE(Broadcast::unicast, Broadcast::multicast);
  options.consistency_credits = options.credit_batch = GENERATE(1u, 60u);
  Setup setup = contended(GENERATE(1u, 2u), 3);
  CckvsRun run(setup, options);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counted("store_writes") == 0);
  CHECK(run.counter("store.answers_by_cache") >= 3000);
}

// Forty sessions of each node put the one key at the same instant: more than five bits tell apart.
TEST_CASE("with few bits of a version as many puts begin at once as it tells apart, and all of them end") {
  auto options = small(Consistency::lin);
  options.rules.start_at_once = true;
  options.rules.losers = GENERATE(Rules::Losers::wait, Rules::Losers::acked);
  options.rules.stalled = GENERATE(Rules::Stalled::together, Rules::Stalled::in_order);
  options.rules.version_bits = GENERATE(4u, 5u, 6u, 7u);
  Setup setup = contended(1, 1, 1.0);
  setup.workload->window = 20;
  CckvsRun run(setup, options);
  run.finish();
  CHECK(run.violations() == "");
}

// In order, each of N nodes has one put of the key in a round trip, and all other sessions wait behind it.
TEST_CASE("puts of one key are no more than N in a round trip if they go on in order, and more if together") {
  const sim::Duration round_trip = CckvsRun(scripted(1), small(Consistency::lin)).put_now(kAlice, 0).took;
  const auto puts_per_us = [](Rules::Stalled stalled) {
    auto options = small(Consistency::lin);
    options.rules.stalled = stalled;
    Setup setup = contended(1, 1, 1.0);
    setup.workload->window = 8;
    CckvsRun run(setup, options);
    run.finish();
    CHECK(run.violations() == "");
    return run.gauge("store.cache_mops");
  };
  const double most = 3 / (round_trip.ns() / 1000);
  CHECK(puts_per_us(Rules::Stalled::in_order) <= most);
  CHECK(puts_per_us(Rules::Stalled::together) > most);
}

TEST_CASE("hot and cold keys together keep what is promised") {
  auto options = small(GENERATE(Consistency::sc, Consistency::lin));
  options.partitioning = GENERATE(Partitioning::crcw, Partitioning::erew);
  options.coalesce = GENERATE(1u, 8u);
  Setup setup = contended(1, 20);
  setup.workload->preload = 5;
  CckvsRun run(setup, options);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("store.answers_by_cache") > 0);
  CHECK(run.counter("store.answers_by_remote") > 0);
  CHECK(run.counter("store.answers_by_local") > 0);
}

TEST_CASE("a multicast leaves the sender once and costs as many credits") {
  auto options = small(Consistency::sc);
  options.broadcast = Broadcast::multicast;
  options.consistency_credits = options.credit_batch = 1;
  CckvsRun run(scripted(1, 4), options);
  for (int i = 0; i < 6; ++i) run.put_now(kAlice, 0);
  run.finish();
  CHECK(run.packets(MessageClass::update) == 6);
  CHECK(run.packets(MessageClass::credits) == 6 * 3);
  CHECK(run.violations() == "");
}

TEST_CASE("credits come back once for a batch of messages, without payload") {
  auto options = small(Consistency::sc);
  options.consistency_credits = 8;
  options.credit_batch = GENERATE(1u, 3u, 8u);
  CckvsRun run(scripted(1), options);
  for (int i = 0; i < 24; ++i) run.put_now(kAlice, 0);
  run.finish();
  CHECK(run.packets(MessageClass::update) == 24 * 2);
  CHECK(run.packets(MessageClass::credits) == 24 / options.credit_batch * 2);
  CHECK(run.violations() == "");
}

TEST_CASE("who puts faster than others take updates waits for credits") {
  auto options = small(Consistency::sc);
  options.consistency_credits = options.credit_batch = 1;
  Setup setup = contended(1, 2, 1);
  CckvsRun run(setup, options);
  run.finish();
  CHECK(run.counted("out_of_credits") > 0);
  CHECK(run.violations() == "");
}

TEST_CASE("gets that overlap a message's write of their object are done again, and torn without seqlocks") {
  auto options = small(Consistency::sc);
  options.message_work = options.probe_work = 500_ns;
  options.seqlocks = GENERATE(true, false);
  CckvsRun run(contended(1, 1), options);
  run.finish();
  if (options.seqlocks) {
    CHECK(run.counted("read_retries") > 0);
    CHECK(run.violations() == "");
  } else {
    CHECK(run.found("torn"));
  }
}

TEST_CASE("each safety mechanism that is off is caught within 50 seeds") {
  struct Off {
    const char* what;
    Consistency consistency;
    void (*turn_off)(Options&);
  };
  const Off off = GENERATE(
      Off{"tie-break, Lin", Consistency::lin, [](Options& o) { o.rules.tie_break = false; }},
      Off{"tie-break, SC", Consistency::sc, [](Options& o) { o.rules.tie_break = false; }},
      Off{"timestamps of updates, Lin", Consistency::lin, [](Options& o) { o.rules.update_timestamps = false; }},
      Off{"timestamps of updates, SC", Consistency::sc, [](Options& o) { o.rules.update_timestamps = false; }},
      Off{"timestamps of acknowledgements", Consistency::lin, [](Options& o) { o.rules.ack_timestamps = false; }},
      Off{"one acknowledgement", Consistency::lin, [](Options& o) { o.rules.all_acks = false; }},
      Off{"the Invalid state", Consistency::lin, [](Options& o) { o.rules.invalid_state = false; }});
  INFO(off.what);
  std::uint64_t seed = 1;
  for (bool caught = false; !caught; ++seed) {
    REQUIRE(seed <= 50);
    // Late messages, and keys that become Valid now and then: most wrong turns need both.
    Setup setup = contended(seed, 8, 0.2);
    setup.measure(8000);
    setup.workload->zipf = 0.5;
    setup.workload->window = 4;
    setup.rack.faults.reorder = 0.15;
    setup.rack.faults.reorder_delay = 40_us;
    auto options = small(off.consistency);
    off.turn_off(options);
    CckvsRun run(setup, options);
    run.finish();
    caught = !run.violations().empty();
  }
}

TEST_CASE("by the printed rules the client of a put that lost waits for ever") {
  auto options = small(Consistency::lin);
  options.rules.source = Rules::Source::paper;
  CckvsRun run(scripted(1), options);
  run.put(kAlice, 0);
  run.put(kBob, 0);  // at the same instant: the node with the greater number wins
  run.advance(1_ms);
  CHECK(run.ended() == 1);
  run.finish();
  CHECK(run.found("stuck-request"));
}

TEST_CASE("a lost message leaves a put or a copy stuck, and the verdict says which") {
  const auto consistency = GENERATE(Consistency::sc, Consistency::lin);
  CckvsRun run(scripted(1), small(consistency));
  models::TargetedFault drop;
  drop.match = {.header = "deth", .fields = {}};
  drop.count = 1;
  run.rack.uplink(0).add_targeted_fault(std::move(drop));  // the update, or the invalidation, for node 1
  run.put(kAlice, 0);
  run.advance(1_ms);
  CHECK(run.ended() == (consistency == Consistency::sc ? 1 : 0));
  if (consistency == Consistency::lin) {
    const auto waits = run.waits();
    CHECK(std::any_of(waits.begin(), waits.end(), [](const std::string& line) {
      return line.find("the put of key") != std::string::npos && line.find("node1") != std::string::npos;
    }));
  }
  run.finish();
  if (consistency == Consistency::sc) {
    INFO(run.violations());
    CHECK(run.found("values-at-rest"));
  } else {
    CHECK(run.found("stuck-request"));
    CHECK(run.violations().find("waits for node1") != std::string::npos);
  }
}

TEST_CASE("when a node crashes puts of Lin wait for it; SC, and what does not need it, goes on") {
  const auto consistency = GENERATE(Consistency::sc, Consistency::lin);
  Setup setup = scripted(1);
  setup.add_fault("crash", R"({"node": 2, "from": "10us"})");
  CckvsRun run(setup, small(consistency));
  run.advance(20_us);
  const std::uint64_t cold = run.key_at(1, 1);
  CHECK(run.put_now(kAlice, cold).write);
  CHECK(run.get_now(kBob, 0).value == 0);
  run.put(kAlice, 0);
  run.advance(1_ms);
  if (consistency == Consistency::sc) {
    CHECK(run.ended() == 3);
  } else {
    CHECK(run.ended() == 2);
    run.get(kBob, 0);  // of an Invalid key
    run.advance(1_ms);
    CHECK(run.ended() == 2);
    run.finish();
    CHECK(run.violations().find("the put of key 0x0 waits for node2") != std::string::npos);
  }
}

TEST_CASE("clients that go from node to node are served by Lin, and refused by SC unless told otherwise") {
  auto options = small(Consistency::lin);
  const auto routing = GENERATE(models::ClientRouting::round_robin, models::ClientRouting::random);
  Setup setup = contended(1, 3);
  setup.workload->clients = routing;
  setup.workload->window = 1;
  {
    CckvsRun run(setup, options);
    run.finish();
    CHECK(run.violations() == "");
  }
  options.rules.consistency = Consistency::sc;
  CHECK_THROWS_AS(CckvsRun(setup, options), sim::OptionError);
  options.unsafe_sessions = true;
  CckvsRun run(setup, options);
  run.finish();
  CHECK(run.ended() >= 3000);
}

TEST_CASE("a session of SC that goes to another node may miss its own put") {
  CckvsRun run(scripted(1), small(Consistency::sc));
  run.put_now(kAlice, 0);
  CHECK(run.get_now(kAlice, 0, kBob.node).value == sim::kNeverWritten);
  run.finish();
  CHECK((run.found("sequential") || run.found("sessions")));
}

TEST_CASE("under SC a put may be ordered before one that had ended at another node, and leave nothing at rest") {
  // Both have version 1, for neither update has come: ids break the tie.
  const auto put_twice = [](CckvsRun& run) {
    REQUIRE(run.put_now(kCarol, 3).took < 500_ns);
    REQUIRE(run.put_now(kAlice, 3).took < 500_ns);
    run.advance(100_us);
  };
  SECTION("all copies have the put of the greater id") {
    CckvsRun run(scripted(10), small(Consistency::sc));
    put_twice(run);
    const std::uint64_t carols = run.log.ended.front().value;
    for (const Session session : {kAlice, kBob, kCarol}) CHECK(run.get_now(session, 3).value == carols);
  }
  SECTION("and nobody takes that for a lost put, by the clock") {
    CckvsRun run(scripted(10), small(Consistency::sc));
    put_twice(run);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("what does not fit together is refused before the run") {
  Setup setup = scripted(10);
  auto options = small(Consistency::lin);
  const auto refused = [&](const std::string& option) { return refusal_of(setup, options, option); };
  SECTION("more hot keys than keys") {
    options.cache_keys = 11;
    CHECK(refused("/protocol/cckvs/cache_keys") == "");
    options.cache_keys = 10;
    CHECK(refused("") == "built");
  }
  SECTION("a batch of credits that is larger than what there is") {
    options.consistency_credits = 29;
    CHECK(refused("/protocol/cckvs/credit_batch") == "");
  }
  SECTION("the value before of a key in Write, where a newer put may have ended") {
    options.rules.get_in_write = Rules::GetInWrite::old_value;
    CHECK(refused("") == "built");
    options.rules.losers = Rules::Losers::acked;
    CHECK(refused("/protocol/cckvs/get_in_write") == "");
    options.rules.losers = Rules::Losers::wait;
    options.rules.start_at_once = true;
    CHECK(refused("/protocol/cckvs/get_in_write") == "");
    options.rules.consistency = Consistency::sc;
    CHECK(refused("") == "built");
  }
  SECTION("fewer version bits than puts that can be alive") {
    options.rules.consistency = Consistency::sc;
    options.rules.version_bits = 8;  // 3 nodes, 2 threads, 61 updates
    CHECK(refused("/protocol/cckvs/version_bits") == "");
  }
}

}  // namespace cckvs_test

// Nodes without a cache (ccKVS §6.1-§6.4, §7.1): who serves a request, in how many packets, at which rate, with which
// credits, and what seqlocks are for.
#include <catch2/catch.hpp>
#include <string>

#include "protocols/cckvs/base.hpp"
#include "tests/protocols/cckvs/cckvs_run.hpp"

namespace cluster_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;

namespace {

BaseOptions base(Partitioning partitioning = Partitioning::crcw) {
  auto options = small<BaseOptions>();
  options.partitioning = partitioning;
  return options;
}

}  // namespace

TEST_CASE("a key at home costs no packet, one elsewhere a request and a response") {
  const Partitioning partitioning = GENERATE(Partitioning::crcw, Partitioning::erew);
  CckvsRun run(Setup(), base(partitioning));
  const std::uint64_t here = run.key_at(0), there = run.key_at(1);

  run.put_now(kAlice, here);
  CHECK(run.get_now(kAlice, here).value == run.log.ended.front().value);
  CHECK(run.packets(MessageClass::request) == 0);
  CHECK(run.counter("store.answers_by_local") == 2);

  const Ended written = run.put_now(kAlice, there);
  CHECK(run.packets(MessageClass::request) == 1);
  CHECK(run.packets(MessageClass::response) == 1);
  CHECK(run.get_now(kCarol, there).value == written.value);
  CHECK(run.counter("store.answers_by_remote") == 2);
  CHECK(run.counted("store_writes") == 2);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a get and a put have the bytes of the paper's model: 47 of payload in both packets") {
  Setup setup;
  setup.rack.link_framing = models::Framing::infiniband;
  CckvsRun run(setup, base());
  const std::uint64_t there = run.key_at(1);
  constexpr std::uint64_t kHeaders = 2 * 34;  // InfiniBand's; the paper counts 33 a packet
  run.get_now(kAlice, there);
  CHECK(run.bytes(MessageClass::request) + run.bytes(MessageClass::response) == 47 + kHeaders);
  run.put_now(kAlice, there);
  CHECK(run.bytes(MessageClass::request) + run.bytes(MessageClass::response) == 2 * (47 + kHeaders));
}

TEST_CASE("what is asked for together goes in one packet as far as coalescing allows") {
  auto options = base();
  options.coalesce = GENERATE(1u, 3u, 32u);
  options.request_work = 0_ps;  // all are ready at once
  CckvsRun run(Setup(), options);
  std::uint64_t key = 0;
  for (int i = 0; i < 7; ++i, ++key) run.get(kAlice, key = run.key_at(1, key));
  run.finish();
  const std::uint64_t packets = (7 + options.coalesce - 1) / options.coalesce;
  CHECK(run.packets(MessageClass::request) == packets);
  CHECK(run.packets(MessageClass::response) == packets);
  CHECK(run.counted("remote_requests") == 7);
  CHECK(run.violations() == "");
}

TEST_CASE("a packet holds no more requests than its response has room for") {
  auto options = base();
  options.coalesce = 32;
  options.request_work = 0_ps;
  Setup setup;
  setup.script.items.small_value_bytes = 1024;
  setup.rack.nic.mtu_bytes = 2500;  // two values, but no three
  CckvsRun run(setup, options);
  std::uint64_t key = 0;
  for (int i = 0; i < 6; ++i, ++key) run.get(kAlice, key = run.key_at(1, key));
  run.finish();
  CHECK(run.packets(MessageClass::request) == 3);
  CHECK(run.violations() == "");
}

TEST_CASE("a doorbell posts what has gathered, up to its batch") {
  auto options = base();
  options.doorbell_batch = GENERATE(1u, 4u, 32u);
  options.request_work = 0_ps;
  CckvsRun run(Setup(), options);
  std::uint64_t key = 0;
  for (int i = 0; i < 8; ++i, ++key) run.get(kAlice, key = run.key_at(1, key));
  run.advance(200_ns);  // before any of them arrives
  CHECK(run.packets(MessageClass::request) == 8);
  CHECK(run.counted("doorbells") == (8 + options.doorbell_batch - 1) / options.doorbell_batch);
  run.finish();
}

TEST_CASE("no more packets are under way to a KVS thread than there are credits, and all come back") {
  auto options = base();
  options.request_credits = 3;
  options.request_work = 0_ps;
  CckvsRun run(Setup(), options);
  std::uint64_t key = 0;
  for (int i = 0; i < 8; ++i, ++key) run.get(kAlice, key = run.key_at(1, key));
  run.advance(200_ns);
  CHECK(run.packets(MessageClass::request) == 3);
  run.finish();
  CHECK(run.packets(MessageClass::request) == 8);
  CHECK(run.counted("out_of_credits") == 0);  // all came while there were some
  CHECK(run.violations() == "");
}

TEST_CASE("one partition serves at the rate of its core, by EREW, and all threads of the node share it by CRCW") {
  Setup setup;
  setup.rack.nodes = 2;
  setup.rack.cores = 8;
  setup.rack.cpu = {.post = 40_ns, .post_more = 10_ns, .receive = 40_ns, .completion = 20_ns, .poll = 20_ns};
  models::KeyValueOptions workload = contended_keys(1, 0, 0);
  workload.threads = 4;
  workload.window = 32;
  setup.workload = workload;
  auto options = base(GENERATE(Partitioning::crcw, Partitioning::erew));
  options.cache_threads = options.kvs_threads = 4;
  options.packet_work = 300_ns;
  options.store_work = 200_ns;
  setup.plan.measure = {1_ms, std::nullopt};
  CckvsRun run(setup, options);
  run.finish();
  CHECK(run.violations() == "");
  // The only key's home serves itself too: by EREW on the same core. A packet is polled with others or alone, and so is
  // its response posted.
  const double remote = run.gauge("store.remote_mops"), local = run.gauge("store.local_mops");
  const double slowest = 1000.0 / (20 + 40 + 300 + 200 + 40), fastest = 1000.0 / (40 + 300 + 200 + 10);
  const bool erew = options.partitioning == Partitioning::erew;
  if (erew) {
    const double core_share = 1 - local * 0.2;  // which the node's own requests leave
    CHECK(remote > slowest * core_share * 0.99);
    CHECK(remote < fastest * core_share * 1.01);
    CHECK(run.gauge("busy.cores.kvs_thread") > 0.99);
  } else {
    CHECK(remote > 4 * slowest * 0.99);
    CHECK(remote < 4 * fastest * 1.01);
  }
}

TEST_CASE("a packet costs both sides by the threads that they exchange packets with, fewer of which are CRCW's gain") {
  struct Case {
    Partitioning partitioning;
    std::uint64_t cache_threads, kvs_threads;
    std::int64_t connections;  // of a cache thread and of the KVS thread that it asks, to two other nodes
  };
  for (const Case& nodes :
       {Case{Partitioning::crcw, 2, 2, 2 * 1 + 2 * 1}, Case{Partitioning::erew, 2, 2, 2 * 2 + 2 * 2},
        Case{Partitioning::crcw, 3, 1, 2 * 1 + 2 * 3}, Case{Partitioning::erew, 1, 3, 2 * 3 + 2 * 1}}) {
    sim::Duration took[2];
    for (const bool costs : {false, true}) {
      auto options = base(nodes.partitioning);
      options.cache_threads = nodes.cache_threads;
      options.kvs_threads = nodes.kvs_threads;
      if (costs) options.connection_work = 100_ns;
      CckvsRun run(Setup(), options);
      took[costs] = run.get_now(kAlice, run.key_at(1)).took;
      run.finish();
      CHECK(run.violations() == "");
    }
    CHECK(took[1] - took[0] == 100_ns * nodes.connections);
  }
}

TEST_CASE("what does not fit is refused before the run, with the reason") {
  Setup setup;
  auto options = base();
  const auto refused = [&](const std::string& option) { return refusal_of(setup, options, option); };
  SECTION("one node") {
    setup.rack.nodes = 1;
    CHECK(refused("/rack/nodes") == "");
  }
  SECTION("more nodes than a byte tells apart") {
    setup.rack.nodes = 256;
    setup.rack.network_switch.ports = 256;
    CHECK(refused("/rack/nodes") == "");
  }
  SECTION("more threads than cores") {
    options.kvs_threads = 3;
    CHECK(refused("/protocol/cckvs/cache_threads") == "");
  }
  SECTION("more credits than a send queue has places") {
    setup.rack.nic.send_queue = 64;
    options.request_credits = 17;  // to two nodes, from two cache threads
    CHECK(refused("/protocol/cckvs/request_credits") == "");
    options.request_credits = 16;
    CHECK(refused("") == "built");
  }
  SECTION("an object that is larger than a packet") {
    setup.script.items.small_value_bytes = 4096;
    CHECK(refused("/workload/large_value") == "");
  }
}

TEST_CASE("random requests to the store are linearizable, whatever the options") {
  auto options = base(GENERATE(Partitioning::crcw, Partitioning::erew));
  options.coalesce = GENERATE(1u, 8u);
  options.request_credits = GENERATE(1u, 22u);
  options.store_work = 200_ns;
  Setup setup;
  setup.workload = contended_keys(5, 0, 0.5);
  setup.workload->window = 4;
  CckvsRun run(setup, options);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("reads that overlap a write are done again with seqlocks, and torn without") {
  auto options = base(GENERATE(Partitioning::crcw, Partitioning::erew));
  options.store_work = 500_ns;
  options.seqlocks = GENERATE(true, false);
  Setup setup;
  setup.workload = contended_keys(1, 0, 0.5);
  setup.workload->window = 4;
  CckvsRun run(setup, options);
  run.finish();
  if (options.partitioning == Partitioning::erew) {
    // One thread alone touches the object: nothing overlaps.
    CHECK(run.counted("read_retries") == 0);
    CHECK(run.violations() == "");
  } else if (options.seqlocks) {
    CHECK(run.counted("read_retries") > 0);
    CHECK(run.violations() == "");
  } else {
    CHECK(run.found("torn"));
  }
}

TEST_CASE("a lost request or response ends in a verdict that names the operation that is stuck") {
  const models::NodeId sender = GENERATE(0, 1);
  CckvsRun run(Setup(), base());
  const std::uint64_t there = run.key_at(1);
  models::TargetedFault drop;
  drop.match = {.header = "deth", .fields = {}};
  drop.count = 1;
  run.rack.uplink(sender).add_targeted_fault(std::move(drop));
  run.get(kAlice, there);
  run.advance(1_ms);
  CHECK(run.ended() == 0);
  run.finish();
  CHECK(run.found("stuck-request"));
  CHECK(run.violations().find("no answer of node1 to the get of key") != std::string::npos);
}

}  // namespace cluster_test

// The store under clients in closed loop: their windows stay full, by the client's own count and by Little's law, and
// the oracles see nothing wrong, on sound wires, on lossy ones and through a crash.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/protocols/nocache/nocache_run.hpp"

namespace store_closed_loop_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::nocache::testing;

namespace {

constexpr std::uint64_t kThreads = 2, kClientNodes = 2;

Setup closed(std::uint64_t window) {
  models::KeyValueOptions workload;
  workload.threads = kThreads;
  workload.keys = 200;
  workload.swap_keys = 1;
  workload.write_ratio = 0.2;
  workload.loop = models::KeyValueOptions::Loop::closed;
  workload.window = window;
  workload.small_share = 1;
  Setup setup;
  setup.workload = workload;
  setup.plan.measure = {1_s, std::nullopt};  // longer than the tests look at it
  return setup;
}

/// Whether each client thread has this number of requests under way.
bool all_have(const NoCacheRun& run, std::uint64_t window, models::NodeId but = kClientNodes) {
  const auto& clients = run.store->clients();
  return std::all_of(clients.begin(), clients.end(), [&](const auto& client) {
    return client->session().node == but || client->outstanding() == window;
  });
}

}  // namespace

TEST_CASE("clients in closed loop have their window of requests under way at any instant") {
  const std::uint64_t window = GENERATE(1, 8);
  NoCacheRun run(closed(window), small());
  for (int i = 0; i < 5000; ++i) {
    run.advance(200_ns);
    REQUIRE(all_have(run, window));
  }
  run.heal();
  // Little's law over 1 ms; what was under way at its ends counts wholly or not.
  const auto& latency = std::get<sim::Histogram>(run.metrics.find("latency")->value);
  const double ended = static_cast<double>(run.store->measured_operations());
  const double under_way = static_cast<double>(kClientNodes * kThreads * window);
  CHECK(std::abs(ended * latency.mean().ns() / 1e6 - under_way) <= under_way * latency.max().ns() / 1e6);
  // The only server takes 1 us for a request, and what receiving and sending cost it.
  CHECK(ended < 1001);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.oracle("served").violation_count() == 0);
}

TEST_CASE("where packets are lost the window holds, whatever is sent again") {
  Setup setup = closed(8);
  setup.rack.faults.loss = 0.02;
  NoCacheRun run(setup, small());
  for (int i = 0; i < 2000; ++i) {
    run.advance(1_us);
    REQUIRE(all_have(run, 8));
  }
  CHECK(run.counter("store.timeouts") > 10);
  run.heal();
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a client node that crashes asks for nothing, and comes back with full windows") {
  Setup setup = closed(8);
  setup.add_fault("crash", R"({"node": 1, "from": "300us", "until": "600us"})");
  NoCacheRun run(setup);
  run.advance(300_us);
  for (const auto& client : run.store->clients()) CHECK(client->outstanding() == (client->session().node == 1 ? 0 : 8));
  run.advance(300_us - 1_ns);
  CHECK(all_have(run, 8, kBob.node));
  run.advance(1_ns);
  CHECK(all_have(run, 8));
  run.advance(300_us);
  CHECK(all_have(run, 8));
  run.heal();
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("clients that go from node to node are served alike, each as one session, also through a crash") {
  const auto routing = GENERATE(models::ClientRouting::round_robin, models::ClientRouting::random);
  constexpr std::uint64_t kSessions = 3;
  Setup setup = closed(1);
  setup.workload->sessions = kSessions;
  setup.workload->clients = routing;
  setup.check = R"({"all": true, "sequential": true, "sessions": true})";
  setup.add_fault("crash", R"({"node": 1, "from": "300us", "until": "600us"})");
  NoCacheRun run(setup, small());
  const auto under_way = [&run] {
    std::size_t sum = 0;
    for (const auto& client : run.store->clients()) sum += client->outstanding();
    return sum;
  };
  run.advance(299_us);
  CHECK(under_way() == kClientNodes * kThreads * kSessions);
  run.advance(2_us);
  CHECK(under_way() == kClientNodes * kThreads * kSessions);  // all at the other node
  for (const auto& client : run.store->clients()) CHECK((client->outstanding() == 0) == (client->session().node == 1));
  run.advance(2_ms);
  for (const auto& client : run.store->clients()) CHECK(client->outstanding() > 0);
  run.heal();
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("store.answers") > 1000);
}

}  // namespace store_closed_loop_test

// The store under clients in closed loop: their windows stay full, by the client's own count and by Little's law, and
// the oracles see nothing wrong, on sound wires, on lossy ones and through a crash.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "protocols/nocache/nocache.hpp"
#include "tests/protocols/store/rig.hpp"

using namespace racksim;
using namespace racksim::store;
using namespace racksim::store::testing;

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
  return setup;
}

/// Whether each client thread has this number of requests under way.
bool all_have(const Rig& rig, std::uint64_t window, models::NodeId but = kClientNodes) {
  const auto& clients = rig.store->clients();
  return std::all_of(clients.begin(), clients.end(), [&](const auto& client) {
    return client->session().node == but || client->outstanding() == window;
  });
}

}  // namespace

TEST_CASE("clients in closed loop have their window of requests under way at any instant") {
  const std::uint64_t window = GENERATE(1, 8);
  Rig rig(closed(window), small_store<nocache::NoCacheOptions>());
  rig.workload->start();
  rig.store->start_measuring();
  for (int i = 0; i < 5000; ++i) {
    rig.run(200_ns);
    REQUIRE(all_have(rig, window));
  }
  rig.store->stop_measuring();
  // Little's law over 1 ms; what was under way at its ends counts wholly or not.
  const auto& latency = std::get<sim::Histogram>(rig.metrics.find("latency")->value);
  const double ended = static_cast<double>(rig.store->measured_operations());
  const double under_way = static_cast<double>(kClientNodes * kThreads * window);
  CHECK(std::abs(ended * latency.mean().ns() / 1e6 - under_way) <= under_way * latency.max().ns() / 1e6);
  // The only server takes 1 us for a request, and what receiving and sending cost it.
  CHECK(ended < 1001);
  rig.workload->stop();
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK(rig.served.violation_count() == 0);
}

TEST_CASE("where packets are lost the window holds, whatever is sent again") {
  Setup setup = closed(8);
  setup.rack.faults.loss = 0.02;
  Rig rig(setup, small_store<nocache::NoCacheOptions>());
  rig.workload->start();
  for (int i = 0; i < 2000; ++i) {
    rig.run(1_us);
    REQUIRE(all_have(rig, 8));
  }
  CHECK(rig.counter("store.timeouts") > 10);
  rig.workload->stop();
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a client node that crashes asks for nothing, and comes back with full windows") {
  Rig rig(closed(8), small_store<nocache::NoCacheOptions>());
  rig.workload->start();
  rig.run(300_us);
  rig.rack.crash(kBob.node);
  for (const auto& client : rig.store->clients()) CHECK(client->outstanding() == (client->session().node == 1 ? 0 : 8));
  rig.run(300_us);
  CHECK(all_have(rig, 8, kBob.node));
  rig.rack.restart(kBob.node);
  CHECK(all_have(rig, 8));
  rig.run(300_us);
  CHECK(all_have(rig, 8));
  rig.workload->stop();
  rig.judge();
  CHECK(rig.violations() == "");
}

// Runs of NetCache (tests/protocols/store/store_run.hpp) on a rack that is small enough for tests, and how tests look
// into its switch.
#pragma once

#include <cstdint>
#include <utility>

#include "protocols/netcache/netcache.hpp"
#include "sim/kernel/waiting.hpp"
#include "tests/protocols/store/store_run.hpp"

namespace racksim::netcache::testing {

using namespace sim::literals;
using store::testing::kAlice;

/// What a test varies. The defaults are a tiny rack with few, hot, small items: two client nodes, two server nodes.
struct Setup : store::testing::Setup {
  NetCacheOptions netcache;
  bool rounds = false;  ///< whether the controller keeps its rounds

  Setup() {
    rack.nodes = 4;
    netcache.server_nodes = 2;
    netcache.partitions = 2;
    netcache.cache_entries = 16;
    netcache.preload = 32;
    netcache.timeout = 200_us;
    netcache.attempts = 50;
    netcache.service_work = 1_us;
    netcache.update_timeout = 50_us;
    netcache.fetch_timeout = 100_us;
    netcache.round = 200_us;
    netcache.threshold = 3;
    netcache.sketch_width = 64;
    workload.emplace();
    workload->threads = 2;
    workload->keys = 100;
    workload->rate = 1'500'000;
    workload->write_ratio = 0.3;
    workload->small_share = 0.9;
    workload->zipf = 1.2;
    workload->swap_keys = 8;
    measure(2'000);
  }
};

/// By a script, with the threads, the items and the hottest keys of the workload.
inline Setup scripted(Setup setup = {}) {
  const models::KeyValueOptions workload = *std::exchange(setup.workload, std::nullopt);
  setup.script.threads = workload.threads;
  setup.script.items.small_share = workload.small_share;
  for (std::uint64_t key = 0; key < workload.keys; ++key) setup.script.hottest.push_back(sim::Key{key});
  return setup;
}

/// 1 % loss, 5 % duplication, 10 % of the packets late by up to 20 us.
inline models::WireFaults harsh() {
  models::WireFaults faults;
  faults.loss = 0.01;
  faults.duplicate = 0.05;
  faults.reorder = 0.1;
  faults.reorder_delay = 20_us;
  return faults;
}

class NetCacheRun : public store::testing::StoreRun {
 public:
  explicit NetCacheRun(const Setup& s)
      : StoreRun(s, "netcache", s.netcache), setup(s), protocol(&dynamic_cast<NetCache&>(*store)) {
    if (s.rounds) control.spawn(keep_rounds());
  }

  /// Gets or puts one item, by a script, and lets all that it caused come to rest.
  void get(std::uint64_t key) {
    StoreRun::get(kAlice, key);
    advance(300_us);
  }
  void put(std::uint64_t key) {
    StoreRun::put(kAlice, key);
    advance(300_us);
  }

  std::uint64_t register_of(const p4::RegisterArray* array, std::uint64_t index = 0) {
    return rack.chassis().pipeline(0).registers().read(array->id, index);
  }
  std::uint64_t hits() { return register_of(protocol->program().hits); }
  /// A preloaded key.
  sim::Key hot_key() { return protocol->manager().cached().front(); }

  const Setup setup;
  NetCache* const protocol;
  sim::Scope control{calendar};  ///< what the controller does, which is an actor beside the bare calendar

 private:
  sim::Task<void> keep_rounds() {
    for (;;) {
      co_await sim::sleep_for(rack.server(0).clock(), setup.netcache.round);
      co_await protocol->controller().round();
    }
  }
};

}  // namespace racksim::netcache::testing

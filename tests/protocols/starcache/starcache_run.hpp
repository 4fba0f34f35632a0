// Runs of StarCache (tests/protocols/store/store_run.hpp), and how tests look into its switch.
#pragma once

#include "protocols/starcache/starcache.hpp"
#include "tests/protocols/store/store_run.hpp"

namespace racksim::starcache::testing {

using namespace store::testing;
using store::Op;
using Coherence = StarCacheOptions::Coherence;

inline constexpr models::NodeId kServerNode = 2;
inline constexpr sim::Key kHot = 7, kCold = 8;

/// One server, few entries, quick timeouts.
inline StarCacheOptions small(Coherence coherence = Coherence::versions) {
  auto options = small_store<StarCacheOptions>();
  options.coherence = coherence;
  options.cache_size = 4;
  options.cache_entries = 8;
  options.queue_size = 4;
  options.min_size = 1;
  options.report_above = 0;
  options.top_k = 3;
  options.sketch_width = 64;
  options.round = 300_us;
  options.fetch_timeout = 30_us;
  options.report_timeout = 100_us;
  return options;
}

inline Setup with_hot_key(std::uint32_t value_bytes = 64) {
  Setup setup;
  setup.script.hottest = {kHot};
  setup.script.items.small_value_bytes = value_bytes;
  return setup;
}

/// Servers that keep up with the workload below.
inline StarCacheOptions busy(Coherence coherence = Coherence::versions) {
  auto options = small(coherence);
  options.partitions = 4;
  options.service_work = 500_ns;
  return options;
}
/// A random workload that contends for eight keys; seeds make them differ.
inline Setup contended(std::uint64_t seed) {
  Setup setup;
  setup.seed = seed;
  setup.rack.nodes = 4;
  setup.workload = store::testing::contended_keys(8, 1'000'000);
  return setup;
}

struct StarCacheRun : StoreRun {
  explicit StarCacheRun(const Setup& s = with_hot_key(), const StarCacheOptions& o = small())
      : StoreRun(s, "starcache", o),
        star(dynamic_cast<StarCache&>(*store)),
        versions(o.coherence == Coherence::versions) {}

  std::uint64_t read(const p4::RegisterArray* array, std::uint64_t index = 0) {
    return servers_switch().pipeline(0).registers().read(array->id, index);
  }
  void write(const p4::RegisterArray* array, std::uint64_t index, std::uint64_t value) {
    servers_switch().pipeline(0).registers().write(array->id, index, value);
  }
  std::uint64_t state(std::uint64_t key) { return read(star.program().state, star.manager().index_of(sim::Key{key})); }
  bool valid(std::uint64_t key) { return versions ? state(key) >> 32 == 1 : state(key) == 1; }
  std::uint64_t waiting(std::uint64_t key) {
    return read(star.program().queue, star.manager().index_of(sim::Key{key})) & 0xffff'ffff;
  }
  std::uint64_t circulating() { return rack.packets_circulating(); }
  std::uint64_t served() const { return store->partition(0).served(); }
  std::uint64_t star_counter(const std::string& name) const { return counter("starcache." + name); }

  /// Holds up what sets out for the server in the next 1.5 us, by up to 60 us: later packets overtake it.
  void hold_back_at_server() { hold_back(rack.downlink(kServerNode), 60_us, calendar.now(), calendar.now() + 1500_ns); }
  /// Two writes of the hot key, the first of which is held up on its way to the server until the other has passed it.
  void have_write_overtaken() {
    hold_back_at_server();
    put(kAlice, kHot);
    advance(1_us);
    put(kBob, kHot);
  }
  /// Loses the cache packets of a key, by making it invalid for longer than a loop.
  void lose_cache_packet(std::uint64_t key) {
    const std::uint64_t index = star.manager().index_of(sim::Key{key}), before = state(key);
    write(star.program().state, index, versions ? before & 0xffff'ffff : 0);
    advance(5_us);
    write(star.program().state, index, before);
  }
  /// The switch loses its power in 2 ms, for 20 us.
  void restart_switch() {
    const sim::Time lost = calendar.now() + 2_ms;
    servers_switch().announce_power_loss(lost);
    advance(2_ms);
    servers_switch().power_off();
    advance(20_us);
    rack.restart_switch(lost, servers_switch().number());
  }
  bool install(std::uint64_t key) {
    advance(1_us);  // what is preloaded is fetched in an event at instant 0
    bool installed = false;
    work.spawn(install_task(key, installed));
    advance(500_us);
    return installed;
  }
  void begin_install(std::uint64_t key) { work.spawn(install_task(key, ignored_)); }
  void begin_evict(std::uint64_t key) { work.spawn(star.manager().evict(sim::Key{key})); }
  void evict(std::uint64_t key) {
    begin_evict(key);
    advance(200_us);
  }
  void round() {
    work.spawn(star.controller().round());
    advance(500_us);
  }
  void begin_round() { work.spawn(star.controller().round()); }

  StarCache& star;
  bool versions;
  sim::Scope work{calendar};

 private:
  sim::Task<void> install_task(std::uint64_t key, bool& installed) {
    installed = co_await star.manager().install(sim::Key{key});
  }
  bool ignored_ = false;
};

}  // namespace racksim::starcache::testing

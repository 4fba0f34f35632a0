// The controller's rounds. See controller.hpp.
#include "protocols/netcache/controller.hpp"

#include <algorithm>
#include <limits>

namespace racksim::netcache {

Controller::Controller(store::Shared& shared, const NetCacheOptions& options, Counters& counters,
                       const NetProgram& program, CacheManager& manager)
    : switch_cache::Controller(shared, options, counters, manager),
      shared_(shared),
      options_(options),
      counters_(counters),
      program_(program),
      manager_(manager) {
  manager.on_hot_key([this](sim::Key key) { reported_.insert(key); });
}

sim::Task<void> Controller::round() {
  ++counters_.rounds.value;
  if (shared_.safety) co_await look_for_dead_keys();
  if (!options_.updates) co_return;
  std::vector<Popularity> cached = co_await count_cached();
  std::vector<Popularity> reported = co_await count_reported();
  co_await replace(std::move(cached), std::move(reported));
  co_await reset_statistics();
}

// Counts of cached keys, which are reset.
sim::Task<std::vector<Controller::Popularity>> Controller::count_cached() {
  std::vector<Popularity> counts;
  for (const sim::Key key : manager_.cached()) {
    if (!manager_.is_cached(key)) continue;
    const std::uint64_t index = manager_.index_of(key);
    const p4::RegisterArray* array = program_.popularity;
    const std::uint64_t count = co_await manager_.cpu().read(array, index);
    if (count != 0) co_await manager_.cpu().write(array, index, 0);
    counts.push_back({key, count});
  }
  co_return counts;
}

// What the sketch says of the keys that have been reported: the least of a key's counters.
sim::Task<std::vector<Controller::Popularity>> Controller::count_reported() {
  std::vector<Popularity> counts;
  const std::set<sim::Key> reported = std::move(reported_);
  reported_.clear();
  for (const sim::Key key : reported) {
    if (manager_.is_cached(key)) shared_.coverage.race(races.hot_key_cached_by_now);
    if (manager_.is_cached(key) || !manager_.cacheable(key)) continue;
    const store::KeyHash hash = shared_.hash(key);
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (unsigned row = 0; row < kSketchRows; ++row) {
      const std::uint64_t slot = sketch_slot(row, hash.high, hash.low, options_.sketch_width);
      least = std::min(least, co_await manager_.cpu().read(program_.sketch[row], slot));
    }
    counts.push_back({key, least});
  }
  co_return counts;
}

sim::Task<void> Controller::replace(std::vector<Popularity> cached, std::vector<Popularity> reported) {
  std::sort(cached.begin(), cached.end(), switch_cache::hotter);
  std::sort(reported.begin(), reported.end(), switch_cache::hotter);
  std::vector<sim::Task<void>> evictions;
  std::vector<Popularity> evicted;
  std::size_t next = std::min(manager_.room(), reported.size());
  for (; next < reported.size() && !cached.empty() && reported[next].count > cached.back().count; ++next) {
    evictions.push_back(manager_.evict(cached.back().key));
    evicted.push_back(cached.back());
    cached.pop_back();
  }
  counters_.hotter_evicted.value += switch_cache::hotter_than_one_of(cached, evicted);
  co_await sim::gather(std::move(evictions));
  std::vector<sim::Task<bool>> installs;
  for (std::size_t i = 0; i < next; ++i) installs.push_back(manager_.install(reported[i].key));
  co_await sim::gather(std::move(installs));
}

// "All statistics data are cleared" (NetCache §4.4.3).
sim::Task<void> Controller::reset_statistics() {
  std::vector<const p4::RegisterArray*> arrays(program_.sketch.begin(), program_.sketch.end());
  arrays.insert(arrays.end(), program_.bloom.begin(), program_.bloom.end());
  for (const p4::RegisterArray* array : arrays) {
    co_await manager_.cpu().clear(array);
  }
}

sim::Task<switch_cache::Controller::RowState> Controller::read_row(switch_cache::RowAt at) {
  RowState row;
  row.state = co_await manager_.cpu().read(program_.state, at.index);
  co_return row;
}

}  // namespace racksim::netcache

// The controller's rounds. See controller.hpp.
#include "protocols/starcache/controller.hpp"

#include <algorithm>

namespace racksim::starcache {

Controller::Controller(store::Shared& shared, const StarCacheOptions& options, Counters& counters,
                       const StarProgram& program, CacheManager& manager,
                       const std::vector<std::unique_ptr<StarServer>>& servers)
    : switch_cache::Controller(shared, options, counters, manager),
      shared_(shared),
      options_(options),
      counters_(counters),
      program_(program),
      manager_(manager),
      smallest_(shared.rack.metrics().gauge("starcache.smallest_cache", "keys",
                                            "keys cached at the end of a measured round, the least", 0)),
      largest_(shared.rack.metrics().gauge("starcache.largest_cache", "keys", "the same, the most", 0)),
      mean_overflow_(shared.rack.metrics().gauge(
          "starcache.overflow_ratio", "share",
          "overflow requests over requests for cached keys, the mean of the measured rounds", 0)) {
  shared.rack.metrics().when_window_opens(
      [this] { smallest_.value = largest_.value = static_cast<double>(manager_.size()); });
  for (const unsigned pipe : manager.location().pipes()) pipes_.push_back({.pipe = pipe, .target = options.cache_size});
  if (options.updates || options.sizing) {
    sizes_ = &shared.rack.metrics().time_series("starcache.cache_size_over_time", "keys",
                                                "keys that are cached, by interval of a round's length", options.round);
  }
  manager.on_report([this, &servers](unsigned server, std::uint32_t number) {
    const auto* keys = server < servers.size() ? servers[server]->report(number) : nullptr;
    if (keys == nullptr) return;
    for (const Popularity& p : *keys) reported_[p.key] = std::max(reported_[p.key], p.count);
  });
}

sim::Task<void> Controller::round() {
  ++counters_.rounds.value;
  if (shared_.safety) co_await look_for_dead_keys();
  if (!options_.updates && !options_.sizing) co_return;
  // All counts are reset, "to reflect the recent status only" (§3.8).
  std::uint64_t hits = 0, overflows = 0;
  for (PipeCache& cache : pipes_) {
    cache.hits = co_await read_and_reset(cache.pipe, program_.hits, 0);
    cache.overflows = co_await read_and_reset(cache.pipe, program_.overflow, 0);
    hits += cache.hits;
    overflows += cache.overflows;
    cache.cached.clear();
  }
  for (const sim::Key key : manager_.cached()) {
    if (!manager_.is_cached(key)) continue;
    const RowAt row = manager_.row_of(key);
    const std::uint64_t count = co_await read_and_reset(row.pipe, program_.popularity, row.index);
    cache_of(row.pipe).cached.push_back({key, count});
  }
  overflow_ratio_ = ratio(overflows, hits);
  const std::vector<Popularity> candidates = take_candidates();
  for (PipeCache& cache : pipes_) {
    if (options_.sizing) resize(cache);
    co_await update(cache, candidates);
  }
  note_round();
}

double Controller::ratio(std::uint64_t overflows, std::uint64_t hits) {
  return hits == 0 ? 0 : static_cast<double>(overflows) / static_cast<double>(hits);
}

std::uint64_t Controller::target() const {
  std::uint64_t sum = 0;
  for (const PipeCache& cache : pipes_) sum += cache.target;
  return sum;
}

Controller::PipeCache& Controller::cache_of(unsigned pipe) {
  return *std::find_if(pipes_.begin(), pipes_.end(), [&](const PipeCache& cache) { return cache.pipe == pipe; });
}

sim::Task<std::uint64_t> Controller::read_and_reset(unsigned pipe, const p4::RegisterArray* array,
                                                    std::uint64_t index) {
  models::ControlSession session = manager_.cpu(pipe);
  const std::uint64_t count = co_await session.read(array, index);
  if (count != 0) co_await session.write(array, index, 0);
  co_return count;
}

// §3.8: above the threshold the cache shrinks by one key, else it grows by one.
void Controller::resize(PipeCache& cache) const {
  const std::uint64_t size = cache.cached.size();
  if (ratio(cache.overflows, cache.hits) > options_.overflow_threshold) {
    cache.target = std::max(options_.min_size, size - std::min<std::uint64_t>(size, 1));
  } else {
    cache.target = std::min(options_.cache_entries, std::max(options_.min_size, size + 1));
  }
}

void Controller::note_round() {
  if (sizes_) sizes_->set(shared_.rack.calendar().now(), manager_.size());
  if (!shared_.rack.metrics().measuring()) return;
  const auto size = static_cast<double>(manager_.size());
  smallest_.value = std::min(smallest_.value, size);
  largest_.value = std::max(largest_.value, size);
  overflow_sum_ += overflow_ratio_;
  mean_overflow_.value = overflow_sum_ / static_cast<double>(++measured_rounds_);
}

std::vector<Popularity> Controller::take_candidates() {
  std::vector<Popularity> candidates;
  for (const auto& [key, count] : reported_) {
    if (!manager_.is_cached(key)) candidates.push_back({key, count});
  }
  reported_.clear();
  std::sort(candidates.begin(), candidates.end(), hotter);
  return candidates;
}

sim::Task<void> Controller::update(PipeCache& cache, std::vector<Popularity> candidates) {
  std::vector<Popularity>& cached = cache.cached;
  std::sort(cached.begin(), cached.end(), hotter);
  std::erase_if(candidates, [&](const Popularity& candidate) {
    return manager_.location().pipe_of(shared_.hash(candidate.key)) != cache.pipe;
  });
  std::vector<sim::Task<void>> evictions;
  std::vector<Popularity> evicted;
  std::vector<sim::Key> newcomers;
  while (cached.size() > cache.target) {
    evictions.push_back(manager_.evict(cached.back().key));
    evicted.push_back(cached.back());
    cached.pop_back();
  }
  if (options_.updates) {
    std::size_t next = 0;
    std::size_t size = cached.size();
    for (; next < candidates.size() && size < cache.target; ++next, ++size) newcomers.push_back(candidates[next].key);
    for (; next < candidates.size() && !cached.empty() && candidates[next].count > cached.back().count; ++next) {
      evictions.push_back(manager_.evict(cached.back().key));
      evicted.push_back(cached.back());
      cached.pop_back();
      newcomers.push_back(candidates[next].key);
    }
  }
  counters_.hotter_evicted.value += switch_cache::hotter_than_one_of(cached, evicted);
  co_await sim::gather(std::move(evictions));
  std::vector<sim::Task<bool>> installs;
  for (const sim::Key key : newcomers) installs.push_back(manager_.install(key));
  co_await sim::gather(std::move(installs));
}

sim::Task<switch_cache::Controller::RowState> Controller::read_row(RowAt at) {
  models::ControlSession session = manager_.cpu(at.pipe);
  RowState row;
  row.state = co_await session.read(program_.state, at.index);
  const std::uint64_t queue = co_await session.read(program_.queue, at.index);
  row.waited_for = switch_cache::low_half(*program_.queue, queue) != 0;
  row.front = co_await session.read(program_.front, at.index);
  co_return row;
}

}  // namespace racksim::starcache

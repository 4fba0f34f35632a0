// The controller's rounds. See controller.hpp.
#include "protocols/starcache/controller.hpp"

#include <algorithm>

namespace racksim::starcache {

Controller::Controller(store::Shared& shared, const StarCacheOptions& options, Counters& counters,
                       const StarProgram& program, CacheManager& manager,
                       const std::vector<std::unique_ptr<StarServer>>& servers)
    : switch_cache::Controller(shared, options, counters, program, manager),
      shared_(shared),
      options_(options),
      counters_(counters),
      program_(program),
      manager_(manager),
      target_(options.cache_size),
      smallest_(shared.rack.metrics().gauge("starcache.smallest_cache", "keys",
                                            "keys cached at the end of a measured round, the least", 0)),
      largest_(shared.rack.metrics().gauge("starcache.largest_cache", "keys", "the same, the most", 0)),
      mean_overflow_(shared.rack.metrics().gauge(
          "starcache.overflow_ratio", "share",
          "overflow requests over requests for cached keys, the mean of the measured rounds", 0)) {
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
  const std::uint64_t hits = co_await read_and_reset(program_.hits, 0);
  const std::uint64_t overflows = co_await read_and_reset(program_.overflow, 0);
  std::vector<Popularity> cached;
  for (const sim::Key key : manager_.cached()) {
    if (!manager_.is_cached(key)) continue;
    const std::uint64_t count = co_await read_and_reset(program_.popularity, manager_.index_of(key));
    cached.push_back({key, count});
  }
  overflow_ratio_ = hits == 0 ? 0 : static_cast<double>(overflows) / static_cast<double>(hits);
  if (options_.sizing) resize(cached.size());
  co_await update(std::move(cached));
  note_round();
}

sim::Task<std::uint64_t> Controller::read_and_reset(const p4::RegisterArray* array, std::uint64_t index) {
  const std::uint64_t count = co_await manager_.cpu().read(array, index);
  if (count != 0) co_await manager_.cpu().write(array, index, 0);
  co_return count;
}

// §3.8: above the threshold the cache shrinks by one key, else it grows by one.
void Controller::resize(std::uint64_t size) {
  if (overflow_ratio_ > options_.overflow_threshold) {
    target_ = std::max(options_.min_size, size - std::min<std::uint64_t>(size, 1));
  } else {
    target_ = std::min(options_.cache_entries, std::max(options_.min_size, size + 1));
  }
}

void Controller::start_measuring() {
  measuring_ = true;
  measured_rounds_ = 0;
  overflow_sum_ = 0;
  smallest_.value = largest_.value = static_cast<double>(manager_.size());
}

void Controller::note_round() {
  if (sizes_) sizes_->set(shared_.rack.calendar().now(), manager_.size());
  if (!measuring_) return;
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

sim::Task<void> Controller::update(std::vector<Popularity> cached) {
  std::sort(cached.begin(), cached.end(), hotter);
  const std::vector<Popularity> candidates = take_candidates();
  std::vector<sim::Task<void>> evictions;
  std::vector<Popularity> evicted;
  std::vector<sim::Key> newcomers;
  while (cached.size() > target_) {
    evictions.push_back(manager_.evict(cached.back().key));
    evicted.push_back(cached.back());
    cached.pop_back();
  }
  if (options_.updates) {
    std::size_t next = 0;
    std::size_t size = cached.size();
    for (; next < candidates.size() && size < target_; ++next, ++size) newcomers.push_back(candidates[next].key);
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

sim::Task<switch_cache::Controller::RowState> Controller::read_row(std::uint64_t index) {
  RowState row;
  row.state = co_await manager_.cpu().read(program_.state, index);
  const std::uint64_t queue = co_await manager_.cpu().read(program_.queue, index);
  row.waited_for = (queue & p4::mask_of(program_.queue->width.bits)) != 0;
  row.front = co_await manager_.cpu().read(program_.front, index);
  co_return row;
}

void Controller::met_dead_key(bool invalid) const {
  shared_.coverage.race(invalid ? RacePoint::revived_invalid : RacePoint::revived_with_requests);
}

}  // namespace racksim::starcache

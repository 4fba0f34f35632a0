// The controller's mind (StarCache §3.1, §3.8): in rounds it reads what the switch has counted, compares the popularity
// of cached keys with the servers' reports of uncached ones, replaces the least popular, and fits the cache's size to
// the overflow ratio.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "protocols/starcache/cache_manager.hpp"
#include "protocols/starcache/star_server.hpp"
#include "protocols/switch_cache/controller.hpp"
#include "sim/metrics/time_series.hpp"

namespace racksim::starcache {

class Controller final : public switch_cache::Controller {
 public:
  Controller(store::Shared& shared, const StarCacheOptions& options, Counters& counters, const StarProgram& program,
             CacheManager& manager, const std::vector<std::unique_ptr<StarServer>>& servers);

  sim::Task<void> round() override;

  /// The size that the cache is to have, of all pipes together.
  std::uint64_t target() const;
  /// Overflow requests over requests for cached keys, in the last round, of all pipes together.
  double overflow_ratio() const { return overflow_ratio_; }

 private:
  sim::Task<std::uint64_t> read_and_reset(unsigned pipe, const p4::RegisterArray* array, std::uint64_t index);
  /// A pipe's cache is one of its own, and so is its size.
  struct PipeCache {
    unsigned pipe = 0;
    std::uint64_t target = 0;
    std::uint64_t hits = 0, overflows = 0;  // of the last round
    std::vector<Popularity> cached{};       // in the round
  };

  sim::Task<RowState> read_row(RowAt at) override;
  sim::Task<void> update(PipeCache& cache, std::vector<Popularity> candidates);
  PipeCache& cache_of(unsigned pipe);
  static double ratio(std::uint64_t overflows, std::uint64_t hits);
  std::vector<Popularity> take_candidates();
  void resize(PipeCache& cache) const;
  void note_round();

  store::Shared& shared_;
  const StarCacheOptions& options_;
  Counters& counters_;
  StarProgram program_;
  CacheManager& manager_;
  std::map<sim::Key, std::uint64_t> reported_;  // key to requests that servers have counted since the last round
  std::vector<PipeCache> pipes_;
  double overflow_ratio_ = 0;
  sim::TimeSeries* sizes_ = nullptr;
  sim::Gauge &smallest_, &largest_, &mean_overflow_;
  std::uint64_t measured_rounds_ = 0;
  double overflow_sum_ = 0;  // of the measured rounds' ratios
};

}  // namespace racksim::starcache

// The options of a key-value store that stands on a distributed shared memory, as `store.` options of the workload that
// uses one. What it costs its thread beside calls of the memory: GAM §6.2's steps, with times that are assumed.
#pragma once

#include <cstdint>

#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::models {

struct StoreOptions {
  std::uint64_t buckets = 0;  ///< 0: twice as many entries as keys
  double resized = 0;         ///< share of the puts
  sim::Duration hash_time = sim::Duration::from_ps(20'000);
  sim::Duration entry_time = sim::Duration::from_ps(5'000);
  sim::Duration retry = sim::Duration::from_ps(5'000'000);
  std::uint64_t attempts = 1000;

  void declare(sim::Parameters& p);
  std::uint64_t buckets_for(std::uint64_t keys) const;
};

}  // namespace racksim::models

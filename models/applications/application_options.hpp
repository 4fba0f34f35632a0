// The options that every application has, beside its own, and the way from them to a running one.
//
// Closed loop: a thread begins its next operation as one ends. Open loop: operations of all threads together arrive as a
// Poisson process; a thread has its own share of them, in its order of arrival, and one under way: what comes meanwhile
// waits, and its latency begins with its arrival. An operation that is aborted is tried again, with the same draws, after
// a pause that is drawn anew each time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/applications/application.hpp"
#include "models/workloads/distribution.hpp"
#include "models/workloads/workload.hpp"

namespace racksim::app {

struct ApplicationOptions final : models::WorkloadOptions {
  enum class Loop : std::uint8_t { closed, open };

  ApplicationOptions(std::string kind, std::shared_ptr<Application> made)
      : name(std::move(kind)), application(std::move(made)) {}

  std::string name;
  std::shared_ptr<Application> application;
  std::uint64_t threads = 2;
  Loop loop = Loop::closed;
  std::uint64_t rate = 100'000;  ///< in open loop
  SlotLayout layout = SlotLayout::packed;
  double zipf = 0;
  models::DistributionOptions distribution;
  std::uint64_t retries = 1'000'000;  ///< attempts beside the first
  sim::Duration backoff = sim::Duration::from_ps(5'000'000);
  std::uint64_t backoff_doublings = 0;
  std::uint64_t warm_slots = 0;

  void declare(sim::Parameters& p) override;
  void check() const override { application->check(); }
  models::Footprint footprint(const models::RunScale& scale) const override;
  unsigned threads_per_node() const override { return static_cast<unsigned>(threads) + application->own_threads(); }
  std::uint64_t blocks_in_reach(std::uint64_t compute_nodes, std::uint64_t block_bytes) const override;
  std::vector<std::string> oracles(std::uint64_t block_bytes) const override;
  std::unique_ptr<models::Workload> build(models::WorkloadContext& context) const override;

 private:
  /// What only regions need.
  void declare_regions(sim::Parameters& p);
};

}  // namespace racksim::app

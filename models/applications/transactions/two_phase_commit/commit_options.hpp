// The options of two-phase commit over partitioned nodes.
#pragma once

#include <cstdint>

#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::app::two_phase_commit {

struct CommitOptions {
  std::uint64_t server_threads = 1;  ///< at each node, with a core each; 0: application threads serve calls themselves
  sim::Duration call_cost = sim::Duration::from_ps(500'000);
  sim::Duration call_timeout = sim::Duration::from_ps(500'000'000);
  sim::Duration patience = sim::Duration::from_ps(50'000'000'000);
  bool early_release = false;

  /// As `commit.` options, and `early_release`.
  void declare(sim::Parameters& p);
};

}  // namespace racksim::app::two_phase_commit

// Circulating packets that nobody asks for: how much faster a quiet run of StarCache is when their passes are computed
// instead of run (models/switch/idle_ring.hpp).
#pragma once

#include "tools/bench/rounds.hpp"
#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

/// Simulated seconds per second of a processor, and the ratio of the two.
struct IdlePassesResult {
  Spread skipped, run, skipped_over_run;
};

/// scenarios/starcache/zipf-0.99.json at 1,000 requests/s: 32 hot items circulate, and hardly anybody asks for one.
/// `simulated_ms` are run, and a hundred times as many skipped, so that both take a while; what is measured is the
/// whole of a run, the making of the rack included. Throws std::runtime_error when a run fails.
IdlePassesResult run_idle_passes(unsigned simulated_ms, unsigned rounds, const Catalogue& catalogue);

}  // namespace racksim::tools

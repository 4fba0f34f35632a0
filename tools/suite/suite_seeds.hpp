// Whether a scenario that expects a violation shows it whatever the seed: `racksim test --seeds N`.
//
// A scenario that fails with its own seed alone stops failing as soon as a change moves the order of events, and then
// tells nothing of the mistake that it was kept for. So it must do so with nine of ten seeds, unless its faults name
// the packets that they hit (models::FaultEntry::names_packets): then its own schedule is what it is about.
#pragma once

#include "tools/suite/suite.hpp"

namespace racksim::tools {

/// Whether the scenario expects to fail, and none of its faults names packets.
bool must_fail_with_any_seed(const Scenario& scenario);

/// Runs those that must with the `seeds` - 1 seeds that follow their own, as `run_suite` runs them; fills
/// SuiteResult::seeds, and adds a failure where fewer than nine of ten met what the scenario expects. `results` are
/// those of `run_suite`; one that failed already is left alone. Once the program is interrupted (interruption.hpp),
/// those whose seeds have not all ended are skipped.
void run_other_seeds(const std::vector<SuiteScenario>& scenarios, std::vector<SuiteResult>& results, unsigned seeds,
                     unsigned jobs, std::chrono::milliseconds limit, const SuiteProgress& progress);

}  // namespace racksim::tools

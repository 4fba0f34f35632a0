// A scenario run with several seeds, S, S + 1, and so on, each in a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/experiment/run_result.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// What a run with one seed has given.
struct SeedRun {
  std::uint64_t seed = 0;
  std::map<std::string, double> values;      ///< by the names of run_metrics.hpp; those that the run has, all finite
  std::map<std::string, std::string> units;  ///< of the same
  std::string hash;                          ///< the run hash; empty if the run did not end
  bool pass = false;                         ///< the oracles' verdict and the scenario's expectations
  std::string problem;                       ///< the first violation, or why the run did not end; empty if all is well

  bool ended() const { return !hash.empty(); }
};

/// Which seeds: `least` of them from `first` on, and with a `precision` as many more up to `most` as it takes until the
/// headline metrics (kHeadline) are known so well: the half-width of each one's interval is at most this share of its
/// mean. Once a run fails no seed is added: more would not change the verdict.
struct SeedPlan {
  std::uint64_t first = 1;
  std::size_t least = 1, most = 1;
  std::optional<double> precision;
  unsigned jobs = 1;
};

/// What a precision is asked of.
inline constexpr const char* kHeadline[] = {"throughput_mops", "latency_ns.mean"};

/// How runs are kept, each in a folder of its own. Both are called in the run's process.
struct SeedKeeping {
  /// Gets the folder of a run ready, whose scenario has its seed, and gives its name: observed files go there.
  std::function<std::string(const Scenario&)> begin = {};
  std::function<void(const Scenario&, const RunResult&, const sim::Metrics&)> end = {};
};

/// Told now and then how many runs have ended.
using SeedProgress = std::function<void(std::size_t done)>;

/// The runs, in the order of seeds; fewer if the program is interrupted. `scenario`'s own seed is not used. What is
/// not kept writes no observed files: runs would write over each other's. Throws as `run_in_order`.
std::vector<SeedRun> run_seeds(const Scenario& scenario, const SeedPlan& plan, const SeedProgress& progress,
                               const SeedKeeping& keeping = {});

/// Whether the headline metrics of these runs are known so well.
bool precise_enough(const std::vector<SeedRun>& runs, double precision);

/// In the child: runs the scenario with a seed, and tells what came out in JSON.
std::string seed_answer(Scenario scenario, std::uint64_t seed, const SeedKeeping& keeping = {});
/// What the parent reads of it.
SeedRun seed_run_of(const ChildResult& result, std::uint64_t seed);

/// Throws InputError at `place` if there are not so many seeds from `first` on.
void check_seeds(std::uint64_t first, std::uint64_t count, const JsonLocation& place);

}  // namespace racksim::tools

// The runs behind a figure's points, each in a process of its own: a SimGrid engine exists once per process, and a run
// that crashes takes no other with it. Results do not depend on how many run at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/figure/figure.hpp"
#include "tools/figure/kept_points.hpp"

namespace racksim::tools {

/// What one run of a point has given.
struct PointResult {
  /// In the order of the figure's metrics, of a figure over time window by window; NaN for one that this run does not
  /// have.
  std::vector<double> values;
  std::string hash;     ///< the run hash; empty if the run did not end
  bool pass = false;    ///< the oracles' verdict and the scenario's expectations
  std::string problem;  ///< the first violation, or why the run did not end; empty if all is well

  std::uint64_t load = 0;    ///< of the knee; 0 where none was looked for or found
  bool from_before = false;  ///< kept from an earlier call

  bool ended() const { return !hash.empty(); }
  /// "pass", "fail", or "crash" of one that did not end.
  const char* verdict() const { return !ended() ? "crash" : pass ? "pass" : "fail"; }
};

/// Told now and then how many points are done.
using FigureProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Gives the results of all points, in the order of `figure.points` and of each in the order of its criteria: of those
/// that are kept what is kept, the others are run, at most `jobs` at a time, and kept as they end. A run that does not
/// end is not kept. Throws Interrupted (interruption.hpp), OutputError, and std::runtime_error if no process can be
/// started.
std::vector<PointResult> run_points(const Figure& figure, const Catalogue& catalogue, unsigned jobs, KeptPoints& kept,
                                    const FigureProgress& progress);

}  // namespace racksim::tools

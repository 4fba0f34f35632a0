// The runs behind a figure's points, each in a process of its own: a SimGrid engine exists once per process, and a run
// that crashes takes no other with it. Results do not depend on how many run at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/figure.hpp"

namespace racksim::tools {

/// What one point's run has given.
struct PointResult {
  std::vector<double> values;  ///< in the order of the figure's metrics; NaN for one that this run does not have
  std::string hash;            ///< the run hash; empty if the run did not end
  bool pass = false;           ///< the oracles' verdict and the scenario's expectations
  std::string problem;         ///< the first violation, or why the run did not end; empty if all is well

  bool ended() const { return !hash.empty(); }
};

/// Told now and then how many points are done.
using FigureProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Runs all points, at most `jobs` at a time; the results come in the order of `figure.points`.
/// Throws std::runtime_error if no process can be started.
std::vector<PointResult> run_points(const Figure& figure, unsigned jobs, const FigureProgress& progress);

}  // namespace racksim::tools

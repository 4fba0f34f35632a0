// Whether a run was warm before it was measured, and how well it tells its throughput and its mean latency by itself: from
// what has ended in each window of time, from time zero on (sim/metrics/window_sums.hpp).
//
// MSER-5 (tools/statistics/truncation.hpp) tells when a series from the run's begin has settled. Noise makes it cut off a
// little of any series, so the warm-up is called too short only where that matters: where what was measured before then
// moves the mean by more than one in a hundred. The interval is that of batch means (tools/statistics/batch_means.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sim/metrics/window_sums.hpp"
#include "tools/json/json_document.hpp"
#include "tools/statistics/batch_means.hpp"

namespace racksim::tools {

/// By so much what was measured too early may move a mean, as a share of it.
inline constexpr double kMeansTheSame = 0.01;

/// What one of the two series shows.
struct SteadySeries {
  /// When it has settled; none of a series that is too short for MSER-5.
  std::optional<sim::Time> settled;
  bool too_short = false;  ///< that is beyond half of the series, which shows nothing
  /// Measuring began before then, and the mean is another from then on.
  bool early = false;
  std::optional<BatchMeans> batches;  ///< of the measured time; none if there are too few windows in it
};

struct SteadyState {
  sim::Duration window{};  ///< the length of a window of the series
  sim::Time measured_from;
  SteadySeries throughput;  ///< in operations a picosecond
  SteadySeries latency;     ///< in picoseconds
};

/// Of a run that was measured from an instant on, for so long.
SteadyState steady_state_of(const sim::WindowSums& sums, sim::Time begin, sim::Duration length);

/// What there is to say of it, in lines of a report. With `all` also that the warm-up was long enough, and the intervals.
std::string steady_state_text(const SteadyState& steady, bool all);

/// Keys: window_ns, and throughput_mops and latency_ns, each with settled_ns, early_ns, too_short, mean, half_width,
/// batches, correlation and correlated; null for what there is not.
JsonValue steady_state_json(const SteadyState& steady);

}  // namespace racksim::tools

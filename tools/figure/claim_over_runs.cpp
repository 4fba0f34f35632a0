// See claim_over_runs.hpp.
#include "tools/figure/claim_over_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/figure/claim_directions.hpp"
#include "tools/figure/empty_claim.hpp"
#include "tools/seeds/interval_text.hpp"
#include "tools/statistics/mean_interval.hpp"

namespace racksim::tools {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Where something lies as to what a claim admits.
enum class Place : std::uint8_t { inside, across, outside };

/// What a claim admits of a value, both ends included.
struct Bounds {
  double least = -kInfinity, most = kInfinity;

  static Bounds of(std::optional<double> min, std::optional<double> max, double rounding) {
    // A value on the bound is admitted although 1.4 + 0.05 is not quite 1.45 in binary.
    constexpr double kExact = 1e-12;
    Bounds bounds;
    if (min) bounds.least = *min - rounding - kExact * std::abs(*min - rounding);
    if (max) bounds.most = *max + rounding + kExact * std::abs(*max + rounding);
    return bounds;
  }

  bool admit(double value) const { return value >= least && value <= most; }

  Place place(const std::vector<double>& values) const {
    if (std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) {
      const MeanInterval interval = *mean_interval(values);
      const double low = interval.mean - *interval.half_width, high = interval.mean + *interval.half_width;
      if (high < least || low > most) return Place::outside;
      return admit(low) && admit(high) ? Place::inside : Place::across;
    }
    const auto admitted = std::count_if(values.begin(), values.end(), [&](double value) { return admit(value); });
    if (admitted == 0) return Place::outside;
    return admitted == static_cast<std::ptrdiff_t>(values.size()) ? Place::inside : Place::across;
  }
};

/// What a reading has at each of its points, run by run.
struct ReadOverRuns {
  std::vector<double> mean;               ///< of the means of what was simulated
  std::vector<std::vector<double>> runs;  ///< by point

  ReadOverRuns(const Reading& reading, const FigureAxes& axes, const FigureValues& of_mean,
               const std::vector<FigureValues>& each)
      : mean(values_of(reading, axes, of_mean)), runs(mean.size()) {
    for (const FigureValues& values : each) {
      const std::vector<double> of_run = values_of(reading, axes, values);
      for (std::size_t at = 0; at < runs.size(); ++at) runs[at].push_back(of_run[at]);
    }
  }

  /// " ± 0.013", the largest half-width of all points, to the last digit that the means are told with; empty if some point
  /// has none.
  std::string half_width_text() const {
    double half_width = 0, size = 0;
    for (std::size_t at = 0; at < runs.size(); ++at) {
      if (!std::all_of(runs[at].begin(), runs[at].end(), [](double value) { return std::isfinite(value); })) return "";
      half_width = std::max(half_width, *mean_interval(runs[at])->half_width);
      size = std::max(size, std::abs(mean[at]));
    }
    if (half_width == 0) return " ± 0";
    if (size < 0.001) return fmt::format(" ± {:.2g}", half_width);  // as short_number() tells them
    const int two_digits = decimals_for(0, half_width), of_mean = 3 - static_cast<int>(std::floor(std::log10(size)));
    return fmt::format(" ± {:.{}f}", half_width, std::clamp(of_mean, std::max(0, two_digits - 1), two_digits));
  }
};

/// The worst of all values read.
Place place_of(const Expectation& paper, const std::vector<ReadOverRuns>& readings) {
  const Bounds bounds = Bounds::of(paper.min, paper.max, paper.rounding);
  Place worst = Place::inside;
  double largest = -kInfinity;
  const std::vector<double>* of_largest = nullptr;
  for (const ReadOverRuns& reading : readings) {
    for (std::size_t at = 0; at < reading.runs.size(); ++at) {
      worst = std::max(worst, bounds.place(reading.runs[at]));
      if (of_largest != nullptr && !(reading.mean[at] > largest)) continue;
      largest = reading.mean[at];
      of_largest = &reading.runs[at];
    }
  }
  if (paper.reach) worst = std::max(worst, Bounds::of(paper.reach, {}, 0).place(*of_largest));
  return worst;
}

void judge_numbers(const Claim& claim, const FigureAxes& axes, const FigureValues& mean,
                   const std::vector<FigureValues>& each, Verdict& verdict) {
  std::vector<ReadOverRuns> readings;
  for (const Reading& reading : claim.readings) readings.emplace_back(reading, axes, mean, each);
  const Place place = place_of(claim.paper, readings);
  verdict.met = place == Place::inside;
  if (place == Place::across) verdict.unclear = "the 95 % interval goes across";
  if (place != Place::outside) verdict.off.reset();

  std::vector<std::string> texts = verdict.of_readings;
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] += readings[i].half_width_text() + " (";
  for (std::size_t run = 0; run < each.size(); ++run) {
    const Verdict of_run = judge(claim, axes, each[run]);
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] += (run == 0 ? "" : " | ") + of_run.of_readings[i];
  }
  for (std::string& text : texts) text += ")";
  verdict.simulated = with_names(claim, axes, texts);
}

void judge_in_a_direction(const Claim& claim, const FigureAxes& axes, const FigureValues& mean,
                          const std::vector<FigureValues>& each, const std::string& samples, Verdict& verdict) {
  std::size_t met = 0;
  std::string unclear;
  for (const FigureValues& values : each) {
    const Verdict of_run = judge(claim, axes, values);
    met += of_run.met ? 1 : 0;
    if (!of_run.unclear.empty()) unclear = of_run.unclear;
  }
  const auto direction = judge_direction(claim, axes, mean, each);
  verdict.simulated +=
      fmt::format(" (so in {} of {}{})", met, samples, direction && direction->same ? ", all the same" : "");
  if (direction) {
    verdict.met = direction->met;
    verdict.unclear = direction->unclear;
    return;
  }
  verdict.met = met == each.size();
  if (verdict.met || (met == 0 && unclear.empty())) return;
  verdict.unclear = unclear.empty() ? fmt::format("met with {} of {}", met, samples) : unclear;
}

/// Why a claim that seems met or not is neither, by what one of the runs lacks; empty if none lacks anything.
std::string why_nothing_tells(const Claim& claim, const FigureAxes& axes, const std::vector<FigureValues>& each,
                              bool met) {
  std::string why;
  for (const FigureValues& values : each) {
    if (why.empty()) why = why_nothing_was_read(claim, axes, values);
    if (why.empty() && met) why = why_it_holds_of_nothing(claim, axes, values);
  }
  return why;
}

}  // namespace

Verdict judge_over_runs(const Claim& claim, const FigureAxes& axes, const FigureValues& mean,
                        const std::vector<FigureValues>& each, const std::string& samples) {
  Verdict verdict = judge(claim, axes, mean);
  verdict.unclear.clear();
  if (claim.directional()) {
    judge_in_a_direction(claim, axes, mean, each, samples, verdict);
  } else {
    judge_numbers(claim, axes, mean, each, verdict);
  }
  const std::string nothing = why_nothing_tells(claim, axes, each, verdict.met);
  if (!nothing.empty()) verdict.unclear = nothing;
  if (!verdict.unclear.empty()) verdict.met = false;
  return verdict;
}

}  // namespace racksim::tools

// The metric registry: every number that a run reports, under one name with a unit and a sentence.
//
// Components register what they count when they are built and keep the reference; reports, expectations, comparisons
// of runs and figures read the registry by name. Counting is `++counter.value`: no lookup on the hot path.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "sim/kernel/time.hpp"
#include "sim/metrics/histogram.hpp"
#include "sim/metrics/time_series.hpp"
#include "sim/options/place.hpp"

namespace racksim::sim {

/// Something that only grows, counted during the run.
struct Counter {
  std::uint64_t value = 0;
};

/// A number that is computed once, at the end of the run: a share, a rate, an occupancy.
struct Gauge {
  double value = 0;
};

/// One registered metric.
struct Metric {
  std::string unit;  ///< of the value; histograms hold durations and say "ns", which is what reports print
  std::string doc;   ///< one sentence
  std::variant<Counter, Gauge, Histogram, TimeSeries> value;
  SourcePlace where;  ///< it was registered here
};

/// The metrics of one run. References that it hands out stay valid as long as it lives.
///
/// Names are dotted paths of lower-case letters, digits and underscores ("flowcc.home_agent.packets_received"). A name
/// that is malformed is a std::logic_error that names it; so is one that is already taken, with both places.
class Metrics {
 public:
  Metrics() = default;
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter& counter(std::string_view name, std::string_view unit, std::string_view doc,
                   SourcePlace where = SourcePlace::current());
  Gauge& gauge(std::string_view name, std::string_view unit, std::string_view doc, double value,
               SourcePlace where = SourcePlace::current());
  Histogram& histogram(std::string_view name, std::string_view doc, SourcePlace where = SourcePlace::current());
  TimeSeries& time_series(std::string_view name, std::string_view unit, std::string_view doc, Duration interval,
                          SourcePlace where = SourcePlace::current());

  /// Sets all counters, histograms and time series back to nothing. Gauges are computed, not counted.
  void clear_counts();

  /// The metric of this name, or nullptr.
  const Metric* find(std::string_view name) const;

  /// All metrics by name, in the order of names.
  const std::map<std::string, Metric, std::less<>>& all() const { return all_; }

 private:
  Metric& add(std::string_view name, std::string_view unit, std::string_view doc,
              std::variant<Counter, Gauge, Histogram, TimeSeries> value, const SourcePlace& where);

  // A map, because its nodes do not move and it is ordered.
  std::map<std::string, Metric, std::less<>> all_;
};

}  // namespace racksim::sim

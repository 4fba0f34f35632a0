// The metric registry: every number that a run reports, under one name with a unit and a sentence.
//
// Components register what they count when they are built and keep the reference; reports, expectations, comparisons
// of runs and figures read the registry by name. Counting is `++counter.value`: no lookup on the hot path.
//
// A run has one window of measurement, which is opened and closed once, on all metrics. Counters only count: the
// registry remembers where each of them stood at either end, and a metric's number is what was counted in between. A
// window that nobody opens is the whole run.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/kernel/time.hpp"
#include "sim/metrics/histogram.hpp"
#include "sim/metrics/time_series.hpp"
#include "sim/options/place.hpp"

namespace racksim::sim {

/// Something that only grows, counted during the run.
struct Counter {
  /// Since the run began.
  std::uint64_t value = 0;
  /// Of it, what was counted while the window was open.
  std::uint64_t in_window() const { return (closed_at_ == kNotYet ? value : closed_at_) - opened_at_; }

 private:
  friend class Metrics;
  static constexpr std::uint64_t kNotYet = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t opened_at_ = 0, closed_at_ = kNotYet;  // its value then
};

/// A number that is computed or noted: a rate, an occupancy, the least and the most of something.
struct Gauge {
  double value = 0;
  std::function<double()> at_close = {};  ///< if any, computes it when the window closes
  /// If any, makes what tells its value since it was asked before, or the run began.
  std::function<std::function<double()>()> over_time = {};
};

/// What some counters have counted in the window over what others have: a share, or how much of something an operation
/// takes.
struct Quotient {
  using Counters = std::vector<const Counter*>;
  Counters part, whole;
  bool rest = false;  ///< it is what the part leaves of the whole
  /// 0 if there was nothing of the whole.
  double value() const;
};

/// When a person sees a number that is not 0.
enum class Shown : std::uint8_t {
  always,   ///< it is of what he asks first: which share of the operations were answered how
  trouble,  ///< always, and of the whole run: it counts what goes wrong or is lost, which no run without faults needs
  verbose,  ///< if he asks for all
  json,     ///< in the report for programs alone: it exists once for each of many, or another line tells it
};

/// One registered metric.
struct Metric {
  std::string unit;  ///< of the value; histograms hold durations and say "ns", which is what reports print
  std::string doc;   ///< one sentence
  std::variant<Counter, Gauge, Quotient, Histogram, TimeSeries> value;
  SourcePlace where;  ///< it was registered here
  Shown shown = Shown::verbose;
  /// Whether it counts what it is about wherever in the run that is found out, as an oracle's verdicts are: no window
  /// cuts it.
  bool of_run = false;

  /// Of a counter what was counted in the window, of a gauge and a quotient the value; nothing of what holds many.
  std::optional<double> number() const;
};

/// The name under which a metric is registered, and where.
struct MetricName {
  template <class Text>
  MetricName(const Text& name, SourcePlace place = SourcePlace::current()) : text(name), where(place) {}
  std::string_view text;
  SourcePlace where;
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

  Counter& counter(MetricName name, std::string_view unit, std::string_view doc, Shown shown = Shown::verbose);
  /// A counter that means trouble.
  Counter& trouble(MetricName name, std::string_view unit, std::string_view doc) {
    return counter(name, unit, doc, Shown::trouble);
  }
  /// A counter that no window cuts.
  Counter& counter_of_run(MetricName name, std::string_view unit, std::string_view doc, Shown shown = Shown::verbose);
  Gauge& gauge(MetricName name, std::string_view unit, std::string_view doc, double value,
               Shown shown = Shown::verbose);
  /// A gauge that is computed when the window closes.
  Gauge& computed(MetricName name, std::string_view unit, std::string_view doc, std::function<double()> at_close,
                  Shown shown = Shown::verbose);
  /// Millions a second, in the window.
  void rate(MetricName name, std::string_view doc, const Counter& counter, Shown shown = Shown::verbose);
  const Quotient& quotient(MetricName name, std::string_view unit, std::string_view doc, Quotient::Counters part,
                           Quotient::Counters whole, Shown shown = Shown::verbose);
  /// The quotient whose whole has the part in it.
  const Quotient& share(MetricName name, std::string_view doc, Quotient::Counters part, Quotient::Counters whole,
                        Shown shown = Shown::always) {
    return quotient(name, "share", doc, std::move(part), std::move(whole), shown);
  }
  /// What is left of a share. It is shown always.
  const Quotient& rest(MetricName name, std::string_view doc, Quotient::Counters without, Quotient::Counters whole);
  Histogram& histogram(MetricName name, std::string_view doc);
  TimeSeries& time_series(MetricName name, std::string_view unit, std::string_view doc, Duration interval);

  /// The window opens and closes: once, the second time is a std::logic_error. One that closes without having opened
  /// is empty.
  void open_window(Time now);
  void close_window(Time now);
  /// For what has to be noted when it opens: the size of a cache, the work that has been done until then.
  void when_window_opens(std::function<void()> note) { when_opens_.push_back(std::move(note)); }
  /// Whether it is open: what is no counter asks before it records.
  bool measuring() const { return opened_at_ != Time::max() && closed_at_ == Time::max(); }
  /// Whether an instant lies in it, as far as it has come.
  bool in_window(Time at) const { return at >= opened_at_ && at < closed_at_; }
  Time window_begin() const { return opened_at_ == Time::max() ? Time() : opened_at_; }
  /// 0 before it has closed.
  Duration window_length() const { return closed_at_ == Time::max() ? Duration() : closed_at_ - opened_at_; }

  /// Something took so long, which counts in the histogram if it is of the window.
  void record(Histogram& histogram, Duration took, bool of_window) {
    if (of_window) {
      histogram.record(took);
    } else if (!outside_.empty()) [[unlikely]] {
      record_outside(histogram, took);
    }
  }
  /// From now on what `record` is told of that is not of the window is kept in a histogram beside: this one. For whom the
  /// window does not matter.
  const Histogram& keep_outside(const Histogram& histogram);

  /// Sets all counters, histograms and time series back to nothing, before the run. Gauges are computed, not counted.
  void clear_counts();

  /// The metric of this name, or nullptr.
  const Metric* find(std::string_view name) const;

  /// All metrics by name, in the order of names.
  const std::map<std::string, Metric, std::less<>>& all() const { return all_; }

 private:
  using Value = decltype(Metric::value);
  Metric& add(MetricName name, std::string_view unit, std::string_view doc, Value value, Shown shown = Shown::verbose);

  // A map, because its nodes do not move and it is ordered.
  std::map<std::string, Metric, std::less<>> all_;
  void record_outside(const Histogram& histogram, Duration took);
  struct Outside {
    const Histogram* of;
    std::unique_ptr<Histogram> records;
  };
  std::vector<Outside> outside_;
  std::vector<std::function<void()>> when_opens_;
  Time opened_at_ = Time::max(), closed_at_ = Time::max();
};

}  // namespace racksim::sim

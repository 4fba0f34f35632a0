// See metric_series.hpp.
#include "tools/experiment/metric_series.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "tools/experiment/run_metrics.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

/// How much some counters have grown since it was asked before.
class Growth {
 public:
  explicit Growth(sim::Quotient::Counters counters) : counters_(std::move(counters)) {}
  std::uint64_t operator()() {
    std::uint64_t sum = 0;
    for (const sim::Counter* counter : counters_) sum += counter->value;
    return sum - std::exchange(before_, sum);
  }

 private:
  sim::Quotient::Counters counters_;
  std::uint64_t before_ = 0;
};

/// Microseconds to the picosecond, without zeros at the end: "12.5".
std::string microseconds(sim::Duration time) {
  constexpr std::int64_t kPsPerUs = 1'000'000;
  std::string text = fmt::format("{}.{:06}", time.ps() / kPsPerUs, time.ps() % kPsPerUs);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

MetricSeries::MetricSeries(sim::Metrics& metrics, const std::vector<std::string>& names, sim::Duration interval,
                           const JsonLocation& asked)
    : metrics_(metrics), interval_(interval) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto since_last = source(names[i]);
    if (!since_last) {
      const bool known = metric_number(metrics, names[i]).metric != nullptr;
      asked.element(i).refuse(known ? quote(names[i]) + ", which is of the whole window" : quote(names[i]),
                              "a metric that has a value in each interval, as racksim list metrics names them",
                              nearest_name(names[i], names_to_choose_from()));
    }
    const std::string unit = metric_unit(metrics, names[i]);
    columns_.push_back({unit.empty() ? names[i] : fmt::format("{} [{}]", names[i], unit), std::move(since_last)});
  }
}

std::function<MetricSeries::Value()> MetricSeries::source(const std::string& name) const {
  const auto [metric, behind] = metric_number(metrics_, name);
  if (metric == nullptr) return {};
  if (const auto* counter = std::get_if<sim::Counter>(&metric->value)) {
    if (behind == "whole_run") return [counter] { return Value(static_cast<double>(counter->value)); };
    if (!behind.empty() && behind != "mega_per_second") return {};
    const double divisor = behind.empty() ? 1 : interval_.ns() / 1000;
    return [growth = Growth({counter}), divisor]() mutable { return Value(static_cast<double>(growth()) / divisor); };
  }
  if (const auto* histogram = std::get_if<sim::Histogram>(&metric->value)) {
    const auto statistics = histogram_statistics();
    if (std::find(statistics.begin(), statistics.end(), behind) == statistics.end()) return {};
    return
        [histogram, outside = &metrics_.keep_outside(*histogram), what = behind, before = sim::Histogram()]() mutable {
          sim::Histogram all = *histogram;
          all.merge(*outside);
          const sim::Histogram now = all.since(before);
          before = std::move(all);
          return histogram_statistic(now, what);
        };
  }
  if (!behind.empty()) return {};
  if (const auto* quotient = std::get_if<sim::Quotient>(&metric->value)) {
    return [part = Growth(quotient->part), whole = Growth(quotient->whole), rest = quotient->rest]() mutable {
      const auto of = static_cast<double>(whole());
      const auto some = static_cast<double>(part());
      return of > 0 ? Value((rest ? of - some : some) / of) : Value();
    };
  }
  const auto* gauge = std::get_if<sim::Gauge>(&metric->value);
  if (gauge == nullptr) return {};
  if (gauge->over_time) return [since_last = gauge->over_time()] { return Value(since_last()); };
  if (gauge->at_close) return {};
  return [gauge] { return Value(gauge->value); };
}

std::vector<std::string> MetricSeries::names_to_choose_from() const {
  auto names = metric_names_in(metrics_);
  std::erase_if(names, [&](const std::string& name) { return !source(name); });
  return names;
}

std::string MetricSeries::header() const {
  std::string line = "time_us";
  for (const Column& column : columns_) line += ',' + column.title;
  return line + '\n';
}

void MetricSeries::begin() {
  for (const Column& column : columns_) column.since_last();
}

std::string MetricSeries::next() {
  std::string line = microseconds(interval_ * rows_++);
  for (const Column& column : columns_) {
    const Value value = column.since_last();
    line += ',';
    if (value) line += fmt::format("{}", *value);
  }
  return line + '\n';
}

}  // namespace racksim::tools

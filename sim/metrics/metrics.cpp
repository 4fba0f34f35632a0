#include "sim/metrics/metrics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/options/place.hpp"

namespace racksim::sim {
namespace {

/// Whether a name is a dotted path with no empty part.
bool is_path(std::string_view name) {
  bool part_begins = true;
  for (const char c : name) {
    if (c == '.') {
      if (part_begins) return false;
      part_begins = true;
    } else {
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
      part_begins = false;
    }
  }
  return !part_begins;
}

double sum(const Quotient::Counters& counters) {
  std::uint64_t counted = 0;
  for (const Counter* counter : counters) counted += counter->in_window();
  return static_cast<double>(counted);
}

}  // namespace

double Quotient::value() const {
  const double all = sum(whole);
  if (all <= 0) return 0;
  return (rest ? all - sum(part) : sum(part)) / all;
}

std::optional<double> Metric::number() const {
  if (const auto* counter = std::get_if<Counter>(&value)) return static_cast<double>(counter->in_window());
  if (const auto* gauge = std::get_if<Gauge>(&value)) return gauge->value;
  if (const auto* quotient = std::get_if<Quotient>(&value)) return quotient->value();
  return std::nullopt;
}

Counter& Metrics::counter(MetricName name, std::string_view unit, std::string_view doc, Shown shown) {
  return std::get<Counter>(add(name, unit, doc, Counter{}, shown).value);
}

Counter& Metrics::counter_of_run(MetricName name, std::string_view unit, std::string_view doc, Shown shown) {
  Metric& metric = add(name, unit, doc, Counter{}, shown);
  metric.of_run = true;
  return std::get<Counter>(metric.value);
}

Gauge& Metrics::gauge(MetricName name, std::string_view unit, std::string_view doc, double value, Shown shown) {
  return std::get<Gauge>(add(name, unit, doc, Gauge{value}, shown).value);
}

Gauge& Metrics::computed(MetricName name, std::string_view unit, std::string_view doc, std::function<double()> at_close,
                         Shown shown) {
  return std::get<Gauge>(add(name, unit, doc, Gauge{0, std::move(at_close)}, shown).value);
}

void Metrics::rate(MetricName name, std::string_view doc, const Counter& counter, Shown shown) {
  const auto rate = [this, &counter] {
    const double us = window_length().ns() / 1000;
    return us > 0 ? static_cast<double>(counter.in_window()) / us : 0;
  };
  computed(name, "Mops", doc, rate, shown);
}

const Quotient& Metrics::quotient(MetricName name, std::string_view unit, std::string_view doc, Quotient::Counters part,
                                  Quotient::Counters whole, Shown shown) {
  return std::get<Quotient>(add(name, unit, doc, Quotient{std::move(part), std::move(whole)}, shown).value);
}

const Quotient& Metrics::rest(MetricName name, std::string_view doc, Quotient::Counters without,
                              Quotient::Counters whole) {
  Quotient left{std::move(without), std::move(whole), true};
  return std::get<Quotient>(add(name, "share", doc, std::move(left), Shown::always).value);
}

Histogram& Metrics::histogram(MetricName name, std::string_view doc) {
  return std::get<Histogram>(add(name, "ns", doc, Histogram(), Shown::always).value);
}

TimeSeries& Metrics::time_series(MetricName name, std::string_view unit, std::string_view doc, Duration interval) {
  return std::get<TimeSeries>(add(name, unit, doc, TimeSeries(interval), Shown::json).value);
}

const Histogram& Metrics::keep_outside(const Histogram& histogram) {
  const auto kept =
      std::find_if(outside_.begin(), outside_.end(), [&](const auto& one) { return one.of == &histogram; });
  if (kept != outside_.end()) return *kept->records;
  return *outside_.emplace_back(Outside{&histogram, std::make_unique<Histogram>()}).records;
}

void Metrics::record_outside(const Histogram& histogram, Duration took) {
  for (const Outside& one : outside_) {
    if (one.of == &histogram) one.records->record(took);
  }
}

void Metrics::clear_counts() {
  for (const Outside& one : outside_) one.records->clear();
  for (auto& [name, metric] : all_) {
    if (auto* counter = std::get_if<Counter>(&metric.value)) counter->value = 0;
    if (auto* histogram = std::get_if<Histogram>(&metric.value)) histogram->clear();
    if (auto* series = std::get_if<TimeSeries>(&metric.value)) series->clear();
  }
}

void Metrics::open_window(Time now) {
  if (opened_at_ != Time::max()) throw std::logic_error("the window of measurement opens a second time");
  opened_at_ = now;
  for (auto& [name, metric] : all_) {
    auto* counter = std::get_if<Counter>(&metric.value);
    if (counter != nullptr && !metric.of_run) counter->opened_at_ = counter->value;
  }
  for (const auto& note : when_opens_) note();
}

void Metrics::close_window(Time now) {
  if (closed_at_ != Time::max()) throw std::logic_error("the window of measurement closes a second time");
  if (opened_at_ == Time::max()) open_window(now);
  closed_at_ = now;
  for (auto& [name, metric] : all_) {
    auto* counter = std::get_if<Counter>(&metric.value);
    if (counter != nullptr && !metric.of_run) counter->closed_at_ = counter->value;
  }
  for (auto& [name, metric] : all_) {
    auto* gauge = std::get_if<Gauge>(&metric.value);
    if (gauge != nullptr && gauge->at_close) gauge->value = gauge->at_close();
  }
}

const Metric* Metrics::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

Metric& Metrics::add(MetricName name, std::string_view unit, std::string_view doc, Value value, Shown shown) {
  if (!is_path(name.text)) {
    throw std::logic_error(
        fmt::format("metric name '{}' is not a dotted path of lower-case letters, digits and underscores", name.text));
  }
  const auto [place, added] = all_.try_emplace(
      std::string(name.text), Metric{std::string(unit), std::string(doc), std::move(value), name.where, shown});
  if (!added) {
    throw std::logic_error(fmt::format("the metric \"{}\" is registered twice: in {} and in {}", name.text,
                                       place_of(place->second.where), place_of(name.where)));
  }
  return place->second;
}

}  // namespace racksim::sim

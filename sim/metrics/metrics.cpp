#include "sim/metrics/metrics.hpp"

#include <fmt/core.h>

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

}  // namespace

Counter& Metrics::counter(std::string_view name, std::string_view unit, std::string_view doc, SourcePlace where) {
  return std::get<Counter>(add(name, unit, doc, Counter{}, where).value);
}

Gauge& Metrics::gauge(std::string_view name, std::string_view unit, std::string_view doc, double value,
                      SourcePlace where) {
  return std::get<Gauge>(add(name, unit, doc, Gauge{value}, where).value);
}

Histogram& Metrics::histogram(std::string_view name, std::string_view doc, SourcePlace where) {
  return std::get<Histogram>(add(name, "ns", doc, Histogram(), where).value);
}

TimeSeries& Metrics::time_series(std::string_view name, std::string_view unit, std::string_view doc, Duration interval,
                                 SourcePlace where) {
  return std::get<TimeSeries>(add(name, unit, doc, TimeSeries(interval), where).value);
}

void Metrics::clear_counts() {
  for (auto& [name, metric] : all_) {
    if (auto* counter = std::get_if<Counter>(&metric.value)) counter->value = 0;
    if (auto* histogram = std::get_if<Histogram>(&metric.value)) histogram->clear();
    if (auto* series = std::get_if<TimeSeries>(&metric.value)) series->clear();
  }
}

const Metric* Metrics::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

Metric& Metrics::add(std::string_view name, std::string_view unit, std::string_view doc,
                     std::variant<Counter, Gauge, Histogram, TimeSeries> value, const SourcePlace& where) {
  if (!is_path(name)) {
    throw std::logic_error(
        fmt::format("metric name '{}' is not a dotted path of lower-case letters, digits and underscores", name));
  }
  const auto [place, added] =
      all_.try_emplace(std::string(name), Metric{std::string(unit), std::string(doc), std::move(value), where});
  if (!added) {
    throw std::logic_error(fmt::format("the metric \"{}\" is registered twice: in {} and in {}", name,
                                       place_of(place->second.where), place_of(where)));
  }
  return place->second;
}

}  // namespace racksim::sim

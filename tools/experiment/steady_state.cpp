// See steady_state.hpp.
#include "tools/experiment/steady_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tools/statistics/truncation.hpp"
#include "tools/text/numbers.hpp"

namespace racksim::tools {
namespace {

using Pieces = std::vector<SeriesPiece>;

/// Operations behind a value of MSER-5, in the mean: fewer make a series of chances.
constexpr double kOperationsOfValue = 10;

Pieces pieces_between(const Pieces& pieces, std::size_t first) {
  return {pieces.begin() + static_cast<std::ptrdiff_t>(std::min(first, pieces.size())), pieces.end()};
}

std::optional<double> mean_of(const Pieces& pieces) {
  SeriesPiece all;
  for (const SeriesPiece& piece : pieces) {
    all.sum += piece.sum;
    all.weight += piece.weight;
  }
  return all.weight > 0 ? std::optional(all.sum / all.weight) : std::nullopt;
}

/// The values of so many pieces each; empty if some of them have no weight.
std::vector<double> values_by(const Pieces& pieces, std::size_t each) {
  std::vector<double> values;
  for (std::size_t i = 0; i + each <= pieces.size(); i += each) {
    const auto begin = pieces.begin() + static_cast<std::ptrdiff_t>(i);
    const auto value = mean_of({begin, begin + static_cast<std::ptrdiff_t>(each)});
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

/// `pieces` are the windows from time zero to the end of the measured time, of which those from `first` on are measured. A
/// value of MSER-5 is of at least `each` of them.
SteadySeries judge_series(const Pieces& pieces, std::size_t first, std::size_t each, sim::Duration window) {
  SteadySeries series;
  const Pieces measured = pieces_between(pieces, first);
  series.batches = batch_means(measured);
  // Windows in which nothing ends have no latency: several are then one value.
  std::vector<double> values;
  for (; values.empty() && pieces.size() / each >= kMserBatch * kMserFewest; each *= 2)
    values = values_by(pieces, each);
  each /= 2;
  const auto cut = mser5(values);
  if (!cut) return series;
  const std::size_t settled = cut->values * each;
  series.settled = sim::Time{} + window * static_cast<std::int64_t>(settled);
  series.too_short = cut->too_short;
  const auto as_measured = mean_of(measured), warm = mean_of(pieces_between(pieces, std::max(settled, first)));
  // One that has settled before is the same from then on.
  series.early = as_measured && warm && std::abs(*as_measured - *warm) > kMeansTheSame * std::abs(*warm);
  return series;
}

std::string steady_line(const char* name, const std::string& text) {
  return fmt::format("{:<13}{}\n", name, text);
}

/// "throughput ± 0.41 %".
std::string batches_text(const char* name, const SteadySeries& series) {
  if (!series.batches) return fmt::format("{}: too short for batches", name);
  const BatchMeans& batches = *series.batches;
  if (!batches.half_width) return fmt::format("{}: none, {} batches are correlated", name, batches.batches);
  if (batches.mean == 0) return fmt::format("{}: none, nothing ended", name);
  return fmt::format("{} ± {:.2g} % ({} batches)", name, *batches.half_width / batches.mean * 100, batches.batches);
}

/// What is said of one or of both of the series.
std::string of_which(bool throughput, bool latency) {
  if (throughput && latency) return "(MSER-5 of throughput and latency)";
  return throughput ? "(MSER-5 of throughput)" : "(MSER-5 of latency)";
}

std::string warm_up_text(const SteadyState& steady, bool all) {
  const SteadySeries &throughput = steady.throughput, &latency = steady.latency;
  const auto too_short = [](const SteadySeries& series) { return series.early && series.too_short; };
  if (too_short(throughput) || too_short(latency)) {
    return steady_line(
        "warm-up", "the run is too short to tell where it ends " + of_which(too_short(throughput), too_short(latency)));
  }
  if (throughput.early || latency.early) {
    sim::Time settled;
    for (const SteadySeries* series : {&throughput, &latency}) {
      if (series->early) settled = std::max(settled, *series->settled);
    }
    return steady_line("warm-up",
                       fmt::format("ends {} too early {}", shown_duration((settled - steady.measured_from).ns()),
                                   of_which(throughput.early, latency.early)));
  }
  if (!all) return "";
  if (!throughput.settled && !latency.settled) return steady_line("warm-up", "too few operations to judge it by");
  return steady_line("warm-up", "long enough " + of_which(throughput.settled.has_value(), latency.settled.has_value()));
}

JsonValue number_of(const std::optional<double>& value) {
  return value ? JsonValue(*value) : JsonValue();
}

/// `unit` is what a value of the series is multiplied by.
JsonValue series_json(const SteadySeries& series, sim::Time measured_from, double unit) {
  auto json = JsonValue::object(
      {{"settled_ns", number_of(series.settled ? std::optional(series.settled->ns()) : std::nullopt)}});
  json.set("early_ns", series.early ? JsonValue((*series.settled - measured_from).ns()) : JsonValue());
  json.set("too_short", series.too_short);
  const auto& batches = series.batches;
  json.set("mean", batches ? JsonValue(batches->mean * unit) : JsonValue());
  json.set("half_width", batches && batches->half_width ? JsonValue(*batches->half_width * unit) : JsonValue());
  json.set("batches", batches ? JsonValue(batches->batches) : JsonValue());
  json.set("correlation", batches ? JsonValue(batches->correlation) : JsonValue());
  json.set("correlated", batches ? JsonValue(batches->correlated) : JsonValue());
  return json;
}

}  // namespace

SteadyState steady_state_of(const sim::WindowSums& sums, sim::Time begin, sim::Duration length) {
  SteadyState steady;
  steady.window = sums.width();
  steady.measured_from = begin;
  const std::int64_t width = sums.width().ps();
  const auto windows = std::min<std::int64_t>((begin + length).ps() / width, sim::WindowSums::kWindows);
  const auto first = static_cast<std::size_t>((begin.ps() + width - 1) / width);
  Pieces counts, latencies;
  double operations = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(windows); ++i) {
    const auto& [count, took_ps] = sums.windows()[i];
    operations += static_cast<double>(count);
    counts.push_back({static_cast<double>(count), static_cast<double>(width)});
    latencies.push_back({static_cast<double>(took_ps), static_cast<double>(count)});
  }
  std::size_t each = 1;
  while (each < counts.size() &&
         operations * static_cast<double>(each) < kOperationsOfValue * static_cast<double>(counts.size())) {
    each *= 2;
  }
  steady.throughput = judge_series(counts, first, each, steady.window);
  steady.latency = judge_series(latencies, first, each, steady.window);
  return steady;
}

std::string steady_state_text(const SteadyState& steady, bool all) {
  std::string text = warm_up_text(steady, all);
  if (all) {
    text += steady_line("interval", batches_text("throughput", steady.throughput) + ", " +
                                        batches_text("mean latency", steady.latency) + ", 95 % by batch means");
  }
  return text;
}

JsonValue steady_state_json(const SteadyState& steady) {
  auto json = JsonValue::object({{"window_ns", steady.window.ns()}});
  json.set("throughput_mops", series_json(steady.throughput, steady.measured_from, 1e6));  // a picosecond has 1e-12 s
  json.set("latency_ns", series_json(steady.latency, steady.measured_from, 1e-3));
  return json;
}

}  // namespace racksim::tools

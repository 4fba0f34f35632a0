// Figures as text and JSON. See figure_report.hpp.
#include "tools/figure/figure_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/experiment/provenance.hpp"
#include "tools/figure/figure_comparisons.hpp"
#include "tools/figure/figure_spread.hpp"
#include "tools/statistics/mean_interval.hpp"
#include "tools/text/characters.hpp"

namespace racksim::tools {
namespace {

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell but the last, and below a row what belongs to it, line by line.
std::string table(const std::vector<Row>& rows, const std::vector<std::vector<std::string>>& notes = {}) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters_in(row[i]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = "  ";
    for (std::size_t i = 0; i < rows[r].size(); ++i) line += fmt::format("{:<{}}  ", rows[r][i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    for (std::size_t n = 0; r < notes.size() && n < notes[r].size(); ++n) {
      text += fmt::format("  {:<{}}  {}\n", "", widths[0], notes[r][n]);
    }
  }
  return text;
}

/// A value, its interval, and between which it lies over the seeds or placements.
std::string cell_text(const Figure& figure, const Spread& spread) {
  std::string mean = short_number(spread.mean);
  if (figure.repeats.count() == 1) return mean;
  const std::string half_width = std::isnan(spread.half_width) ? "" : " ± " + short_number(spread.half_width);
  return fmt::format("{}{} ({} .. {})", mean, half_width, short_number(spread.least), short_number(spread.most));
}

/// What several seeds or placements come to, point by point.
JsonValue means_json(const Figure& figure, const std::vector<PointResult>& results) {
  JsonValue means = JsonValue::array();
  for (std::size_t c = 0; c < figure.criteria(); ++c) {
    const Spreads spreads(figure, results, c);
    for (std::size_t s = 0; s < figure.axes.series.size(); ++s) {
      for (std::size_t x = 0; x < figure.axes.sweep.size(); ++x) {
        auto mean = JsonValue::object({{"x", figure.axes.sweep[x].label}, {"series", figure.axes.series[s]}});
        if (figure.knee) mean.set("criterion", figure.knee->criteria[c].name);
        auto values = JsonValue::object();
        for (std::size_t m = 0; m < figure.axes.metrics.size(); ++m) {
          const Spread spread = spreads.of(s, x, m);
          values.set(figure.axes.metrics[m], JsonValue::object({{"mean", spread.mean},
                                                                {"half_width", spread.half_width},
                                                                {"least", spread.least},
                                                                {"most", spread.most}}));
        }
        mean.set("values", std::move(values));
        means.push(std::move(mean));
      }
    }
  }
  return means;
}

/// What a claim was read off, operand by operand; empty if that is numbers alone.
std::string read_off(const Claim& claim, const FigureAxes& axes) {
  std::string text;
  for (const auto* readings : {&claim.readings, &claim.paper.operands}) {
    for (const Reading& reading : *readings) {
      const std::string place = reading.place(axes);
      if (!place.empty()) text += (text.empty() ? "" : "; ") + place;
    }
  }
  return text;
}

std::string points_text(const Figure& figure, const std::vector<PointResult>& results) {
  std::string text;
  for (std::size_t m = 0; m < figure.axes.metrics.size(); ++m) {
    for (std::size_t c = 0; c < figure.criteria(); ++c) {
      const std::string in_report = fmt::format(" ({})", figure.metric_names[m]);
      text += "\n" + with_unit(figure, m);
      if (!text.ends_with(in_report)) text += in_report;  // a metric may be called as its unit
      if (figure.knee) {
        const KneeCriterion& criterion = figure.knee->criteria[c];
        text += fmt::format(" at the knee, {}: at most {:.3g} % lost", criterion.name, criterion.loss * 100);
      }
      text += '\n';
      std::vector<Row> rows(1);
      rows[0].push_back(figure.sweep_label);
      for (const std::string& name : figure.axes.series) rows[0].push_back(name);
      const bool whole = is_of_whole_runs(figure, results, m);
      const Spreads spreads(figure, results, c);
      for (std::size_t x = 0; x < (whole ? 1 : figure.axes.sweep.size()); ++x) {
        rows.push_back({whole ? "whole run" : x_text(figure, x)});
        for (std::size_t s = 0; s < figure.axes.series.size(); ++s) {
          rows.back().push_back(cell_text(figure, spreads.of(s, x, m)));
        }
      }
      text += table(rows);
    }
  }
  return text;
}

}  // namespace

std::string x_text(const Figure& figure, std::size_t x) {
  if (!figure.timeline) return figure.axes.sweep[x].label;
  const TimeWindow& window = figure.timeline->windows[x];
  return fmt::format("{:.10g} .. {:.10g}{}", window.from, window.to, window.drawn ? " (drawn)" : "");
}

std::string with_unit(const Figure& figure, std::size_t metric) {
  const std::string& name = figure.axes.metrics[metric];
  const std::string unit = metric < figure.metric_units.size() ? figure.metric_units[metric] : "";
  const std::string in_brackets = "(" + unit + ")";
  return unit.empty() || name.find(in_brackets) != std::string::npos ? name : name + " " + in_brackets;
}

bool is_of_whole_runs(const Figure& figure, const std::vector<PointResult>& results, std::size_t metric) {
  if (!figure.timeline) return false;
  const std::size_t metrics = figure.axes.metrics.size();
  return std::all_of(results.begin(), results.end(), [&](const PointResult& result) {
    for (std::size_t at = metric; at < result.values.size(); at += metrics) {
      const double value = result.values[at], first = result.values[metric];
      if (value != first && !(std::isnan(value) && std::isnan(first))) return false;
    }
    return true;
  });
}

std::string figure_text(const Figure& figure, const std::vector<PointResult>& results) {
  std::string text = fmt::format("{}: {}\n", figure.name, figure.title);
  if (!figure.paper.empty()) text += figure.paper + '\n';
  if (!figure.doc.empty()) text += figure.doc + '\n';
  if (figure.repeats.count() > 1) {
    text +=
        fmt::format("each point with {}: the mean, its 95 % interval, the least and the most\n", figure.repeats.text());
  }
  text += points_text(figure, results);

  std::vector<Row> rows{{"verdict", "claim", "paper", "simulated"}};
  std::vector<std::vector<std::string>> sayings(1);
  std::size_t met = 0, unclear = 0;
  for (const auto& [claim, verdict, in_words] : judge_claims(figure, results)) {
    met += verdict.met ? 1 : 0;
    unclear += verdict.unclear.empty() ? 0 : 1;
    rows.push_back({in_words, claim->id, claim->paper.text, verdict.simulated});
    sayings.push_back({claim->text});
    const std::string off = read_off(*claim, figure.axes);
    if (!off.empty()) sayings.back().push_back("(" + off + ")");
  }
  if (!figure.claims.empty()) text += "\nclaims\n" + table(rows, sayings);

  text += "\ncalibrated constants (all else is a prediction)\n";
  if (figure.calibrated.empty()) text += "  none\n";
  for (const Calibration& c : figure.calibrated) {
    text += fmt::format("  {} = {}, fitted to {}{}\n", c.constant, c.value, c.on, c.doc.empty() ? "" : ": " + c.doc);
  }
  if (!figure.not_modelled.empty()) {
    rows = {{"why", "claim", "paper"}};
    sayings.resize(1);
    for (const NotModelled& claim : figure.not_modelled) {
      rows.push_back({claim.why, claim.id, claim.paper});
      sayings.push_back({claim.text});
    }
    text += "\nnot modelled\n" + table(rows, sayings);
  }
  text += fmt::format("\n{} of {} claims met", met, figure.claims.size());
  const std::size_t off = figure.claims.size() - met - unclear;
  if (off > 0) text += fmt::format(", {} off", off);
  if (unclear > 0) text += fmt::format(", {} unclear", unclear);
  return text + '\n';
}

JsonValue figure_json(const Figure& figure, const std::vector<PointResult>& results) {
  auto report =
      JsonValue::object({{"figure", figure.name}, {"title", figure.title}, {"provenance", provenance_json()}});
  if (figure.repeats.count() > 1) report.set("repeats", figure.repeats.text());
  JsonValue points = JsonValue::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const FigurePoint& point = figure.points[i / figure.criteria()];
    const std::size_t metrics = figure.axes.metrics.size();
    for (std::size_t window = 0; window < figure.windows(); ++window) {
      JsonValue entry = JsonValue::object();
      entry.set("x", figure.axes.sweep[point.sweep + window].label);
      if (figure.timeline) {
        entry.set("until", figure.timeline->windows[window].to);
        entry.set("drawn", figure.timeline->windows[window].drawn);
      }
      entry.set("series", figure.axes.series[point.series]);
      if (figure.knee) entry.set("criterion", figure.knee->criteria[i % figure.criteria()].name);
      for (const Repeats::Setting& setting : figure.repeats.of_run(point.repeat))
        entry.set(setting.word, setting.value);
      JsonValue numbers = JsonValue::object();
      for (std::size_t m = 0; m < metrics; ++m) {
        numbers.set(figure.axes.metrics[m], results[i].values[window * metrics + m]);
      }
      entry.set("values", std::move(numbers));
      entry.set("verdict", results[i].verdict());
      entry.set("problem", results[i].problem);
      entry.set("run_hash", results[i].hash);
      entry.set("command", figure.command_of(point, results[i].load));
      points.push(std::move(entry));
    }
  }
  auto units = JsonValue::object();
  for (std::size_t m = 0; m < figure.metric_units.size(); ++m)
    units.set(figure.axes.metrics[m], figure.metric_units[m]);
  report.set("units", std::move(units));
  report.set("points", std::move(points));
  if (figure.repeats.count() > 1) report.set("means", means_json(figure, results));
  const auto comparisons = compare_series(figure, results);
  if (!comparisons.empty()) report.set("comparisons", comparisons_json(figure, comparisons));
  JsonValue claims = JsonValue::array();
  for (const auto& [claim, verdict, in_words] : judge_claims(figure, results)) {
    claims.push(JsonValue::object({{"id", claim->id},
                                   {"text", claim->text},
                                   {"paper", claim->paper.text},
                                   {"simulated", verdict.simulated},
                                   {"read_off", read_off(*claim, figure.axes)},
                                   {"directional", claim->directional()},
                                   {"met", verdict.met},
                                   {"unclear", verdict.unclear},
                                   {"off", verdict.off ? JsonValue(*verdict.off) : JsonValue()}}));
  }
  report.set("claims", std::move(claims));
  report.set("calibrated", array_of(figure.calibrated, [&](const Calibration& c) {
               return JsonValue::object({{"constant", c.constant}, {"value", c.value}, {"on", c.on}});
             }));
  report.set("not_modelled", array_of(figure.not_modelled, [&](const NotModelled& n) {
               return JsonValue::object({{"id", n.id}, {"text", n.text}, {"paper", n.paper}, {"why", n.why}});
             }));
  return report;
}

}  // namespace racksim::tools

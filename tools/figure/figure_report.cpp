// Figures as CSV, text and JSON. See figure_report.hpp.
#include "tools/figure/figure_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tools/experiment/provenance.hpp"

namespace racksim::tools {
namespace {

FigureValues values_by_series(const Figure& figure, const std::vector<PointResult>& results) {
  FigureValues values;
  values.of.resize(figure.axes.series.size());
  for (auto& series : values.of) series.resize(figure.axes.sweep.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    values.of[figure.points[i].series][figure.points[i].sweep] = results[i].values;
  }
  return values;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string verdict_of(const PointResult& result) {
  return !result.ended() ? "crash" : result.pass ? "pass" : "fail";
}

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell but the last, and below a row what belongs to it.
std::string table(const std::vector<Row>& rows, const std::vector<std::string>& notes = {}) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = "  ";
    for (std::size_t i = 0; i < rows[r].size(); ++i) line += fmt::format("{:<{}}  ", rows[r][i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    if (r < notes.size() && !notes[r].empty()) text += fmt::format("  {:<{}}  {}\n", "", widths[0], notes[r]);
  }
  return text;
}

std::string points_text(const Figure& figure, const FigureValues& values) {
  std::string text;
  for (std::size_t m = 0; m < figure.axes.metrics.size(); ++m) {
    text += fmt::format("\n{} ({})\n", figure.axes.metrics[m], figure.metric_names[m]);
    std::vector<Row> rows(1);
    rows[0].push_back(figure.sweep_label);
    for (const std::string& name : figure.axes.series) rows[0].push_back(name);
    for (std::size_t x = 0; x < figure.axes.sweep.size(); ++x) {
      rows.push_back({figure.axes.sweep[x].label});
      for (std::size_t s = 0; s < figure.axes.series.size(); ++s) {
        rows.back().push_back(short_number(values.of[s][x][m]));
      }
    }
    text += table(rows);
  }
  return text;
}

}  // namespace

std::vector<JudgedClaim> judge_claims(const Figure& figure, const std::vector<PointResult>& results) {
  const FigureValues values = values_by_series(figure, results);
  std::vector<JudgedClaim> judged;
  for (const Claim& claim : figure.claims) {
    Verdict verdict = judge(claim, figure.axes, values);
    const bool fitted = std::any_of(figure.calibrated.begin(), figure.calibrated.end(),
                                    [&](const Calibration& constant) { return constant.on == claim.id; });
    std::string text = verdict.text(claim) + (fitted ? " (fitted)" : "");
    judged.push_back({&claim, std::move(verdict), std::move(text)});
  }
  return judged;
}

std::string figure_csv(const Figure& figure, const std::vector<PointResult>& results) {
  std::string text = csv_field(figure.sweep_label.empty() ? "x" : figure.sweep_label) + ",series";
  for (const std::string& name : figure.axes.metrics) text += "," + csv_field(name);
  text += ",verdict,run_hash\n";
  for (std::size_t i = 0; i < results.size(); ++i) {
    const FigurePoint& point = figure.points[i];
    text += csv_field(figure.axes.sweep[point.sweep].label) + "," + csv_field(figure.axes.series[point.series]);
    for (const double value : results[i].values) text += std::isnan(value) ? "," : fmt::format(",{}", value);
    text += "," + verdict_of(results[i]) + "," + results[i].hash + "\n";
  }
  return text;
}

std::string figure_text(const Figure& figure, const std::vector<PointResult>& results) {
  const FigureValues values = values_by_series(figure, results);
  std::string text = fmt::format("{}: {}\n", figure.name, figure.title);
  if (!figure.paper.empty()) text += figure.paper + '\n';
  if (!figure.doc.empty()) text += figure.doc + '\n';
  text += points_text(figure, values);

  std::vector<Row> rows{{"verdict", "claim", "paper", "simulated"}};
  std::vector<std::string> sayings{""};
  std::size_t met = 0;
  for (const auto& [claim, verdict, in_words] : judge_claims(figure, results)) {
    met += verdict.met ? 1 : 0;
    rows.push_back({in_words, claim->id, claim->paper.text, verdict.simulated});
    sayings.push_back(claim->text);
  }
  if (!figure.claims.empty()) text += "\nclaims\n" + table(rows, sayings);

  text += "\ncalibrated constants (all else is a prediction)\n";
  if (figure.calibrated.empty()) text += "  none\n";
  for (const Calibration& c : figure.calibrated) {
    text += fmt::format("  {} = {}, fitted to {}{}\n", c.constant, c.value, c.on, c.doc.empty() ? "" : ": " + c.doc);
  }
  if (!figure.not_modelled.empty()) {
    rows = {{"why", "claim", "paper"}};
    sayings = {""};
    for (const NotModelled& claim : figure.not_modelled) {
      rows.push_back({claim.why, claim.id, claim.paper});
      sayings.push_back(claim.text);
    }
    text += "\nnot modelled\n" + table(rows, sayings);
  }
  text += fmt::format("\n{} of {} claims met", met, figure.claims.size());
  if (met < figure.claims.size()) text += fmt::format(", {} off", figure.claims.size() - met);
  return text + '\n';
}

JsonValue figure_json(const Figure& figure, const std::vector<PointResult>& results) {
  JsonValue report = JsonValue::object();
  report.set("figure", figure.name);
  report.set("title", figure.title);
  report.set("provenance", provenance_json());
  JsonValue points = JsonValue::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const FigurePoint& point = figure.points[i];
    JsonValue entry = JsonValue::object();
    entry.set("x", figure.axes.sweep[point.sweep].label);
    entry.set("series", figure.axes.series[point.series]);
    JsonValue numbers = JsonValue::object();
    for (std::size_t m = 0; m < figure.axes.metrics.size(); ++m) {
      numbers.set(figure.axes.metrics[m], results[i].values[m]);
    }
    entry.set("values", std::move(numbers));
    entry.set("verdict", verdict_of(results[i]));
    entry.set("problem", results[i].problem);
    entry.set("run_hash", results[i].hash);
    entry.set("command", figure.command_of(point));
    points.push(std::move(entry));
  }
  report.set("points", std::move(points));
  JsonValue claims = JsonValue::array();
  for (const auto& [claim, verdict, in_words] : judge_claims(figure, results)) {
    JsonValue entry = JsonValue::object();
    entry.set("id", claim->id);
    entry.set("text", claim->text);
    entry.set("paper", claim->paper.text);
    entry.set("simulated", verdict.simulated);
    entry.set("directional", claim->directional());
    entry.set("met", verdict.met);
    entry.set("off", verdict.off ? JsonValue(*verdict.off) : JsonValue());
    claims.push(std::move(entry));
  }
  report.set("claims", std::move(claims));
  JsonValue calibrated = JsonValue::array();
  for (const Calibration& c : figure.calibrated) {
    JsonValue entry = JsonValue::object();
    entry.set("constant", c.constant);
    entry.set("value", c.value);
    entry.set("on", c.on);
    calibrated.push(std::move(entry));
  }
  report.set("calibrated", std::move(calibrated));
  JsonValue left_out = JsonValue::array();
  for (const NotModelled& n : figure.not_modelled) {
    JsonValue entry = JsonValue::object();
    entry.set("id", n.id);
    entry.set("text", n.text);
    entry.set("paper", n.paper);
    entry.set("why", n.why);
    left_out.push(std::move(entry));
  }
  report.set("not_modelled", std::move(left_out));
  return report;
}

}  // namespace racksim::tools

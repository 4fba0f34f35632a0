// Reports of runs as a table. See result_table.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/plot/result_plot.hpp"
#include "tools/plot/result_table.hpp"
#include "tools/plot/run_reports.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPointsFile = "points.csv";
constexpr std::size_t kMostBytes = std::size_t{256} << 20U;

/// The units of metrics, as runs of this configuration tell them; none if this program no longer reads it.
void learn_units(const JsonValue& configuration, const std::string& file, const Catalogue& catalogue,
                 ResultTable& table) {
  sim::Metrics metrics;
  try {
    register_metrics(read_scenario(configuration, file, catalogue), metrics);
  } catch (const std::exception&) {
    return;  // a report is read, whatever wrote it
  }
  for (const std::string& column : table.columns) {
    const std::string unit = metric_unit(metrics, column);
    if (!unit.empty()) table.units[column] = unit;
  }
}

ResultTable table_of(const std::vector<fs::path>& reports, const Catalogue& catalogue) {
  std::vector<std::map<std::string, std::string>> runs;
  std::set<std::string> settings, metrics;
  JsonValue first_configuration;
  for (const fs::path& file : reports) {
    const RunReport report = read_run_report(file);
    const auto& options = report.options;
    std::map<std::string, std::string> results;
    for (const auto& [name, value] : *report.document.find("metrics")->members()) {
      if (!value.find("values")) flatten(value, name, results);  // a time series is no number
    }
    for (const auto& [path, value] : options) settings.insert(path);
    for (const auto& [name, value] : results) metrics.insert(name);
    results.insert(options.begin(), options.end());
    runs.push_back(std::move(results));
    if (first_configuration.is_null()) first_configuration = *report.document.find("config");
  }
  ResultTable table;
  for (const auto* names : {&settings, &metrics}) {
    for (const std::string& name : *names) {
      if (names == &settings && !is_of_repeats(name)) table.settings.push_back(name);
      if (names == &settings || !settings.contains(name)) table.columns.push_back(name);
    }
  }
  for (const auto& run : runs) {
    auto& row = table.rows.emplace_back();
    for (const std::string& column : table.columns) {
      const auto cell = run.find(column);
      row.push_back(cell == run.end() ? "" : cell->second);
    }
  }
  learn_units(first_configuration, reports.front().string(), catalogue, table);
  return table;
}

}  // namespace

ResultTable read_results(const std::vector<std::string>& paths, const Catalogue& catalogue) {
  constexpr const char* kExpected = "a file of points, such as points.csv, or reports of runs or a folder with such";
  std::vector<fs::path> reports, points;
  std::error_code error;
  for (const std::string& path : paths) {
    if (fs::is_directory(path, error)) {
      const fs::path table = fs::path(path) / kPointsFile;
      if (fs::is_regular_file(table, error)) {
        points.push_back(table);
        continue;
      }
      const auto below = reports_below(path);
      if (below.empty()) throw InputError(kPlotCommand, "RESULTS", quote(path) + ", without any", kExpected);
      reports.insert(reports.end(), below.begin(), below.end());
    } else if (fs::exists(path, error)) {
      (holds_report(path) ? reports : points).emplace_back(path);
    } else {
      throw InputError(kPlotCommand, "RESULTS", quote(path), kExpected);
    }
  }
  if (points.size() + (reports.empty() ? 0 : 1) > 1) {
    throw InputError(kPlotCommand, "RESULTS", quote(points.back().string()) + " besides others",
                     "one file of points, or reports of runs");
  }
  ResultTable table;
  if (points.empty()) {
    table = table_of(reports, catalogue);
  } else {
    const std::string file = points.front().string();
    table = read_csv_table(read_whole(file, kMostBytes, kExpected), file);
  }
  const fs::path first = paths.front();
  table.name = word_of_results(first.filename() == kPointsFile ? fs::absolute(first).parent_path() : first);
  return table;
}

}  // namespace racksim::tools

// Reports of runs as a table. See result_table.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/plot/result_table.hpp"
#include "tools/scenario/overrides.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/text/printable.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

constexpr const char* kReportFile = "report.json";
constexpr const char* kPointsFile = "points.csv";
constexpr std::size_t kMostBytes = std::size_t{256} << 20U;

/// Every value below an object by its dotted path.
void flatten(const JsonValue& value, const std::string& path, std::map<std::string, std::string>& cells) {
  if (const auto* members = value.members()) {
    const std::string before = path.empty() ? "" : path + ".";
    for (const auto& [key, member] : *members) flatten(member, before + key, cells);
  } else if (const auto* elements = value.elements()) {
    for (std::size_t i = 0; i < elements->size(); ++i) flatten((*elements)[i], fmt::format("{}.{}", path, i), cells);
  } else if (!value.is_null()) {
    cells[path] = override_text(value);
  }
}

/// Whether the path is one of those that make another run of the same: its seeds and its name.
bool is_of_repeats(const std::string& path) {
  return path == "seed" || path == "workload.placement_seed" || path == "name" || path == "doc";
}

/// The reports below a folder, by their paths in alphabetical order; its own first of all.
std::vector<fs::path> reports_below(const fs::path& folder) {
  std::vector<fs::path> reports;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    if (at->path().filename() == kReportFile && at->is_regular_file(error)) reports.push_back(at->path());
  }
  std::sort(reports.begin(), reports.end());
  return reports;
}

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
    const JsonValue report = read_json_file(file.string());
    const JsonValue* configuration = report.find("config");
    const JsonValue* values = report.find("metrics");
    if (!configuration || !values || !values->is_object()) {
      throw InputError(file.string(), "", "no \"config\" and \"metrics\"",
                       "the report of a run, as `racksim run --out` writes it");
    }
    std::map<std::string, std::string> options, results;
    flatten(*configuration, "", options);
    for (const auto& [name, value] : *values->members()) {
      if (!value.find("values")) flatten(value, name, results);  // a time series is no number
    }
    for (const auto& [path, value] : options) settings.insert(path);
    for (const auto& [name, value] : results) metrics.insert(name);
    results.merge(options);
    runs.push_back(std::move(results));
    if (first_configuration.is_null()) first_configuration = *configuration;
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

/// What a path is called: a figure by its folder.
std::string name_of(const fs::path& path) {
  fs::path whole = fs::absolute(path).lexically_normal();
  if (!whole.has_filename() || whole.filename() == kPointsFile) whole = whole.parent_path();
  const std::string name = word_of(whole.stem().string());
  return name.empty() ? "results" : name;
}

}  // namespace

ResultTable read_results(const std::vector<std::string>& paths, const Catalogue& catalogue) {
  constexpr const char* kExpected = "a file of points, such as points.csv, or a folder with reports of runs";
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
      if (below.empty()) throw InputError("racksim plot", "RESULTS", quote(path) + ", without any", kExpected);
      reports.insert(reports.end(), below.begin(), below.end());
    } else if (fs::exists(path, error)) {
      points.emplace_back(path);
    } else {
      throw InputError("racksim plot", "RESULTS", quote(path), kExpected);
    }
  }
  if (points.size() + (reports.empty() ? 0 : 1) > 1) {
    throw InputError("racksim plot", "RESULTS", quote(points.back().string()) + " besides others",
                     "one file of points, or folders with reports of runs");
  }
  ResultTable table;
  if (points.empty()) {
    table = table_of(reports, catalogue);
  } else {
    const std::string file = points.front().string();
    table = read_csv_table(read_whole(file, kMostBytes, kExpected), file);
  }
  table.name = name_of(paths.front());
  return table;
}

}  // namespace racksim::tools

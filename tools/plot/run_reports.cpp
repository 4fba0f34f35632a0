// See run_reports.hpp.
#include "tools/plot/run_reports.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "tools/json/input_error.hpp"
#include "tools/plot/result_plot.hpp"
#include "tools/plot/text_order.hpp"
#include "tools/scenario/overrides.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/printable.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

constexpr const char* kReportFile = "report.json";

}  // namespace

bool holds_report(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;  // a pipe is read once, by whoever takes it
  std::ifstream in(file, std::ios::binary);
  char first = 0;
  return static_cast<bool>(in >> first) && first == '{';
}

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

std::vector<fs::path> report_files(const std::vector<std::string>& paths, const std::string& expected) {
  std::vector<fs::path> reports;
  std::error_code error;
  for (const std::string& path : paths) {
    std::vector<fs::path> here;
    if (fs::is_directory(path, error)) {
      here = reports_below(path);
    } else if (holds_report(path)) {
      here = {path};
    }
    if (here.empty()) throw InputError(kPlotCommand, "RESULTS", quote(path), expected);
    reports.insert(reports.end(), here.begin(), here.end());
  }
  return reports;
}

RunReport read_run_report(const fs::path& file) {
  RunReport report{file, read_json_file(file.string()), {}};
  const JsonValue* configuration = report.document.find("config");
  const JsonValue* metrics = report.document.find("metrics");
  if (!configuration || !configuration->is_object() || !metrics || !metrics->is_object()) {
    throw InputError(file.string(), "", "no \"config\" and \"metrics\"",
                     "the report of a run, as `racksim run --out` writes it");
  }
  flatten(*configuration, "", report.options);
  return report;
}

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

bool is_of_repeats(const std::string& path) {
  return path == "seed" || path == "workload.placement_seed" || path == "name" || path == "doc";
}

std::string word_of_results(const fs::path& path) {
  fs::path whole = fs::absolute(path).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  const std::string name = word_of(whole.stem().string());
  return name.empty() ? "results" : name;
}

std::string ReportSeries::add(const RunReport& report) {
  std::string name;
  for (const std::string& path : by_) {
    const auto option = report.options.find(path);
    name += (name.empty() ? "" : ", ") + (option == report.options.end() ? "none" : option->second);
  }
  if (by_.empty()) name = name_;
  names_.push_back(name);
  const auto& first = firsts_.emplace(name, report.options).first->second;
  for (const auto* options : {&first, &report.options}) {
    for (const auto& [path, value] : *options) {
      const auto a = first.find(path), b = report.options.find(path);
      bool& differs = differs_[path];
      differs = differs || a == first.end() || b == report.options.end() || a->second != b->second;
    }
  }
  return name;
}

std::vector<std::string> ReportSeries::names() const {
  std::vector<std::string> known;
  for (const auto& [path, differs] : differs_) known.push_back(path);
  for (const std::string& path : by_) {
    if (differs_.contains(path)) continue;
    throw InputError(kPlotCommand, "--by", quote(path),
                     fmt::format("one of the {} options of the reports", known.size()), nearest_name(path, known));
  }
  return by_.size() == 1 ? in_order(names_) : distinct(names_);
}

std::vector<std::string> ReportSeries::notes() const {
  std::vector<std::string> mixed;
  for (const auto& [path, differs] : differs_) {
    if (differs && !is_of_repeats(path)) mixed.push_back(path);
  }
  if (mixed.empty()) return {};
  return {told_of_mixture(mixed)};
}

}  // namespace racksim::tools

// Reports of runs that were kept: where they lie, and which of them are one series.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// A report as `racksim run --out` or `--json` writes it.
struct RunReport {
  std::filesystem::path file;
  JsonValue document;                          ///< with members "config" and "metrics", both objects
  std::map<std::string, std::string> options;  ///< of its configuration, by their paths
};

/// Whether a file holds a document of JSON, as reports are, and no table.
bool holds_report(const std::filesystem::path& file);

/// The reports below a folder, by their paths in alphabetical order.
std::vector<std::filesystem::path> reports_below(const std::filesystem::path& folder);

/// The reports at each path, a file or a folder. Throws InputError that expects `expected` where there is none.
std::vector<std::filesystem::path> report_files(const std::vector<std::string>& paths, const std::string& expected);

/// Throws InputError if it is none.
RunReport read_run_report(const std::filesystem::path& file);

/// Adds every value below an object by its dotted path. What is null has none.
void flatten(const JsonValue& value, const std::string& path, std::map<std::string, std::string>& cells);

/// Whether an option is one of those that make another run of the same: its seeds and its name.
bool is_of_repeats(const std::string& path);

/// What a file or folder of results is called: a word.
std::string word_of_results(const std::filesystem::path& path);

/// Reports in series: those that agree in some options, by their paths, are one.
class ReportSeries {
 public:
  /// Without a path all are one, of the name that is given.
  ReportSeries(std::vector<std::string> by, std::string name) : by_(std::move(by)), name_(std::move(name)) {}

  /// Takes a report; gives the name of its series.
  std::string add(const RunReport& report);

  /// The names in the order of numbers, if one path makes them and has such, else as they came. Throws InputError for a
  /// path that no report has.
  std::vector<std::string> names() const;

  /// What a person is told of reports that are in one series although they differ in more than their seeds.
  std::vector<std::string> notes() const;

 private:
  std::vector<std::string> by_;
  std::string name_;
  std::vector<std::string> names_;                                    ///< in which each came
  std::map<std::string, std::map<std::string, std::string>> firsts_;  ///< options of each series' first
  std::map<std::string, bool> differs_;                               ///< every option that is known
};

}  // namespace racksim::tools

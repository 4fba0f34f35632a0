// Reading files of `observe.series`. See series_plot.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/plot/result_table.hpp"
#include "tools/plot/series_plot.hpp"
#include "tools/plot/text_order.hpp"

namespace racksim::tools {
namespace {

constexpr const char* kTime = "time_us";

/// The begins of the intervals, which all are equally long; a single one counts as a microsecond.
std::pair<double, double> begin_and_interval(const ResultTable& table, const std::string& file) {
  std::vector<double> begins;
  for (const auto& row : table.rows) {
    const auto begin = number_in(row[0]);
    if (!begin) throw InputError(file, kTime, quote(row[0]), "the begin of an interval in microseconds");
    begins.push_back(*begin);
  }
  if (begins.empty()) throw InputError(file, "", "no line below the names", "at least one interval");
  const double interval = begins.size() > 1 ? begins[1] - begins[0] : 1;
  for (std::size_t i = 1; i < begins.size(); ++i) {
    if (interval > 0 && std::abs(begins[i] - begins[i - 1] - interval) <= 1e-6 * interval) continue;
    throw InputError(file, kTime, fmt::format("{} after {}", begins[i], begins[i - 1]), "intervals of equal length");
  }
  return {begins[0], interval};
}

}  // namespace

std::vector<MetricOverTime> read_series_file(const std::filesystem::path& file) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20U;
  const std::string name = file.string();
  const ResultTable table = read_csv_table(read_whole(name, kMostBytes, "a file of observe.series"), name);
  if (table.columns.front() != kTime) {
    throw InputError(name, "line 1", quote(table.columns.front()),
                     "a file of observe.series, which begins with time_us");
  }
  const auto [begin, interval] = begin_and_interval(table, name);
  std::vector<MetricOverTime> metrics;
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    const auto unit = table.units.find(table.columns[column]);
    auto& metric = metrics.emplace_back();
    metric = {table.columns[column], unit == table.units.end() ? "" : unit->second, begin, interval, {}};
    for (const auto& row : table.rows) metric.values.push_back(number_in(row[column]).value_or(std::nan("")));
  }
  return metrics;
}

}  // namespace racksim::tools

// See series_plot.hpp.
#include "tools/plot/series_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "tools/json/input_error.hpp"
#include "tools/plot/run_reports.hpp"
#include "tools/plot/text_order.hpp"
#include "tools/plot/time_unit.hpp"
#include "tools/text/csv_field.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/numbers.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

constexpr const char* kOption = "--series";

/// The sum of results in an interval.
struct Sum {
  double of = 0;
  std::size_t results = 0;
  double mean() const { return results == 0 ? std::nan("") : of / static_cast<double>(results); }
};

class SeriesDrawing {
 public:
  SeriesDrawing(const std::vector<std::string>& names, const std::vector<ResultOverTime>& results,
                const std::vector<std::string>& series)
      : names_(names), results_(results), series_(series), units_(names.size()), lacking_(names.size()) {
    for (std::size_t m = 0; m < names_.size(); ++m) gather(m);
  }

  ResultPlot draw(const std::string& name, bool log_y) {
    ResultPlot result;
    result.results = results_.size();
    Plot& plot = result.plot;
    for (const std::string& metric : names_) {
      plot.title += plot.title.empty() ? name + ": " : std::string(", ");
      plot.title += metric;
    }
    plot.title += " over time";
    const TimeUnit unit = time_unit_for(end_ * 1e3);
    plot.x_label = fmt::format("time ({})", unit.name);
    plot.x_per_unit = unit.ns / 1e3;
    add_panels(plot, log_y);
    result.csv = csv();
    result.points = points_;
    for (std::size_t m = 0; m < names_.size(); ++m) {
      if (lacking_[m] > 0) {
        result.notes.push_back(
            fmt::format("{} of {} left out: no series {}", lacking_[m], counted(results_.size(), "result"), names_[m]));
      }
    }
    if (single_) result.notes.emplace_back("one interval alone: its length is not known, and drawn as 1 us");
    if (log_y && below_ > 0)
      result.notes.push_back(counted(below_, "value") + " of 0 or less has no place on a logarithmic axis");
    return result;
  }

 private:
  /// Of one metric in one series: the sums interval by interval.
  struct Line {
    double begin = 0, interval = 0;
    std::vector<Sum> sums;
    double at(std::size_t i) const { return begin + interval * static_cast<double>(i); }
  };

  /// Puts the results of a metric together, series by series.
  void gather(std::size_t m) {
    bool has_value = false;
    std::set<std::string> known;
    for (const ResultOverTime& result : results_) {
      const auto found = std::find_if(result.metrics.begin(), result.metrics.end(),
                                      [&](const MetricOverTime& one) { return one.name == names_[m]; });
      for (const MetricOverTime& one : result.metrics) known.insert(one.name);
      if (found == result.metrics.end()) {
        ++lacking_[m];
        continue;
      }
      units_[m] = found->unit;
      Line& line = lines_[{result.series, m}];
      if (line.sums.empty()) line = {found->begin, found->interval, {}};
      if (line.begin != found->begin || std::abs(line.interval - found->interval) > 1e-6 * line.interval) {
        throw InputError(kPlotCommand, kOption,
                         fmt::format("intervals of {} us and of {} us in one series", line.interval, found->interval),
                         "equal intervals, or --by that keeps them apart");
      }
      line.sums.resize(std::max(line.sums.size(), found->values.size()));
      single_ = single_ || found->values.size() == 1;
      for (std::size_t i = 0; i < found->values.size(); ++i) {
        if (!std::isfinite(found->values[i])) continue;
        has_value = true;
        line.sums[i].of += found->values[i];
        ++line.sums[i].results;
      }
      end_ = std::max(end_, line.at(line.sums.size()));
      begin_ = std::min(begin_, line.begin);
    }
    if (lacking_[m] == results_.size()) {
      const std::vector<std::string> choice(known.begin(), known.end());
      throw InputError(kPlotCommand, kOption, quote(names_[m]), one_of(choice), nearest_name(names_[m], choice));
    }
    if (!has_value) {
      throw InputError(kPlotCommand, kOption, fmt::format("no number of {} in any interval", quote(names_[m])),
                       "results that have one");
    }
  }

  /// Metrics of one unit share a panel. Where each panel has one metric, a series is drawn alike in all.
  void add_panels(Plot& plot, bool log_y) {
    std::vector<std::vector<std::size_t>> panels;
    for (std::size_t m = 0; m < names_.size(); ++m) {
      const auto same = std::find_if(panels.begin(), panels.end(), [&](const auto& panel) {
        return !units_[m].empty() && units_[panel.front()] == units_[m];
      });
      if (same == panels.end()) {
        panels.push_back({m});
      } else {
        same->push_back(m);
      }
    }
    const bool together = panels.size()<names_.size(), several = series_.size()> 1;
    const std::size_t per_series = together ? names_.size() : 1;
    for (std::size_t s = 0; s < series_.size(); ++s) {
      for (std::size_t m = 0; m < per_series; ++m) {
        plot.series.push_back(!together ? series_[s] : several ? series_[s] + ", " + names_[m] : names_[m]);
        if (together && several) plot.colours.push_back(s);
      }
    }
    for (const auto& metrics : panels) {
      PlotPanel& panel = plot.panels.emplace_back();
      panel.x_range = {begin_, end_};
      if (log_y) panel.y_scale = PlotScale::log;
      panel.curves.resize(plot.series.size());
      for (std::size_t s = 0; s < series_.size(); ++s) {
        for (const std::size_t m : metrics) {
          panel.curves[s * per_series + (together ? m : 0)].levels = levels_of(s, m);
        }
      }
      name_y_axis(panel, metrics.size() > 1 ? "" : names_[metrics.front()], units_[metrics.front()]);
    }
  }

  std::vector<PlotLevel> levels_of(std::size_t series, std::size_t metric) {
    std::vector<PlotLevel> levels;
    const auto line = lines_.find({series_[series], metric});
    if (line == lines_.end()) return levels;
    for (std::size_t i = 0; i < line->second.sums.size(); ++i) {
      const Sum& sum = line->second.sums[i];
      below_ += sum.results > 0 && sum.mean() <= 0 ? 1 : 0;
      levels.push_back({line->second.at(i), line->second.at(i + 1), sum.mean(), false});
    }
    return levels;
  }

  std::string csv() {
    std::string text = "time_us,series,results";
    for (std::size_t m = 0; m < names_.size(); ++m)
      text += "," + csv_field(units_[m].empty() ? names_[m] : fmt::format("{} [{}]", names_[m], units_[m]));
    text += '\n';
    for (const std::string& series : series_) {
      std::map<double, std::vector<Sum>> rows;
      for (std::size_t m = 0; m < names_.size(); ++m) {
        const auto line = lines_.find({series, m});
        for (std::size_t i = 0; line != lines_.end() && i < line->second.sums.size(); ++i) {
          auto& row = rows[line->second.at(i)];
          row.resize(names_.size());
          row[m] = line->second.sums[i];
        }
      }
      for (const auto& [time, sums] : rows) {
        std::size_t results = 0;
        std::string cells;
        for (const Sum& sum : sums) {
          results = std::max(results, sum.results);
          cells += sum.results == 0 ? "," : fmt::format(",{:.12g}", sum.mean());
        }
        text += fmt::format("{:.12g},{},{}{}\n", time, csv_field(series), results, cells);
        points_ += results > 0 ? 1 : 0;
      }
    }
    return text;
  }

  const std::vector<std::string>& names_;
  const std::vector<ResultOverTime>& results_;
  const std::vector<std::string>& series_;
  std::vector<std::string> units_;                             // of the names
  std::vector<std::size_t> lacking_;                           // results that lack each name
  std::map<std::pair<std::string, std::size_t>, Line> lines_;  // by series and metric
  double begin_ = INFINITY, end_ = 0;
  bool single_ = false;
  std::size_t below_ = 0, points_ = 0;
};

/// The time series in a report's metrics.
std::vector<MetricOverTime> series_in(const RunReport& report) {
  std::vector<MetricOverTime> series;
  const JsonLocation root{report.file.string(), "/metrics"};
  const JsonValue* descriptions = report.document.find("metric_descriptions");
  for (const auto& [name, metric] : *report.document.find("metrics")->members()) {
    const JsonValue* values = metric.find("values");
    const JsonValue* interval = metric.find("interval");
    if (!values || !values->elements() || !interval || !interval->string()) continue;
    auto& one = series.emplace_back();
    one.name = name;
    try {
      one.interval = parse_length(*interval->string()).seconds() * 1e6;
    } catch (const UnitError& error) {
      root.member(name).member("interval").refuse(interval->description(), error.what());
    }
    if (!(one.interval > 0)) root.member(name).member("interval").refuse(interval->description(), "a length above 0");
    const JsonValue* description = descriptions ? descriptions->find(name) : nullptr;
    const JsonValue* unit = description ? description->find("unit") : nullptr;
    if (unit && unit->string()) one.unit = *unit->string();
    for (const JsonValue& value : *values->elements()) one.values.push_back(value.number().value_or(std::nan("")));
  }
  return series;
}

/// With what the run's `observe.series` has written into the same folder.
ResultOverTime result_of(const RunReport& report, const std::string& series) {
  ResultOverTime result{series, series_in(report)};
  const auto option = report.options.find("observe.series.file");
  if (option == report.options.end() || option->second.empty()) return result;
  const auto file = report.file.parent_path() / option->second;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return result;
  for (MetricOverTime& metric : read_series_file(file)) result.metrics.push_back(std::move(metric));
  return result;
}

}  // namespace

ResultPlot series_plot(const std::string& name, const std::vector<std::string>& names,
                       const std::vector<ResultOverTime>& results, const std::vector<std::string>& series, bool log_y) {
  return SeriesDrawing(names, results, series).draw(name, log_y);
}

ResultPlot series_plot_of(const std::vector<std::string>& paths, const std::vector<std::string>& names,
                          const std::vector<std::string>& by, bool log_y) {
  std::vector<ResultOverTime> results;
  std::vector<std::string> files;  // of observe.series, which are series of their own
  ReportSeries reports(by, names.size() == 1 ? names.front() : word_of_results(paths.front()));
  std::error_code error;
  bool has_reports = false;
  for (const std::string& path : paths) {
    if (std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error) && !holds_report(path)) {
      files.push_back(paths.size() == 1 && names.size() == 1 ? names.front() : path);
      results.push_back({files.back(), read_series_file(path)});
      continue;
    }
    for (const auto& file : report_files({path}, "a file of observe.series, or reports of runs")) {
      const RunReport report = read_run_report(file);
      results.push_back(result_of(report, reports.add(report)));
      has_reports = true;
    }
  }
  std::vector<std::string> series = has_reports ? reports.names() : std::vector<std::string>{};
  if (!has_reports && !by.empty()) {
    throw InputError(kPlotCommand, "--by", "files of observe.series alone", "reports of runs, which have options");
  }
  series.insert(series.end(), files.begin(), files.end());
  ResultPlot plot = series_plot(word_of_results(paths.front()), names, results, distinct(series), log_y);
  for (std::string& note : reports.notes()) plot.notes.push_back(std::move(note));
  return plot;
}

}  // namespace racksim::tools

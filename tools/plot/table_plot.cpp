// See table_plot.hpp.
#include "tools/plot/table_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/json/input_error.hpp"
#include "tools/plot/plot_scale.hpp"
#include "tools/plot/plot_ticks.hpp"
#include "tools/plot/text_order.hpp"
#include "tools/plot/time_unit.hpp"
#include "tools/text/csv_field.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/numbers.hpp"

namespace racksim::tools {
namespace {

/// "speed" of "speed (Mops)" and of "speed [Mops]".
std::string without_unit(const std::string& name) {
  for (const auto& [begin, end] : {std::pair{" (", ')'}, std::pair{" [", ']'}}) {
    if (name.rfind(begin) != std::string::npos && name.ends_with(end)) return name.substr(0, name.rfind(begin));
  }
  return name;
}

std::size_t column_of(const ResultTable& table, const std::string& name, const char* option) {
  const auto& columns = table.columns;
  auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) {
    found = std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return without_unit(one) == name; });
  }
  if (found == columns.end()) found = std::find(columns.begin(), columns.end(), without_unit(name));
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  // A report has hundreds: then the nearest alone is of use.
  constexpr std::size_t kFew = 20;
  const std::string expected = columns.size() <= kFew
                                   ? one_of(columns)
                                   : fmt::format("one of the {} options and metrics of the reports", columns.size());
  throw InputError(kPlotCommand, option, quote(name), expected, nearest_name(name, columns));
}

class TableDrawing {
 public:
  TableDrawing(const ResultTable& table, const TableRequest& request)
      : table_(table),
        request_(request),
        x_(column_of(table, request.x, "--x")),
        y_(column_of(table, request.y, "--y")) {
    for (const std::string& name : request.by) by_.push_back(column_of(table, name, "--by"));
  }

  ResultPlot draw() {
    gather();
    axes();
    ResultPlot result;
    Plot& plot = result.plot;
    plot.title = table_.name + ": " + without_unit(table_.columns[y_]) + " against " + without_unit(table_.columns[x_]);
    plot.x_label = with_unit(x_);
    plot.x_scale = scale_;
    plot.places = places_;
    plot.series = series_;
    plot.joined = !where_.names && places_.size() > 1;
    if (places_.size() == 1) plot.x_scale = PlotScale::categories;
    PlotPanel& panel = plot.panels.emplace_back();
    if (request_.log_y) panel.y_scale = PlotScale::log;
    result.csv = csv_field(csv_name(x_, "")) + ",series,results";
    for (const char* of : {" mean", " least", " most"}) result.csv += "," + csv_field(csv_name(y_, of));
    result.csv += '\n';
    for (const std::string& series : series_) add_curve(result, panel, series);
    const auto unit = table_.units.find(table_.columns[y_]);
    name_y_axis(panel, table_.columns[y_], unit == table_.units.end() ? "" : unit->second);
    result.results = table_.rows.size();
    result.notes = notes_;
    if (request_.log_y && below_ > 0)
      result.notes.push_back(counted(below_, "point") + " of 0 or less has no place on a logarithmic axis");
    return result;
  }

 private:
  using Key = std::pair<std::string, double>;  // a series and a place on the x axis

  std::string with_unit(std::size_t column) const {
    const std::string& name = table_.columns[column];
    const auto unit = table_.units.find(name);
    return unit == table_.units.end() ? name : name + " (" + unit->second + ")";
  }

  /// As `racksim figure` names columns: "throughput mean [Mops]".
  std::string csv_name(std::size_t column, const char* of) const {
    const std::string& name = table_.columns[column];
    const auto unit = table_.units.find(name);
    return unit == table_.units.end() ? name + of : fmt::format("{}{} [{}]", name, of, unit->second);
  }

  /// The name of the series that a row belongs to.
  std::string series_of(const std::vector<std::string>& row) const {
    std::string name;
    for (const std::size_t column : by_)
      name += (name.empty() ? "" : ", ") + (row[column].empty() ? "none" : row[column]);
    return name.empty() ? without_unit(table_.columns[y_]) : name;
  }

  void gather() {
    std::vector<std::string> xs, series;
    std::size_t without_x = 0, without_y = 0;
    for (const auto& row : table_.rows) {
      without_x += row[x_].empty() ? 1 : 0;
      without_y += !row[x_].empty() && !number_in(row[y_]) ? 1 : 0;
      if (row[x_].empty() || !number_in(row[y_])) continue;
      xs.push_back(row[x_]);
      series.push_back(series_of(row));
    }
    const std::size_t all = table_.rows.size();
    if (xs.empty()) {
      const bool no_x = all > 0 && without_x == all;
      throw InputError(
          kPlotCommand, no_x ? "--x" : "--y",
          fmt::format("no number of {} in {}", quote(no_x ? request_.x : request_.y), counted(all, "result")),
          "results that have one");
    }
    for (const auto& [number, option] : {std::pair{without_x, &request_.x}, std::pair{without_y, &request_.y}}) {
      if (number > 0)
        notes_.push_back(fmt::format("{} of {} left out: no value of {}", number, counted(all, "result"), *option));
    }
    where_ = places_of(distinct(xs));
    // Series by number come in its order; names as the table has them.
    series_ = by_.size() == 1 ? in_order(series) : distinct(series);
    for (const auto& row : table_.rows) {
      if (row[x_].empty() || !number_in(row[y_])) continue;
      groups_[{series_of(row), where_.of.at(row[x_])}].push_back(&row);
    }
    tell_of_mixtures();
  }

  /// Results of one point are to differ in their seeds alone.
  void tell_of_mixtures() {
    std::vector<std::string> mixed;
    for (const std::string& setting : table_.settings) {
      const std::size_t column = column_of(table_, setting, "--by");
      const bool differs = std::any_of(groups_.begin(), groups_.end(), [column](const auto& group) {
        return std::any_of(group.second.begin(), group.second.end(),
                           [&](const auto* row) { return (*row)[column] != (*group.second.front())[column]; });
      });
      if (differs) mixed.push_back(setting);
    }
    if (mixed.empty()) return;
    notes_.push_back(told_of_mixture(mixed));
  }

  void axes() {
    std::map<double, std::string> labels;
    for (const auto& [text, x] : where_.of) labels.emplace(x, where_.plain ? tick_label(x) : text);
    std::vector<double> values;
    for (const auto& [x, label] : labels) {
      places_.push_back({x, label});
      values.push_back(x);
    }
    scale_ = request_.scale.empty() ? usual_scale(values, where_.names)
                                    : scale_named(request_.scale, {kPlotCommand, "--scale"}, values, where_.names);
  }

  void add_curve(ResultPlot& result, PlotPanel& panel, const std::string& series) {
    PlotCurve& curve = panel.curves.emplace_back();
    for (const PlotPlace& place : places_) {
      const auto group = groups_.find({series, place.x});
      if (group == groups_.end()) continue;
      const auto& rows = group->second;
      PlotPoint point{place.x, 0, INFINITY, -INFINITY};
      for (const auto* row : rows) {
        const double y = *number_in((*row)[y_]);
        point.y += y / static_cast<double>(rows.size());
        point.low = std::min(point.low, y);
        point.high = std::max(point.high, y);
      }
      if (rows.size() == 1) point.y = point.low;
      below_ += point.y <= 0 ? 1 : 0;
      curve.points.push_back(point);
      ++result.points;
      result.csv += fmt::format("{},{},{},{:.12g},{:.12g},{:.12g}\n", csv_field((*rows.front())[x_]), csv_field(series),
                                rows.size(), point.y, point.low, point.high);
    }
  }

  const ResultTable& table_;
  const TableRequest& request_;
  std::size_t x_, y_;
  std::vector<std::size_t> by_;
  TextPlaces where_;
  PlotScale scale_ = PlotScale::linear;
  std::vector<PlotPlace> places_;
  std::vector<std::string> series_;
  std::map<Key, std::vector<const std::vector<std::string>*>> groups_;
  std::vector<std::string> notes_;
  std::size_t below_ = 0;
};

}  // namespace

ResultPlot table_plot(const ResultTable& table, const TableRequest& request) {
  return TableDrawing(table, request).draw();
}

}  // namespace racksim::tools

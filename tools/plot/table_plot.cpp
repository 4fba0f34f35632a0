// See table_plot.hpp.
#include "tools/plot/table_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "tools/json/input_error.hpp"
#include "tools/plot/plot_scale.hpp"
#include "tools/plot/plot_ticks.hpp"
#include "tools/text/csv_field.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

constexpr const char* kRefusing = "racksim plot";

std::string without_unit(const std::string& name) {
  const std::size_t unit = name.rfind(" (");
  return unit != std::string::npos && name.ends_with(')') ? name.substr(0, unit) : name;
}

std::size_t column_of(const ResultTable& table, const std::string& name, const char* option) {
  const auto& columns = table.columns;
  auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) {
    found = std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return without_unit(one) == name; });
  }
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  // A report has hundreds: then the nearest alone is of use.
  constexpr std::size_t kFew = 20;
  const std::string expected = columns.size() <= kFew
                                   ? one_of(columns)
                                   : fmt::format("one of the {} options and metrics of the reports", columns.size());
  throw InputError(kRefusing, option, quote(name), expected, nearest_name(name, columns));
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// The values of all texts, if all are quantities of one kind.
template <class Parse>
std::optional<std::map<std::string, double>> values_by(const std::vector<std::string>& texts, const Parse& parse) {
  std::map<std::string, double> values;
  for (const std::string& text : texts) {
    try {
      values[text] = parse(text);
    } catch (const UnitError&) {
      return std::nullopt;
    }
  }
  return values;
}

double plain_number(const std::string& text) {
  const auto value = number_in(text);
  if (!value) throw UnitError("a number");
  return *value;
}

/// Where each text stands on an axis, and whether texts are names.
struct Places {
  std::map<std::string, double> of;
  bool names = false, plain = false;
};

Places places_of(const std::vector<std::string>& texts) {
  if (auto numbers = values_by(texts, plain_number)) return {std::move(*numbers), false, true};
  const auto size = [](const std::string& text) { return static_cast<double>(parse_size(text)); };
  const auto length = [](const std::string& text) { return parse_length(text).seconds(); };
  const auto rate = [](const std::string& text) { return static_cast<double>(parse_rate(text)); };
  if (auto sizes = values_by(texts, size)) return {std::move(*sizes), false, false};
  if (auto lengths = values_by(texts, length)) return {std::move(*lengths), false, false};
  if (auto rates = values_by(texts, rate)) return {std::move(*rates), false, false};
  Places places{{}, true, false};
  for (const std::string& text : texts) places.of.emplace(text, static_cast<double>(places.of.size()));
  return places;
}

/// The texts without repetition, as they come.
std::vector<std::string> distinct(const std::vector<std::string>& texts) {
  std::vector<std::string> once;
  std::set<std::string> seen;
  for (const std::string& text : texts) {
    if (seen.insert(text).second) once.push_back(text);
  }
  return once;
}

/// What stands behind a number of things.
std::string counted(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
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

  TablePlot draw() {
    gather();
    axes();
    TablePlot result;
    Plot& plot = result.plot;
    plot.title = table_.name + ": " + without_unit(table_.columns[y_]) + " against " + without_unit(table_.columns[x_]);
    plot.x_label = with_unit(x_);
    plot.x_scale = scale_;
    plot.places = places_;
    plot.series = series_;
    plot.joined = !where_.names && places_.size() > 1;
    if (places_.size() == 1) plot.x_scale = PlotScale::categories;
    PlotPanel& panel = plot.panels.emplace_back();
    panel.y_label = with_unit(y_);
    if (request_.log_y) panel.y_scale = PlotScale::log;
    result.csv = csv_field(table_.columns[x_]) + ",series,results";
    for (const char* of : {" mean", " least", " most"}) result.csv += "," + csv_field(table_.columns[y_] + of);
    result.csv += '\n';
    for (const std::string& series : series_) add_curve(result, panel, series);
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
          kRefusing, no_x ? "--x" : "--y",
          fmt::format("no number of {} in {}", quote(no_x ? request_.x : request_.y), counted(all, "result")),
          "results that have one");
    }
    for (const auto& [number, option] : {std::pair{without_x, &request_.x}, std::pair{without_y, &request_.y}}) {
      if (number > 0)
        notes_.push_back(fmt::format("{} of {} left out: no value of {}", number, counted(all, "result"), *option));
    }
    where_ = places_of(distinct(xs));
    series_ = distinct(series);
    // Series by number come in its order; names as the table has them.
    if (by_.size() == 1) {
      const Places order = places_of(series_);
      std::stable_sort(series_.begin(), series_.end(),
                       [&](const auto& a, const auto& b) { return order.of.at(a) < order.of.at(b); });
    }
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
    constexpr std::size_t kFew = 5;
    std::string names;
    for (std::size_t i = 0; i < std::min(mixed.size(), kFew); ++i) names += (i == 0 ? "" : ", ") + mixed[i];
    if (mixed.size() > kFew) names += fmt::format(" and {} more", mixed.size() - kFew);
    notes_.push_back("points put together results that differ in " + names + ": --by keeps them apart");
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
                                    : scale_named(request_.scale, {kRefusing, "--scale"}, values, where_.names);
  }

  void add_curve(TablePlot& result, PlotPanel& panel, const std::string& series) {
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
  Places where_;
  PlotScale scale_ = PlotScale::linear;
  std::vector<PlotPlace> places_;
  std::vector<std::string> series_;
  std::map<Key, std::vector<const std::vector<std::string>*>> groups_;
  std::vector<std::string> notes_;
  std::size_t below_ = 0;
};

}  // namespace

TablePlot table_plot(const ResultTable& table, const TableRequest& request) {
  return TableDrawing(table, request).draw();
}

}  // namespace racksim::tools

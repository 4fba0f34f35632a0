// See figure_metrics.hpp.
#include "tools/figure/figure_metrics.hpp"

#include <set>

#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/plot/plot_scale.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

/// How the values of a metric lie on their axis.
PlotScale value_scale(const JsonValue& scale, const JsonLocation& place) {
  const PlotScale known = scale_named(require_string(scale, place, one_of(value_scale_names())), place, {}, false);
  if (known == PlotScale::categories) place.refuse(scale.description(), one_of(value_scale_names()));
  return known;
}

}  // namespace

void read_metrics(Figure& figure, const JsonValue& metrics, const JsonLocation& place) {
  for (const auto& [name, metric] : require_object(metrics, place)) {
    const JsonLocation here = place.member(name);
    if (metric.is_object()) bind(metric, here, {}, {{"name", "scale"}, nullptr});
    const JsonValue* of = metric.is_object() ? metric.find("name") : &metric;
    if (!of) here.refuse("no \"name\"", "\"name\", a metric's in the report");
    const auto* scale = metric.is_object() ? metric.find("scale") : nullptr;
    if (scale && value_scale(*scale, here.member("scale")) == PlotScale::log)
      figure.logarithmic.insert(figure.axes.metrics.size());
    figure.axes.metrics.push_back(name);
    figure.metric_names.push_back(
        require_string(*of, metric.is_object() ? here.member("name") : here, "the name of a metric in the report"));
  }
  if (figure.axes.metrics.empty()) place.refuse("no metric", "at least one metric under a short name");
}

void check_metrics(Figure& figure, const JsonLocation& place) {
  figure.metric_units.resize(figure.metric_names.size());
  std::set<std::string> known;
  std::set<std::size_t> asked;
  for (const FigurePoint& point : figure.points) {
    if (!asked.insert(point.series).second) continue;
    sim::Metrics metrics;
    register_metrics(point.scenario, metrics);
    for (std::string& name : metric_names_in(metrics)) known.insert(std::move(name));
    for (std::size_t i = 0; i < figure.metric_names.size(); ++i) {
      std::string& unit = figure.metric_units[i];
      if (unit.empty())
        unit = figure.metric_names[i] == kKneeMetric ? "Mops" : metric_unit(metrics, figure.metric_names[i]);
    }
  }
  if (figure.knee) known.insert(kKneeMetric);
  for (std::size_t i = 0; i < figure.metric_names.size(); ++i) {
    const std::string& name = figure.metric_names[i];
    if (known.contains(name)) continue;
    place.member(figure.axes.metrics[i])
        .refuse(quote(name), "a number that the report holds under \"metrics\"",
                nearest_name(name, {known.begin(), known.end()}));
  }
}

}  // namespace racksim::tools

// See plot_scale.hpp.
#include "tools/plot/plot_scale.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

constexpr std::pair<const char*, PlotScale> kScales[] = {
    {"linear", PlotScale::linear}, {"log", PlotScale::log}, {"categories", PlotScale::categories}};

}  // namespace

std::vector<std::string> scale_names() {
  std::vector<std::string> names;
  for (const auto& [name, scale] : kScales) names.emplace_back(name);
  return names;
}

std::vector<std::string> value_scale_names() {
  std::vector<std::string> names;
  for (const auto& [name, scale] : kScales) {
    if (scale != PlotScale::categories) names.emplace_back(name);
  }
  return names;
}

PlotScale scale_named(const std::string& name, const JsonLocation& place, const std::vector<double>& values,
                      bool has_names) {
  for (const auto& [known, scale] : kScales) {
    if (name != known) continue;
    if (scale != PlotScale::categories && has_names) place.refuse(quote(name) + " for names", "\"categories\"");
    if (scale == PlotScale::log && !values.empty() && values.front() <= 0) {
      place.refuse(fmt::format("\"log\" for {}", values.front()), "values of x above 0, or another scale");
    }
    return scale;
  }
  place.refuse(quote(name), one_of(scale_names()), nearest_name(name, scale_names()));
}

PlotScale usual_scale(const std::vector<double>& values, bool has_names) {
  if (has_names || values.empty()) return PlotScale::categories;
  const double range = values.back() - values.front();
  double narrowest = range;
  for (std::size_t i = 1; i < values.size(); ++i) narrowest = std::min(narrowest, values[i] - values[i - 1]);
  return narrowest * 40 < range ? PlotScale::categories : PlotScale::linear;
}

}  // namespace racksim::tools

// The names of scales, and which one suits values that come without.
#pragma once

#include <string>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/plot/plot.hpp"

namespace racksim::tools {

/// "linear", "log" and "categories".
std::vector<std::string> scale_names();

/// Those for numbers alone, "linear" and "log".
std::vector<std::string> value_scale_names();

/// The scale of that name for an x axis with these values, which rise. Throws InputError at `place` with the nearest name, for
/// names of which `has_names` tells on anything but categories, and for a logarithm of 0 or less.
PlotScale scale_named(const std::string& name, const JsonLocation& place, const std::vector<double>& values,
                      bool has_names);

/// Categories for names and for numbers that would lie on each other in their proportions, else linear.
PlotScale usual_scale(const std::vector<double>& values, bool has_names);

}  // namespace racksim::tools

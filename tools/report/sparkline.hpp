// A series as a line of text: a bar for each value, in eighths of the largest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace racksim::tools {

/// Bars from 0 to the largest value, "." where there is none; "|" before the values `begin` and `end`. Values are not
/// negative.
std::string sparkline(const std::vector<std::optional<double>>& values, std::size_t begin, std::size_t end);

}  // namespace racksim::tools

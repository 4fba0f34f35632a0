// See sparkline.hpp.
#include "tools/report/sparkline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace racksim::tools {

std::string sparkline(const std::vector<std::optional<double>>& values, std::size_t begin, std::size_t end) {
  constexpr std::array kBars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double largest = 0;
  for (const auto& value : values) largest = std::max(largest, value.value_or(0));
  std::string line;
  for (std::size_t i = 0; i <= values.size(); ++i) {
    if (i == begin) line += '|';
    if (i == end) line += '|';
    if (i == values.size()) break;
    if (!values[i]) {
      line += '.';
      continue;
    }
    const double eighths = largest > 0 ? std::round(*values[i] / largest * 8) : 0;
    line += kBars[static_cast<std::size_t>(std::max(1.0, eighths)) - 1];
  }
  return line;
}

}  // namespace racksim::tools

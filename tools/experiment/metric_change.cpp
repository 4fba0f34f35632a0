// Changes in per cent. See metric_change.hpp.
#include "tools/experiment/metric_change.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

namespace racksim::tools {

double change_per_cent(double from, double to) {
  if (from == to) return 0;
  if (from == 0) return std::copysign(std::numeric_limits<double>::infinity(), to);
  return (to - from) / std::abs(from) * 100;
}

std::string change_text(double from, double to) {
  const double change = change_per_cent(from, to);
  if (change == 0) return "unchanged";
  if (std::isinf(change)) return "was 0";
  // Two digits that mean something, however small the change.
  return std::abs(change) >= 10 ? fmt::format("{:+.1f} %", change) : fmt::format("{:+.2g} %", change);
}

}  // namespace racksim::tools

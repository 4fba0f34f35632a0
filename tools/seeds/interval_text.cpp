// See interval_text.hpp.
#include "tools/seeds/interval_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace racksim::tools {
namespace {

constexpr int kMostDecimals = 9;

/// Decimals by which a number shows so many digits that mean something.
int decimals_of(double value, int digits) {
  if (value == 0) return 0;
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return std::clamp(digits - 1 - magnitude, 0, kMostDecimals);
}

std::string digits_of(double value, const MeanInterval& of) {
  const int decimals = decimals_for(of.mean, of.half_width);
  const double unit = std::pow(10.0, -decimals);
  if (std::abs(value) < unit / 2) value = 0;  // and not "-0"
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool exact = !of.half_width || *of.half_width == 0;
  if (exact && text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

}  // namespace

int decimals_for(double value, const std::optional<double>& half_width) {
  return half_width && *half_width > 0 ? decimals_of(*half_width, 2) : decimals_of(value, 6);
}

std::string interval_text(const MeanInterval& interval) {
  const std::string mean = digits_of(interval.mean, interval);
  if (interval.equal()) return mean + " ± 0 (equal)";
  if (!interval.half_width) return mean + " (one value)";
  return fmt::format("{} ± {}", mean, digits_of(*interval.half_width, interval));
}

std::string spread_text(const MeanInterval& interval) {
  return fmt::format("{} .. {}", digits_of(interval.least, interval), digits_of(interval.most, interval));
}

std::string share_text(const MeanInterval& interval) {
  const auto share = interval.relative();
  return share ? fmt::format("{:.2g} %", *share * 100) : "-";
}

std::string finding_text(const PairedComparison& pairs, const std::optional<double>& corrected) {
  if (pairs.difference.least == 0 && pairs.difference.most == 0) return "equal";
  if (!corrected) return "one pair";
  return fmt::format("{}, p {:.2g}", *corrected <= kSignificance ? "differs" : "not told", *corrected);
}

}  // namespace racksim::tools

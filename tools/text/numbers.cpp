// See numbers.hpp.
#include "tools/text/numbers.hpp"

#include <fmt/core.h>

#include <cmath>

namespace racksim::tools {

std::string shown_number(double value) {
  const double size = std::abs(value);
  if (!(size < 999.95)) return fmt::format("{:.0f}", value);
  int decimals = 1;
  for (double scaled = size; scaled != 0 && scaled < 99.995 && decimals < 15; scaled *= 10) ++decimals;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string shown_duration(double ns) {
  constexpr const char* kUnits[] = {"ns", "us", "ms"};
  for (const char* unit : kUnits) {
    if (std::abs(ns) < 999.95) return shown_number(ns) + ' ' + unit;
    ns /= 1000;
  }
  return shown_number(ns) + " s";
}

std::string shown_percent(double share) {
  return shown_number(100 * share) + " %";
}

std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace racksim::tools

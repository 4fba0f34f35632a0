// See text_order.hpp.
#include "tools/plot/text_order.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

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

}  // namespace

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

TextPlaces places_of(const std::vector<std::string>& texts) {
  if (auto numbers = values_by(texts, plain_number)) return {std::move(*numbers), false, true};
  const auto size = [](const std::string& text) { return static_cast<double>(parse_size(text)); };
  const auto length = [](const std::string& text) { return parse_length(text).seconds(); };
  const auto rate = [](const std::string& text) { return static_cast<double>(parse_rate(text)); };
  if (auto sizes = values_by(texts, size)) return {std::move(*sizes), false, false};
  if (auto lengths = values_by(texts, length)) return {std::move(*lengths), false, false};
  if (auto rates = values_by(texts, rate)) return {std::move(*rates), false, false};
  TextPlaces places{{}, true, false};
  for (const std::string& text : texts) places.of.emplace(text, static_cast<double>(places.of.size()));
  return places;
}

std::vector<std::string> distinct(const std::vector<std::string>& texts) {
  std::vector<std::string> once;
  std::set<std::string> seen;
  for (const std::string& text : texts) {
    if (seen.insert(text).second) once.push_back(text);
  }
  return once;
}

std::vector<std::string> in_order(const std::vector<std::string>& texts) {
  std::vector<std::string> once = distinct(texts);
  const TextPlaces places = places_of(once);
  std::stable_sort(once.begin(), once.end(),
                   [&](const auto& a, const auto& b) { return places.of.at(a) < places.of.at(b); });
  return once;
}

std::string told_of_mixture(const std::vector<std::string>& settings) {
  constexpr std::size_t kFew = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(settings.size(), kFew); ++i) names += (i == 0 ? "" : ", ") + settings[i];
  if (settings.size() > kFew) names += fmt::format(" and {} more", settings.size() - kFew);
  return "points put together results that differ in " + names + ": --by keeps them apart";
}

}  // namespace racksim::tools

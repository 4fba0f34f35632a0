// Reading and writing of `expect.baseline`.
#include "tools/scenario/expected_baseline.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "tools/json/json_schema.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

constexpr double kMostPerCent = 1000;

/// The number in "2%", or nothing if the text is anything else or out of range.
std::optional<double> parse_per_cent(const std::string& text) {
  double value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || stop + 1 != end || *stop != '%') return std::nullopt;
  if (!(value >= 0 && value <= kMostPerCent)) return std::nullopt;
  return std::abs(value);  // "-0%" is 0
}

Tolerance read_tolerance(const std::string& metric, const JsonValue& value, const JsonLocation& place) {
  const std::string expected = fmt::format("per cent from \"0%\" to \"{}%\", or a number of at least 0", kMostPerCent);
  if (const auto number = value.number()) {
    if (!(*number >= 0)) place.refuse(value.description(), expected);
    return {metric, std::abs(*number), false};
  }
  const auto per_cent = parse_per_cent(require_string(value, place, expected));
  if (!per_cent) place.refuse(value.description(), expected);
  return {metric, *per_cent, true};
}

}  // namespace

bool Tolerance::met(double stored, double now) const {
  const double limit = per_cent ? std::abs(stored) * allowed / 100 : allowed;
  return std::abs(now - stored) <= limit;
}

std::string Tolerance::text() const {
  return per_cent ? fmt::format("{}%", allowed) : fmt::format("{}", allowed);
}

std::vector<Tolerance> usual_tolerances() {
  return {{"throughput_mops", 5, true}, {"latency_ns.mean", 5, true}};
}

ExpectedBaseline read_expected_baseline(const JsonValue& value, const JsonLocation& place) {
  ExpectedBaseline baseline;
  const std::string expected = "\"exact\", \"none\" or an object of metrics with a tolerance each";
  if (const auto* text = value.string()) {
    if (*text != "exact" && *text != "none") {
      place.refuse(value.description(), expected, nearest_name(*text, {"exact", "none"}));
    }
    baseline.comparison = *text == "exact" ? ExpectedBaseline::Comparison::exact : ExpectedBaseline::Comparison::none;
    return baseline;
  }
  if (!value.is_object()) place.refuse(value.description(), expected);
  if (value.members()->empty()) place.refuse("an empty object", expected);
  baseline.comparison = ExpectedBaseline::Comparison::metrics;
  for (const auto& [metric, content] : *value.members()) {
    baseline.tolerances.push_back(read_tolerance(metric, content, place.member(metric)));
  }
  return baseline;
}

JsonValue write_expected_baseline(const ExpectedBaseline& baseline) {
  switch (baseline.comparison) {
    case ExpectedBaseline::Comparison::usual:
      return {};
    case ExpectedBaseline::Comparison::none:
      return "none";
    case ExpectedBaseline::Comparison::exact:
      return "exact";
    case ExpectedBaseline::Comparison::metrics:
      break;
  }
  auto value = JsonValue::object();
  for (const auto& tolerance : baseline.tolerances) {
    value.set(tolerance.metric, tolerance.per_cent ? JsonValue(tolerance.text()) : JsonValue(tolerance.allowed));
  }
  return value;
}

JsonValue expected_baseline_schema() {
  auto tolerance = any_of_schemas({pattern_schema(R"(^-?([0-9]+\.?[0-9]*|\.[0-9]+)%$)"), number_schema(0)});
  auto metrics = map_schema(std::move(tolerance));
  metrics.set("minProperties", 1);
  return any_of_schemas({enum_schema({"exact", "none"}), std::move(metrics)},
                        "What racksim test compares with the stored baseline.");
}

}  // namespace racksim::tools

// The list of what templates reach. See fuzz_reach.hpp.
#include "tools/commands/fuzz_reach.hpp"

#include <fmt/format.h>

#include <ostream>

#include "tools/fuzz/reach.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/scenario/overrides.hpp"

namespace racksim::tools {
namespace {

/// Of more values than these a line tells the first and the last.
constexpr std::size_t kMostValues = 8;

std::string text_of(const std::string& canonical) {
  return override_text(parse_json(canonical, "a value"));
}

std::string values_text(const ParameterReach& parameter) {
  const auto& reached = parameter.reached;
  if (reached.size() > kMostValues) {
    return fmt::format("{} values, {} to {}", reached.size(), override_text(reached.front().value),
                       override_text(reached.back().value));
  }
  std::string text;
  for (const ReachedValue& value : reached) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", override_text(value.value), value.runs);
  }
  return text;
}

void print_parameters(const ComponentReach& component, std::ostream& out) {
  constexpr const char* kRow = "  {:<28} {}\n";
  for (const ParameterReach& parameter : component.parameters) {
    out << fmt::format(kRow, parameter.name, values_text(parameter));
    for (auto missed = parameter.missed.begin(); missed != parameter.missed.end();) {
      const std::string& why = missed->why;
      std::string values;
      for (; missed != parameter.missed.end() && missed->why == why; ++missed) {
        values += fmt::format("{}{}", values.empty() ? "" : ", ",
                              missed->value.empty() ? "another value" : text_of(missed->value));
      }
      out << fmt::format(kRow, "", fmt::format("never {}: {}", values, why));
    }
  }
}

/// Race points, or rows: `first` is the first of them in `Reach::runs_reaching`.
void print_points(const char* what, const std::vector<std::string>& names, std::size_t first, const Reach& reach,
                  std::ostream& out) {
  if (names.empty()) return;
  out << fmt::format("{}, and the runs that reached each\n", what);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::uint64_t runs = reach.runs_reaching[first + i];
    out << fmt::format("  {:>7}  {}\n", runs == 0 ? "never" : std::to_string(runs), names[i]);
  }
}

void print_text(const Reach& reach, const sim::CoverageMap& map, std::ostream& out) {
  std::size_t parameters = 0, varied = 0;
  for (const ComponentReach& component : reach.components) {
    if (component.uses == 0) {
      out << fmt::format("{}: never: {}\n", component.name, component.why_never);
      continue;
    }
    const bool fault = component.name.starts_with("fault ");
    out << fmt::format("{}: {} {}\n", component.name, component.uses, fault ? "faults" : "runs");
    print_parameters(component, out);
    for (const ParameterReach& parameter : component.parameters) {
      ++parameters;
      if (parameter.reached.size() > 1) ++varied;
    }
  }
  print_points("race points", map.race_points, 0, reach, out);
  print_points("rows of transition tables", map.rows, map.race_points.size(), reach, out);
  const auto line = [&](const char* name, const std::string& text) { out << fmt::format("{:<13}{}\n", name, text); };
  line("reach", fmt::format("{} of {} parameters had several values, in {} runs", varied, parameters, reach.runs));
  if (!reach.fails.empty()) line("fails", reach.fails);
  line("verdict", !reach.fails.empty() ? "FAIL" : reach.interrupted ? "interrupted" : "pass");
}

JsonValue points_json(const std::vector<std::string>& names, std::size_t first, const Reach& reach) {
  auto points = JsonValue::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    points.push(JsonValue::object({{"name", names[i]}, {"runs", reach.runs_reaching[first + i]}}));
  }
  return points;
}

JsonValue parameter_json(const ParameterReach& parameter) {
  const auto reached = [](const ReachedValue& value) {
    return JsonValue::object({{"value", value.value}, {"runs", value.runs}});
  };
  const auto missed = [](const MissedValue& value) {
    auto one = JsonValue::object({{"why", value.why}});
    if (!value.value.empty()) one.set("value", parse_json(value.value, "a value"));
    return one;
  };
  return JsonValue::object({{"name", parameter.name},
                            {"reached", array_of(parameter.reached, reached)},
                            {"never", array_of(parameter.missed, missed)}});
}

JsonValue report(const Reach& reach, const std::vector<std::string>& templates, const sim::CoverageMap& map) {
  const auto component = [](const ComponentReach& of) {
    auto one = JsonValue::object({{"name", of.name}, {"uses", of.uses}});
    if (of.uses == 0) one.set("why_never", of.why_never);
    one.set("parameters", array_of(of.parameters, parameter_json));
    return one;
  };
  auto result = JsonValue::object({{"templates", array_of(templates)},
                                   {"runs", reach.runs},
                                   {"interrupted", reach.interrupted},
                                   {"verdict", reach.fails.empty() && !reach.interrupted ? "pass" : "fail"}});
  if (!reach.fails.empty()) result.set("fails", reach.fails);
  result.set("components", array_of(reach.components, component));
  result.set("race_points", points_json(map.race_points, 0, reach));
  result.set("rows", points_json(map.rows, map.race_points.size(), reach));
  return result;
}

}  // namespace

int fuzz_reach(const std::vector<std::string>& templates, const std::vector<std::string>& overrides, std::uint64_t seed,
               const FuzzPlan& plan, bool json, CommandContext& context) {
  ProgressLine line(context.err, !json);
  const Reach reach = measure_reach(templates, overrides, seed, plan, context.catalogue,
                                    [&](const std::string& file) { line.show([&](double) { return file; }); });
  const sim::CoverageMap& map =
      coverage_map(load_swarm(templates.front(), context.catalogue, overrides, seed).original());
  if (json) {
    context.out << to_json(report(reach, templates, map));
  } else {
    print_text(reach, map, context.out);
  }
  if (reach.interrupted) return exit_interrupted;
  return reach.fails.empty() ? exit_ok : exit_failed;
}

}  // namespace racksim::tools

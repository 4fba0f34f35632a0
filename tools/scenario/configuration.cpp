// A scenario written back with every value in effect.
#include <utility>

#include "tools/scenario/scenario.hpp"
#include "tools/scenario/scenario_parts.hpp"

namespace racksim::tools {
namespace {

using Values = JsonValue (*)(const sim::Parameters&);

/// An object with one leading member, then the options.
JsonValue options_with(std::string_view key, const std::string& name, const BoundParameters& bound,
                       Values values = values_in_effect) {
  JsonValue value;
  value.set(key, name);
  const auto options = values(bound.parameters);
  if (options.is_object()) {
    for (const auto& member : *options.members()) value.append(member);
  }
  return value;
}

JsonValue write_protocol(const BoundParameters& protocol, Values values = values_in_effect) {
  JsonValue value;
  value.set("name", protocol.name);
  auto options = values(protocol.parameters);
  value.set(protocol.name, options.is_null() ? JsonValue::object() : std::move(options));
  return value;
}

JsonValue write_faults(const std::vector<BoundOptions<models::Fault>>& faults, Values values = values_in_effect) {
  return array_of(faults, [&](const auto& fault) { return options_with("kind", fault.name, fault, values); });
}

}  // namespace

JsonValue configuration(const Scenario& scenario) {
  auto value = JsonValue::object({{"version", 1}, {"name", scenario.name}});
  if (!scenario.doc.empty()) value.set("doc", scenario.doc);
  value.set("seed", scenario.seed);
  value.set("rack", options_with("testbed", scenario.testbed, scenario.rack));
  value.set("protocol", write_protocol(scenario.protocol));
  value.set("workload", options_with("kind", scenario.workload.name, scenario.workload));
  value.set("run", write_run_plan(scenario.run, true));
  value.set("faults", write_faults(scenario.faults));
  value.set("check", write_checks(scenario.checks, scenario.history));
  value.set("observe", write_observation(scenario.observe));
  value.set("expect", write_expectations(scenario.expect));
  return value;
}

std::string behavioural_configuration(const Scenario& scenario) {
  JsonValue workload = options_with("kind", scenario.workload.name, scenario.workload, behavioural_values);
  for (const std::string_view option : scenario.workload.options->of_input()) workload.erase(option);
  auto value = JsonValue::object({{"seed", scenario.seed},
                                  {"rack", behavioural_values(scenario.rack.parameters)},
                                  {"protocol", write_protocol(scenario.protocol, behavioural_values)},
                                  {"workload", std::move(workload)},
                                  {"run", write_run_plan(scenario.run, false)},
                                  {"faults", write_faults(scenario.faults, behavioural_values)}});
  return to_canonical_json(value);
}

}  // namespace racksim::tools

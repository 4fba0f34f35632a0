// The JSON Schema of scenario files, from the declarations that the reader uses.
#include "tools/scenario/scenario.hpp"
#include "tools/scenario/scenario_parts.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

JsonValue typed(const char* type, const char* description = nullptr) {
  JsonValue schema;
  schema.set("type", type);
  if (description) schema.set("description", description);
  return schema;
}

JsonValue one_of_names(const std::vector<std::string>& names) {
  JsonValue schema;
  schema.set("enum", array_of(names));
  return schema;
}

JsonValue constant(JsonValue value) {
  JsonValue schema;
  schema.set("const", std::move(value));
  return schema;
}

void require(JsonValue& object_schema, std::initializer_list<const char*> names) {
  object_schema.set("required", array_of(names));
}

JsonValue& properties(JsonValue& object_schema) {
  return *object_schema.find("properties");
}

template <class Options>
JsonValue options_schema(const OptionsEntry<Options>& entry, bool annotated = false) {
  auto schema = empty_object_schema();
  if (!entry.doc.empty()) schema.set("description", entry.doc);
  sim::Parameters parameters;
  const auto options = entry.make(parameters);
  add_schema(schema, parameters, annotated);
  return schema;
}

/// An object whose "kind" decides which other members it may have.
template <class Options>
JsonValue kind_schema(const std::vector<OptionsEntry<Options>>& entries) {
  if (entries.empty()) return false;  // "oneOf" must not be empty; nothing matches this
  JsonValue schema;
  auto& variants = schema.set("oneOf", JsonValue::array());
  for (const auto& entry : entries) {
    auto variant = options_schema(entry);
    properties(variant).set("kind", constant(entry.name));
    require(variant, {"kind"});
    variants.push(std::move(variant));
  }
  return schema;
}

JsonValue rack_schema(const OptionsEntry<models::RackOptions>& rack) {
  auto overrides = options_schema(rack, true);
  properties(overrides).set("testbed", typed("string", "Name or file of the testbed."));
  require(overrides, {"testbed"});
  JsonValue schema;
  schema.set("anyOf", JsonValue::array({typed("string", "Name or file of the testbed."), std::move(overrides)}));
  return schema;
}

JsonValue protocol_schema(const std::vector<OptionsEntry<models::ProtocolOptions>>& protocols) {
  auto schema = empty_object_schema();
  properties(schema).set("name", one_of_names(names_of(protocols)));
  for (const auto& entry : protocols) properties(schema).set(entry.name, options_schema(entry));
  require(schema, {"name"});
  return schema;
}

JsonValue extent_schema(const char* description) {
  JsonValue time = typed("string");
  time.set("pattern", length_pattern());
  auto count = empty_object_schema();
  properties(count).set("operations", typed("integer")).set("minimum", 1);
  require(count, {"operations"});
  JsonValue schema;
  schema.set("anyOf", JsonValue::array({std::move(time), std::move(count)}));
  schema.set("description", description);
  return schema;
}

JsonValue run_schema() {
  auto schema = empty_object_schema();
  properties(schema).set("warmup", extent_schema("Time or operations before the measurement."));
  properties(schema).set("measure", extent_schema("Time or operations that the metrics speak of."));
  RunPlan plan;
  sim::Parameters parameters;
  plan.declare(parameters);
  add_schema(schema, parameters);
  auto order = typed("string", "Order of lanes with events on the same picosecond.");
  order.set("pattern", "^(fifo|lifo|shuffle:[0-9]+)$");
  properties(*properties(schema).find("schedule")).set("order", std::move(order));
  return schema;
}

JsonValue check_schema(const std::vector<models::OracleEntry>& oracles) {
  auto schema = empty_object_schema();
  std::string all = "Every oracle that is not named here";
  const auto name_those = [&](models::OracleEntry::AttachWhen attach, const char* separator) {
    for (const auto& oracle : oracles) {
      if (oracle.attach != attach) continue;
      all += separator + oracle.name;
      separator = ", ";
    }
  };
  name_those(models::OracleEntry::AttachWhen::if_promised, ", of these those that the protocol promises: ");
  name_those(models::OracleEntry::AttachWhen::by_name, "; without those that others imply and that must be named: ");
  properties(schema).set("all", typed("boolean", (all + ".").c_str()));
  HistoryOptions history;
  sim::Parameters parameters;
  history.declare(parameters);
  add_schema(schema, parameters);
  for (const auto& oracle : oracles) properties(schema).set(oracle.name, typed("boolean", oracle.doc.c_str()));
  return schema;
}

JsonValue expect_schema(const std::vector<models::OracleEntry>& oracles) {
  auto bounds = empty_object_schema();
  for (const char* bound : {"min", "max", "equals"}) properties(bounds).set(bound, typed("number"));
  bounds.set("minProperties", 1);
  auto schema = empty_object_schema();
  properties(schema).set("verdict", one_of_names({"pass", "fail"}));
  auto violation = one_of_names(violation_names(oracles));
  violation.set("description",
                "An oracle, or kind of violation, that must speak; the verdict expected is then \"fail\".");
  properties(schema).set("violation", std::move(violation));
  properties(schema).set("baseline", expected_baseline_schema());
  schema.set("additionalProperties", std::move(bounds));
  return schema;
}

}  // namespace

JsonValue scenario_schema(const Catalogue& catalogue) {
  JsonValue schema;
  schema.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  schema.set("title", "racksim scenario");
  const auto object = empty_object_schema();
  for (const auto& member : *object.members()) schema.append(member);
  auto& members = properties(schema);
  members.set("$schema", typed("string"));
  members.set("version", constant(1));
  members.set("name", typed("string", "What the run is called in reports."));
  members.set("doc", typed("string", "What the scenario is there for."));
  members.set("seed", typed("integer", "Seed of all random streams.")).set("minimum", 0);
  members.set("rack", rack_schema(catalogue.rack));
  members.set("protocol", protocol_schema(catalogue.protocols));
  members.set("workload", kind_schema(catalogue.workloads));
  members.set("run", run_schema());
  auto faults = typed("array");
  faults.set("items", kind_schema(catalogue.faults));
  members.set("faults", std::move(faults));
  members.set("check", check_schema(catalogue.oracles));
  auto observe = empty_object_schema();
  Observation observation;
  sim::Parameters parameters;
  observation.declare(parameters);
  add_schema(observe, parameters);
  members.set("observe", std::move(observe));
  members.set("expect", expect_schema(catalogue.oracles));
  require(schema, {"version", "rack", "protocol", "workload"});
  return schema;
}

}  // namespace racksim::tools

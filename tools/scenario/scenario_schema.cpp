// The JSON Schemas of scenarios, suites and testbeds, from the declarations that the readers use.
#include <algorithm>
#include <utility>

#include "tools/json/json_schema.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/scenario/scenario_parts.hpp"
#include "tools/text/printable.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

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
    properties_of(variant).set("kind", const_schema(entry.name));
    require_members(variant, {"kind"});
    variants.push(std::move(variant));
  }
  return schema;
}

JsonValue rack_schema(const OptionsEntry<models::RackOptions>& rack) {
  auto overrides = options_schema(rack, true);
  properties_of(overrides).set("testbed", type_schema("string", "Name or file of the testbed."));
  if (const JsonValue* told = properties_of(overrides).find("roles")) {
    auto either =
        any_of_schemas({*told, const_schema("protocol")},
                       "Which servers compute and which hold memory; or \"protocol\": all of them compute, and "
                       "the memory is there or at servers beside, as the protocol wants it.");
    properties_of(overrides).set("roles", std::move(either));
  }
  require_members(overrides, {"testbed"});
  return any_of_schemas({type_schema("string", "Name or file of the testbed."), std::move(overrides)});
}

JsonValue protocol_schema(const std::vector<OptionsEntry<models::ProtocolOptions>>& protocols) {
  auto schema = empty_object_schema();
  properties_of(schema).set("name", enum_schema(names_of(protocols)));
  for (const auto& entry : protocols) properties_of(schema).set(entry.name, options_schema(entry));
  require_members(schema, {"name"});
  return schema;
}

JsonValue extent_schema(const char* description) {
  auto count = empty_object_schema();
  properties_of(count).set("operations", integer_schema(1));
  require_members(count, {"operations"});
  return any_of_schemas({pattern_schema(length_pattern()), std::move(count)}, description);
}

JsonValue run_schema() {
  auto schema = empty_object_schema();
  properties_of(schema).set("warmup", extent_schema("Time or operations before the measurement."));
  properties_of(schema).set("measure", extent_schema("Time or operations that the metrics speak of."));
  RunPlan plan;
  sim::Parameters parameters;
  plan.declare(parameters);
  add_schema(schema, parameters);
  properties_of(*properties_of(schema).find("schedule"))
      .set("order",
           pattern_schema("^(fifo|lifo|shuffle:[0-9]+)$", "Order of lanes with events on the same picosecond."));
  return schema;
}

JsonValue observe_schema() {
  auto schema = empty_object_schema();
  Observation observation;
  sim::Parameters parameters;
  observation.declare(parameters);
  add_schema(schema, parameters);
  properties_of(*properties_of(schema).find("series"))
      .set("metrics", any_of_schemas({array_schema(type_schema("string"), 1), type_schema("string")},
                                     "Its columns: names of metrics, in an array or with commas between them."));
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
  properties_of(schema).set("all", type_schema("boolean", (all + ".").c_str()));
  HistoryOptions history;
  sim::Parameters parameters;
  history.declare(parameters);
  add_schema(schema, parameters);
  for (const auto& oracle : oracles) properties_of(schema).set(oracle.name, type_schema("boolean", oracle.doc.c_str()));
  return schema;
}

JsonValue expect_schema(const std::vector<models::OracleEntry>& oracles) {
  auto bounds = empty_object_schema();
  for (const char* bound : {"min", "max", "equals"}) properties_of(bounds).set(bound, type_schema("number"));
  bounds.set("minProperties", 1);
  auto schema = empty_object_schema();
  properties_of(schema).set("verdict", enum_schema({"pass", "fail"}));
  properties_of(schema).set(
      "violation",
      enum_schema(violation_names(oracles),
                  "An oracle, or kind of violation, that must speak; the verdict expected is then \"fail\"."));
  properties_of(schema).set("baseline", expected_baseline_schema());
  schema.set("additionalProperties", std::move(bounds));
  return schema;
}

JsonValue base_schema() {
  const auto file = type_schema("string");
  return any_of_schemas({file, array_schema(file, 1)},
                        "What the file builds on: another, or several of which each goes over those before it.");
}

/// A scenario that builds on nothing.
JsonValue whole_scenario_schema(const Catalogue& catalogue) {
  auto schema = empty_object_schema();
  auto& members = properties_of(schema);
  members.set("$schema", type_schema("string"));
  members.set("base", base_schema());
  members.set("version", const_schema(1));
  members.set("name", pattern_schema(kPathOfWordsPattern, "What the run is called in reports."));
  members.set("doc", type_schema("string", "What the scenario is there for."));
  members.set("seed", integer_schema(0, "Seed of all random streams."));
  members.set("rack", rack_schema(catalogue.rack));
  members.set("protocol", protocol_schema(catalogue.protocols));
  members.set("workload", kind_schema(catalogue.workloads));
  members.set("run", run_schema());
  members.set("faults", array_schema(kind_schema(catalogue.faults)));
  members.set("check", check_schema(catalogue.oracles));
  members.set("observe", observe_schema());
  members.set("expect", expect_schema(catalogue.oracles));
  members.set("fuzz", fuzz_guide_schema());
  require_members(schema, {"version", "rack", "protocol", "workload"});
  return schema;
}

/// A testbed that builds on nothing.
JsonValue whole_testbed_schema(const Catalogue& catalogue) {
  auto schema = empty_object_schema();
  auto& members = properties_of(schema);
  members.set("$schema", type_schema("string"));
  members.set("base", base_schema());
  members.set("version", const_schema(1));
  members.set("name", pattern_schema(kPathOfWordsPattern, "What the testbed is called."));
  members.set("doc", type_schema("string", "Which machines these are."));
  sim::Parameters parameters;
  const auto options = catalogue.rack.make(parameters);
  add_schema(schema, parameters, true);
  require_members(schema, {"version", "nodes"});
  return schema;
}

/// What is laid over a document and says itself what it is.
JsonValue overlay_of_file(const JsonValue& whole) {
  auto schema = overlay_schema(whole);
  for (const char* key : {"$schema", "base", "name", "doc"}) {
    if (const auto* own = whole.find("properties")->find(key)) properties_of(schema).set(key, *own);
  }
  return schema;
}

/// A file that either says all, or builds on others with "base".
JsonValue file_with_base(const char* title, const char* description, const JsonValue& whole) {
  return JsonValue::object({{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                            {"title", title},
                            {"description", description},
                            {"if", JsonValue::object({{"required", JsonValue::array({"base"})}})},
                            {"then", overlay_of_file(whole)},
                            {"else", whole}});
}

bool is_annotated_value(const JsonValue& schema) {
  const auto* properties = schema.find("properties");
  return properties && properties->find("value") && properties->find("source");
}

/// The value at one path, where what an object holds has paths of its own.
JsonValue without_members(const JsonValue& schema) {
  for (const char* key : {"anyOf", "oneOf"}) {
    const auto* variants = schema.find(key);
    if (!variants) continue;
    auto distinct = JsonValue::array();
    for (const auto& variant : *variants->elements()) {
      auto plain = without_members(variant);
      plain.erase("description");
      const auto* several = plain.find("anyOf");
      for (const auto& one : several ? *several->elements() : JsonValue::Array{plain}) {
        const auto& present = *distinct.elements();
        if (std::find(present.begin(), present.end(), one) == present.end()) distinct.push(one);
      }
    }
    auto result = distinct.elements()->size() == 1 ? *distinct.find(std::size_t{0})
                                                   : JsonValue::object({{"anyOf", std::move(distinct)}});
    if (const auto* description = schema.find("description")) result.set("description", *description);
    return result;
  }
  if (!schema.find("properties")) return schema;
  auto result = type_schema("object");
  if (const auto* description = schema.find("description")) result.set("description", *description);
  return result;
}

/// Adds what stands at each dotted path below a schema: {"workload.threads": ...}. Of a path that several workloads have,
/// the forms of all.
void add_paths(JsonValue& paths, const JsonValue& schema, const std::string& prefix) {
  for (const char* key : {"anyOf", "oneOf"}) {
    const auto* variants = schema.find(key);
    if (!variants) continue;
    for (const auto& variant : *variants->elements()) add_paths(paths, variant, prefix);
  }
  const auto* properties = schema.find("properties");
  if (!properties || is_annotated_value(schema)) return;
  for (const auto& [name, property] : *properties->members()) {
    if (prefix.empty() && (name == "$schema" || name == "base")) continue;
    const std::string path = prefix + name;
    auto value = without_members(property);
    if (auto* present = paths.find(path); present && !(*present == value)) {
      value = without_members(any_of_schemas({*present, std::move(value)}));
      if (const auto* description = property.find("description")) value.set("description", *description);
    }
    paths.set(path, std::move(value));
    add_paths(paths, property, path + ".");
  }
}

/// Paths that the declarations do not name: elements of arrays, names with dots of their own, sources of constants, and
/// JSON pointers.
constexpr const char* kOtherPaths = R"(^(/|\$schema$|faults\.|expect\.|rack\..*\.(value|source|calibrated|note)$))";

JsonValue paths_of(const Catalogue& catalogue) {
  auto paths = JsonValue::object();
  add_paths(paths, whole_scenario_schema(catalogue), "");
  return paths;
}

}  // namespace

JsonValue set_schema(const Catalogue& catalogue) {
  auto schema = empty_object_schema();
  schema.set("description", "Values by their dotted paths, as --set takes them; null removes.");
  const auto paths = paths_of(catalogue);
  for (const auto& [path, value] : *paths.members()) properties_of(schema).append({path, nullable_schema(value)});
  schema.set("patternProperties", JsonValue::object({{kOtherPaths, true}}));
  return schema;
}

JsonValue path_schema(const Catalogue& catalogue) {
  std::vector<std::string> names;
  const auto paths = paths_of(catalogue);
  for (const auto& [path, value] : *paths.members()) names.push_back(path);
  return any_of_schemas({enum_schema(names), pattern_schema(kOtherPaths)}, "The dotted path of a value.");
}

JsonValue scenario_schema(const Catalogue& catalogue) {
  return file_with_base(
      "racksim scenario",
      "One run, or a template of racksim fuzz. With \"base\", what differs from the files named there.",
      whole_scenario_schema(catalogue));
}

JsonValue suite_schema(const Catalogue& catalogue) {
  auto schema = overlay_of_file(whole_scenario_schema(catalogue));
  // What the rest of the file and each case have alike stands once.
  auto definitions = JsonValue::object({{"set", set_schema(catalogue)}});
  for (const char* key : {"rack", "protocol", "workload", "run", "faults", "check", "observe", "expect", "fuzz"}) {
    auto& member = *properties_of(schema).find(key);
    definitions.set(key, std::exchange(member, definition_schema(key)));
  }
  auto one = schema;
  for (const char* key : {"base", "$schema"}) properties_of(one).erase(key);
  properties_of(one).set("set", definition_schema("set"));
  auto cases = map_schema(std::move(one),
                          "Scenarios by their names, each of which says what differs from the rest of the file.");
  cases.set("propertyNames", pattern_schema(kWordPattern));
  cases.set("minProperties", 1);
  properties_of(schema).set("cases", std::move(cases));
  require_members(schema, {"cases"});
  auto file = file_schema("racksim suite", "Scenarios that share most of what they are, as cases of one file.",
                          std::move(schema));
  file.set("$defs", std::move(definitions));
  return file;
}

JsonValue testbed_schema(const Catalogue& catalogue) {
  return file_with_base(
      "racksim testbed",
      "The hardware's constants, each with where it comes from. With \"base\", put together from parts.",
      whole_testbed_schema(catalogue));
}

JsonValue testbed_part_schema(const Catalogue& catalogue) {
  return file_schema("racksim part of a testbed", "Constants that several testbeds share as their \"base\".",
                     overlay_of_file(whole_testbed_schema(catalogue)));
}

}  // namespace racksim::tools

// See description.hpp.
#include "tools/describe/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "tools/describe/described_metrics.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/declared_options.hpp"
#include "tools/text/columns.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

using Wanted = std::function<bool(const std::string& name)>;

/// A path in which the places of faults are N, as declared options have them.
std::string with_places_left_out(const std::string& path) {
  constexpr const char* kFaults = "faults.";
  if (!path.starts_with(kFaults)) return path;
  const std::size_t begin = std::string_view(kFaults).size();
  const std::size_t end = std::min(path.find('.', begin), path.size());
  const bool place = end > begin && std::all_of(path.begin() + static_cast<std::ptrdiff_t>(begin),
                                                path.begin() + static_cast<std::ptrdiff_t>(end),
                                                [](unsigned char c) { return std::isdigit(c) != 0; });
  return place ? kFaults + ("N" + path.substr(end)) : path;
}

/// How a value of the type is written, where that is not plain.
std::string unit_of(const std::string& type) {
  if (type == "length of time") return "ps, ns, us, ms or s behind the number: 10ms";
  if (type == "size") return "bytes: 4KiB, 16MiB";
  if (type == "data rate") return "bits per second: 100Gbps";
  return "";
}

std::string shown_value(const JsonValue& value) {
  return value.string() ? *value.string() : to_canonical_json(value);
}

/// A constant's values in the testbeds, with where they come from.
void add_testbeds(Description& result, const std::string& constant, const std::vector<Testbed>& testbeds) {
  const JsonValue values = constants_json(testbeds, constant);
  std::string heading = "testbeds";
  for (const JsonValue& one : *values.elements()) {
    const auto text = [&](const char* key) { return one.find(key) != nullptr ? *one.find(key)->string() : ""; };
    std::string line = fmt::format("{}: {}", text("testbed"), shown_value(*one.find("value")));
    if (!text("calibrated").empty()) line += fmt::format("; calibrated to {}", text("calibrated"));
    if (!text("source").empty()) line += fmt::format("; {}", text("source"));
    result.facts.emplace_back(std::exchange(heading, ""), line);
  }
  result.json.set("testbeds", values);
}

Description described(const DeclaredOption& option, const Catalogue& catalogue) {
  Description result{
      option.path, "option of " + (option.owner == option.part ? "" : option.part + " ") + option.owner, {}, {}};
  result.facts = {{"meaning", option.meaning}, {"values", values_text(option)}};
  const std::string unit = unit_of(option.type), initial = shown_value(option.initial);
  if (!unit.empty()) result.facts.emplace_back("unit", unit);
  result.facts.emplace_back("default", initial.empty() ? "empty" : initial);
  if (!option.basis.empty()) result.facts.emplace_back("source", option.basis + ": " + option.source);
  result.json = JsonValue::object({{"name", option.path}, {"kind", "option"}});
  const JsonValue declared = option_json(option);
  for (const auto& [key, value] : *declared.members()) {
    if (key != "path" && key != "doc") result.json.set(key, value);
  }
  result.json.set("doc", option.meaning);
  if (!unit.empty()) result.json.set("unit", unit);
  if (!option.basis.empty()) result.json.set({{"basis", option.basis}, {"source", option.source}});
  if (option.part == "rack") {
    add_testbeds(result, option.path.substr(std::string_view("rack.").size()), shipped_testbeds(catalogue));
  }
  return result;
}

/// A key whose form the schema alone knows, or an object with options of its own.
Description described_key(const std::string& path, const JsonValue& schema) {
  Description result{path, "key", {}, JsonValue::object({{"name", path}, {"kind", "key"}})};
  std::string meaning;
  if (const auto* description = schema.find("description")) meaning = *description->string();
  if (!meaning.empty()) result.facts.emplace_back("meaning", meaning);
  JsonValue values = schema;
  values.erase("description");
  result.facts.emplace_back("values", to_canonical_json(values));
  result.json.set({{"doc", meaning}, {"schema", std::move(values)}});
  return result;
}

/// A component by its name, with the paths of its options.
Description described_component(const std::string& name, const std::string& kind, const std::string& doc,
                                const std::vector<DeclaredOption>& options) {
  Description result{name, kind, {{"meaning", doc}}, {}};
  result.json = JsonValue::object({{"name", name}, {"kind", kind}, {"doc", doc}});
  std::string heading = "options";
  JsonValue paths = JsonValue::array();
  for (const DeclaredOption& option : options) {
    if (option.owner != name) continue;
    result.facts.emplace_back(std::exchange(heading, ""), option.path);
    paths.push(option.path);
  }
  if (!paths.elements()->empty()) result.json.set("options", std::move(paths));
  return result;
}

Description described(const models::OracleEntry& oracle) {
  using When = models::OracleEntry::AttachWhen;
  const char* asked = oracle.attach == When::always        ? "by check.all"
                      : oracle.attach == When::if_promised ? "by check.all, where protocol or workload promise it"
                                                           : "by its name alone";
  Description result{oracle.name, "oracle", {{"meaning", oracle.doc}, {"asked for", asked}}, {}};
  result.facts.emplace_back("set by", fmt::format("check.{}=true", oracle.name));
  result.json =
      JsonValue::object({{"name", oracle.name}, {"kind", "oracle"}, {"doc", oracle.doc}, {"asked_for", asked}});
  return result;
}

/// Those of the declared names that are wanted; all of them are added to `known`.
std::vector<Description> declared(const Wanted& wanted, const Catalogue& catalogue, std::vector<std::string>& known) {
  std::vector<Description> found;
  const auto note = [&](const std::string& name) {
    known.push_back(name);
    return wanted(name);
  };
  const auto options = declared_options(catalogue);
  for (const DeclaredOption& option : options) {
    if (note(option.path)) found.push_back(described(option, catalogue));
  }
  const std::set<std::string> paths(known.begin(), known.end());
  const JsonValue schema = set_schema(catalogue);
  for (const auto& [path, form] : *schema.find("properties")->members()) {
    if (!paths.contains(path) && note(path)) found.push_back(described_key(path, form));
  }
  const auto add = [&](const auto& entries, const char* kind) {
    for (const auto& entry : entries) {
      if (note(entry.name)) found.push_back(described_component(entry.name, kind, entry.doc, options));
    }
  };
  add(catalogue.faults, "fault");
  add(catalogue.protocols, "protocol");
  add(catalogue.workloads, "workload");
  add(catalogue.programs, "switch program");
  for (const auto& oracle : catalogue.oracles) {
    if (note(oracle.name)) found.push_back(described(oracle));
  }
  return found;
}

}  // namespace

std::vector<Description> describe(const std::string& name, const Catalogue& catalogue, const std::string& command) {
  const std::string path = with_places_left_out(name);
  const auto same = [&](const std::string& known) { return known == path; };
  const auto ending = [&](const std::string& known) { return known.ends_with("." + path); };
  std::vector<std::string> known;
  auto found = declared(same, catalogue, known);
  if (!found.empty()) return found;
  // Metrics are known when racks are built, which takes a second.
  auto metrics = describe_metrics([&](const auto& metric) { return same(metric) || ending(metric); }, catalogue, known);
  const auto exact = std::find_if(metrics.begin(), metrics.end(), [&](const auto& one) { return same(one.name); });
  if (exact != metrics.end()) return {*exact};
  std::vector<std::string> again;
  found = declared(ending, catalogue, again);
  found.insert(found.end(), metrics.begin(), metrics.end());
  if (found.empty()) {
    throw InputError(command, "NAME", quote(name), "a path of --set, a metric, or the name of a fault or an oracle",
                     nearest_name(path, known));
  }
  return found;
}

std::string descriptions_text(const std::vector<Description>& descriptions) {
  std::string text;
  for (const Description& one : descriptions) {
    std::vector<std::vector<std::string>> lines{{"  kind", one.kind}};
    for (const auto& [heading, fact] : one.facts) lines.push_back({"  " + heading, fact});
    text += (text.empty() ? "" : "\n") + one.name + '\n' + in_columns(lines);
  }
  return text;
}

JsonValue descriptions_json(const std::vector<Description>& descriptions) {
  return array_of(descriptions, [](const Description& one) { return one.json; });
}

}  // namespace racksim::tools

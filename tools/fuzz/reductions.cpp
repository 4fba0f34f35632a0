// See reductions.hpp.
#include "tools/fuzz/reductions.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "tools/scenario/overrides.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

using sim::Parameter;
using Documents = std::vector<JsonValue>;

/// Values below `now`, the smallest first: an eighth, a quarter, a half, then careful steps.
std::vector<std::uint64_t> smaller(std::uint64_t now, std::uint64_t least) {
  std::set<std::uint64_t> values;
  for (const std::uint64_t value : {now / 8, now / 4, now / 2, now / 4 * 3, now / 10 * 9, now - 1}) {
    if (value >= least && value < now) values.insert(value);
  }
  return {values.begin(), values.end()};
}

const Parameter* find_parameter(const sim::Parameters& parameters, const std::string& name) {
  for (const auto& parameter : parameters.all()) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

std::uint64_t* integer(const BoundParameters& options, const char* name) {
  const auto* parameter = find_parameter(options.parameters, name);
  const auto* kind = parameter ? std::get_if<Parameter::Integer>(&parameter->kind) : nullptr;
  return kind ? kind->target : nullptr;
}

/// Removes a dotted path, and the objects that it leaves empty.
bool erase_dotted(JsonValue& object, const std::string& path) {
  const auto dot = path.find('.');
  if (dot == std::string::npos) return object.erase(path);
  auto* inner = object.find(path.substr(0, dot));
  if (!inner || !erase_dotted(*inner, path.substr(dot + 1))) return false;
  if (inner->members() && inner->members()->empty()) object.erase(path.substr(0, dot));
  return true;
}

Documents fewer_operations(const JsonValue& document, const Scenario& scenario) {
  Documents candidates;
  if (const auto operations = scenario.run.measure.operations) {
    for (const auto value : smaller(*operations, 1)) {
      candidates.push_back(document);
      candidates.back().set_dotted("run.measure", JsonValue::object()).set("operations", value);
    }
    return candidates;
  }
  for (const std::int64_t part : {8, 4, 2}) {
    const auto length = sim::Duration::from_ps(scenario.run.measure.time.ps() / part / 1000 * 1000);
    if (length.ps() <= 0) continue;
    candidates.push_back(document);
    candidates.back().set_dotted("run.measure", format_length(length));
  }
  return candidates;
}

Documents fewer_faults(const JsonValue& document, const Scenario&) {
  const auto* faults = document.find("faults");
  const std::size_t count = faults && faults->elements() ? faults->elements()->size() : 0;
  Documents candidates;
  const auto without = [&](std::size_t begin, std::size_t end) {
    candidates.push_back(document);
    for (std::size_t i = end; i > begin; --i) candidates.back().find("faults")->erase(i - 1);
  };
  if (count > 1) without(0, count);
  if (count > 3) without(0, count / 2), without(count / 2, count);
  for (std::size_t i = 0; i < count; ++i) without(i, i + 1);
  return candidates;
}

Documents fewer_nodes(const JsonValue& document, const Scenario& scenario) {
  const auto* nodes = integer(scenario.rack, "nodes");
  Documents candidates;
  if (!nodes) return candidates;
  for (const auto value : smaller(*nodes, 2)) {
    JsonValue candidate = document;
    candidate.set_dotted("rack.nodes", value);
    // Faults of nodes that are no more move to one that is left.
    auto* faults = candidate.find("faults");
    for (std::size_t i = 0; faults && faults->find(i); ++i) {
      auto* node = faults->find(i)->find("node");
      if (node && node->natural() && *node->natural() < *nodes) *node = *node->natural() % value;
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

Documents fewer_threads(const JsonValue& document, const Scenario& scenario) {
  const auto* threads = integer(scenario.workload, "threads");
  Documents candidates;
  if (!threads) return candidates;
  for (const auto value : smaller(*threads, 1)) {
    candidates.push_back(document);
    candidates.back().set_dotted("workload.threads", value);
  }
  return candidates;
}

/// The sections whose members are declared options, with the members that are not.
struct Section {
  std::string path;
  const BoundParameters& options;
  std::vector<std::string> kept;
};
std::vector<Section> sections(const Scenario& scenario) {
  std::vector<std::string> of_workload = {"kind", "threads"};
  for (const std::string_view option : scenario.workload.options->of_input()) of_workload.emplace_back(option);
  return {{"rack", scenario.rack, {"testbed", "nodes"}},
          {"protocol." + scenario.protocol.name, scenario.protocol, {}},
          {"workload", scenario.workload, std::move(of_workload)}};
}

Documents smaller_data(const JsonValue& document, const Scenario& scenario) {
  Documents candidates;
  for (const auto& section : sections(scenario)) {
    for (const auto& parameter : section.options.parameters.all()) {
      const auto* size = std::get_if<Parameter::Size>(&parameter.kind);
      const std::string path = section.path + "." + parameter.name;
      if (!size || !value_at_path(document, path)) continue;
      for (const std::uint64_t part : {16, 4, 2}) {
        if (*size->target / part < std::max<std::uint64_t>(size->min, 1)) continue;
        candidates.push_back(document);
        candidates.back().set_dotted(path, format_size(*size->target / part));
      }
    }
  }
  return candidates;
}

/// Options go back to their defaults, except sizes: a default may be as large as a paper's testbed.
Documents fewer_options(const JsonValue& document, const Scenario& scenario) {
  std::vector<std::string> paths;
  for (const auto& section : sections(scenario)) {
    for (const auto& parameter : section.options.parameters.all()) {
      const bool kept = std::find(section.kept.begin(), section.kept.end(), parameter.name) != section.kept.end() ||
                        std::holds_alternative<Parameter::Size>(parameter.kind);
      const std::string path = section.path + "." + parameter.name;
      if (!kept && value_at_path(document, path)) paths.push_back(path);
    }
  }
  for (const char* path :
       {"run.schedule.order", "run.schedule.jitter", "run.warmup", "run.execution", "run.idle_passes"}) {
    if (value_at_path(document, path)) paths.emplace_back(path);
  }
  for (const auto& [key, value] : *document.find("protocol")->members()) {
    if (key != "name" && key != scenario.protocol.name) paths.push_back("protocol." + key);
  }
  Documents candidates;
  const auto without = [&](std::size_t begin, std::size_t end) {
    candidates.push_back(document);
    for (std::size_t i = begin; i < end; ++i) erase_dotted(candidates.back(), paths[i]);
  };
  if (paths.size() > 1) without(0, paths.size());
  if (paths.size() > 3) without(0, paths.size() / 2), without(paths.size() / 2, paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) without(i, i + 1);
  return candidates;
}

/// Members of a fault that say where and when it is, not how bad: without them it would be larger.
bool narrows(const std::string& key) {
  return key == "kind" || key == "from" || key == "until" || key == "node" || key == "direction";
}

Documents simpler_faults(const JsonValue& document, const Scenario& scenario) {
  Documents candidates;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const JsonValue& fault = (*document.find("faults")->elements())[i];
    for (const auto& [key, value] : *fault.members()) {
      if (narrows(key)) continue;
      candidates.push_back(document);
      candidates.back().find("faults")->find(i)->erase(key);
    }
  }
  return candidates;
}

Documents shorter_faults(const JsonValue& document, const Scenario& scenario) {
  Documents candidates;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const auto length_of = [&](const char* name) -> const sim::Duration* {
      const auto* parameter = find_parameter(scenario.faults[i].parameters, name);
      const auto* length = parameter ? std::get_if<Parameter::Length>(&parameter->kind) : nullptr;
      return length ? length->target : nullptr;
    };
    const auto *from = length_of("from"), *until = length_of("until");
    // Windows of less than a microsecond are not worth the runs.
    if (!from || !until || !value_at_path((*document.find("faults")->elements())[i], "until")) continue;
    if (*until - *from < 2_us) continue;
    const auto middle = sim::Duration::from_ps((from->ps() + until->ps()) / 2 / 1000 * 1000);
    for (const char* end : {"until", "from"}) {
      candidates.push_back(document);
      candidates.back().find("faults")->find(i)->set(end, format_length(middle));
    }
  }
  return candidates;
}

}  // namespace

const std::vector<Reduction>& reductions() {
  static const std::vector<Reduction> all{fewer_operations, fewer_faults,  fewer_nodes,    fewer_threads,
                                          smaller_data,     fewer_options, simpler_faults, shorter_faults};
  return all;
}

}  // namespace racksim::tools

// Reading scenarios: the fixed keys here, everything else through the catalogue's declarations.
#include "tools/scenario/scenario.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include "models/rack/idle_path.hpp"
#include "p4model/language/program.hpp"
#include "sim/metrics/time_series.hpp"
#include "sim/options/option_error.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/file_kind.hpp"
#include "tools/scenario/overrides.hpp"
#include "tools/scenario/scenario_parts.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/printable.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

template <class Options>
BoundOptions<Options> make_options(const OptionsEntry<Options>& entry) {
  BoundOptions<Options> bound{{entry.name, {}}, nullptr};
  bound.options = entry.make(bound.parameters);
  return bound;
}

const JsonValue& require_member(const JsonValue& object, const JsonLocation& place, const std::string& key,
                                const std::string& expected) {
  const auto* value = object.find(key);
  if (!value) place.refuse("no " + quote(key), expected);
  return *value;
}

void check_version(const JsonValue& object, const JsonLocation& place) {
  const auto& version = require_member(object, place, "version", "\"version\": 1, the format of the file");
  if (version.natural() != 1)
    place.member("version").refuse(version.description(), "1, the format that this build reads");
}

/// The name of a document that gives itself none.
std::string name_from(const std::string& file) {
  return word_of(std::filesystem::path(file).stem().string());
}

/// Names stand in reports, and folders are called after them.
void check_name(const std::string& name, const JsonLocation& root) {
  if (is_path_of_words(name)) return;
  root.member("name").refuse("the string " + quote(name), fmt::format("{}, or several with \"/\" between them", kWord));
}

/// The catalogue entry that the member `key` names.
template <class Entry>
const Entry& require_entry(const JsonValue& object, const JsonLocation& place, const std::string& key,
                           const std::vector<Entry>& entries) {
  const auto names = names_of(entries);
  const auto& value = require_member(object, place, key, quote(key) + " with " + one_of(names));
  const auto& name = require_string(value, place.member(key), one_of(names));
  const auto* entry = find_entry(entries, name);
  if (!entry) place.member(key).refuse(value.description(), one_of(names), nearest_name(name, names));
  return *entry;
}

/// An object whose member "kind" names a component and whose other members are that component's options.
template <class Options>
BoundOptions<Options> read_kind(const JsonValue& value, const JsonLocation& place,
                                const std::vector<OptionsEntry<Options>>& entries) {
  require_object(value, place);
  const auto& entry = require_entry(value, place, "kind", entries);
  auto bound = make_options(entry);
  bind(value, place, bound.parameters, {{"kind"}, nullptr});
  return bound;
}

/// The options of all protocols are read, so that a mistake does not wait for the day its protocol is selected.
BoundOptions<models::ProtocolOptions> read_protocol(const JsonValue& value, const JsonLocation& place,
                                                    const Catalogue& catalogue) {
  require_object(value, place);
  auto rules = BindRules{names_of(catalogue.protocols), nullptr};
  rules.reserved.insert(rules.reserved.begin(), "name");
  bind(value, place, {}, rules);
  const auto& selected = require_entry(value, place, "name", catalogue.protocols);
  BoundOptions<models::ProtocolOptions> result;
  for (const auto& entry : catalogue.protocols) {
    auto bound = make_options(entry);
    if (const auto* options = value.find(entry.name)) bind(*options, place.member(entry.name), bound.parameters);
    if (&entry == &selected) result = std::move(bound);
  }
  return result;
}

/// The testbed's round-trip time holds for its own link, switch and NIC. With others it is as much longer as a message and
/// its answer then take, unless the scenario gives it.
void move_rtt(Scenario& scenario, const JsonValue& value, const models::RackOptions& of_testbed) {
  models::RackOptions& rack = *scenario.rack.options;
  if (value.find("rtt") != nullptr) return;
  sim::Duration longer = idle_round_trip_beside_switch(rack) - idle_round_trip_beside_switch(of_testbed);
  if (value.find("switch") != nullptr) {
    try {
      longer = idle_round_trip(rack) - idle_round_trip(of_testbed);
    } catch (const p4::ProgramError&) {  // no room for any program: the run will say so
    }
  }
  if (longer == sim::Duration{}) return;
  rack.rtt = std::max(rack.rtt + longer, sim::Duration::from_ps(1'000));
  std::erase_if(scenario.annotations, [](const Annotation& annotation) { return annotation.name == "rtt"; });
}

/// Whether `rack.roles` is "protocol".
bool leaves_roles_to_protocol(const JsonValue& rack, const JsonLocation& place) {
  const JsonValue* roles = rack.find("roles");
  if (roles == nullptr || roles->is_object()) return false;
  const std::string* word = roles->string();
  if (word == nullptr || *word != "protocol") {
    place.member("roles").refuse(roles->description(), "an object of roles, or \"protocol\"");
  }
  return true;
}

void read_rack(Scenario& scenario, const JsonValue& value, const JsonLocation& place, const Catalogue& catalogue,
               const TestbedSource& testbeds) {
  require_object(value, place);
  const auto named = place.member("testbed");
  scenario.testbed = require_string(require_member(value, place, "testbed", "\"testbed\" with the name of a testbed"),
                                    named, "the name of a testbed");
  auto testbed = testbeds(named, scenario.testbed, catalogue);
  scenario.rack = std::move(testbed.rack);
  scenario.annotations = std::move(testbed.annotations);
  scenario.files = std::move(testbed.files);
  const models::RackOptions of_testbed = *scenario.rack.options;
  std::vector<std::string> read_here{"testbed"};
  if (leaves_roles_to_protocol(value, place)) read_here.emplace_back("roles");
  bind(value, place, scenario.rack.parameters, {std::move(read_here), &scenario.annotations});
  move_rtt(scenario, value, of_testbed);
}

/// Puts memory servers where the protocol wants them: from then on it is as if the scenario had said so.
void give_roles(Scenario& scenario, const JsonLocation& place) {
  models::RackOptions& rack = *scenario.rack.options;
  const models::RackOptions given = rack;
  const std::uint64_t computing = std::min(given.roles.compute.value_or(given.nodes), given.nodes);
  rack.place_beside_compute_nodes(scenario.protocol.options->memory_servers_beside(computing));
  if (rack.nodes > models::kMostNodes) {
    place.refuse(fmt::format("{} servers: {} that compute, and the memory servers that the protocol wants beside them",
                             rack.nodes, computing),
                 fmt::format("at most {}", models::kMostNodes));
  }
  std::erase_if(scenario.annotations, [&](const Annotation& annotation) {
    return annotation.name.starts_with("roles.") || (annotation.name == "nodes" && rack.nodes != given.nodes);
  });
}

/// Whichever file gave them, they are listed alike.
void order_as_declared(std::vector<Annotation>& annotations, const sim::Parameters& parameters) {
  std::vector<Annotation> ordered;
  for (const auto& parameter : parameters.all()) {
    const auto found = std::find_if(annotations.begin(), annotations.end(),
                                    [&](const Annotation& annotation) { return annotation.name == parameter.name; });
    if (found != annotations.end()) ordered.push_back(std::move(*found));
  }
  annotations = std::move(ordered);
}

/// There must be something to measure.
void check_window(const RunPlan& run, const JsonLocation& place) {
  if (!run.measure.operations && run.measure.time == sim::Duration{}) {
    place.member("measure").refuse(format_length(run.measure.time), "a length above 0, or {\"operations\": N}");
  }
  if (!run.warmup.operations && run.time_limit <= run.warmup.time) {
    place.member("time_limit")
        .refuse(format_length(run.time_limit),
                "more than the warm-up of " + format_length(run.warmup.time) + ", or nothing is measured");
  }
}

/// A series of a run whose length is known must not have more intervals than a series can have.
void check_series_interval(const RunPlan& run, sim::Duration interval, const JsonLocation& place) {
  if (run.warmup.operations || run.measure.operations) return;
  const sim::Duration length = std::min(run.warmup.time + run.measure.time, run.time_limit);
  const sim::Duration least = length / static_cast<std::int64_t>(sim::TimeSeries::kMaxIntervals);
  if (interval >= least) return;
  place.refuse(format_length(interval),
               fmt::format("at least {} for a run of {}", format_length(least), format_length(length)));
}

void check_observation(const Scenario& scenario, const JsonLocation& place) {
  Observation observe = scenario.observe;
  if (observe.trace_from > observe.trace_until) {
    place.member("trace_from")
        .refuse(format_length(observe.trace_from), "at most \"trace_until\", " + format_length(observe.trace_until));
  }
  if (observe.series_interval != sim::Duration{}) {
    check_series_interval(scenario.run, observe.series_interval, place.member("series_interval"));
  }
  if (!observe.series.file.empty()) {
    check_series_interval(scenario.run, observe.series.interval, place.member("series").member("interval"));
  }
  std::map<std::filesystem::path, std::string> named;
  for (const auto& [member, file] : observe.files()) {
    if (file->empty()) continue;
    const auto [other, first] = named.emplace(std::filesystem::path(*file).lexically_normal(), member);
    if (first) continue;
    throw InputError(place.file, place.pointer + '/' + member, quote(*file),
                     "another file than that of \"" + other->second + '"');
  }
}

/// The workload's input lies in the folder of the scenario, or where `find_scenario_file` says.
void find_input(std::string& path, Scenario& scenario, const JsonLocation& place) {
  try {
    path = find_named_file(path, scenario.file);
  } catch (const InputError& error) {
    place.refuse(quote(path), "an existing file, from the scenario's folder or the current one", error.nearest());
  }
  check_printable(path, place);
  note_input(path);
  scenario.files.push_back(path);
}

Scenario bind_scenario(const JsonValue& document, const std::string& file, const Catalogue& catalogue,
                       const TestbedSource& testbeds) {
  const JsonLocation root{file, ""};
  require_object(document, root);
  refuse_other_kind(document, root, catalogue, "scenario", "protocol");
  Scenario scenario;
  scenario.file = file;
  scenario.name = name_from(file);
  std::string schema;
  sim::Parameters own;
  own.text("$schema", schema, "The JSON Schema that an editor may use.");
  own.text("name", scenario.name, "What the run is called in reports.");
  own.text("doc", scenario.doc, "What the scenario is there for.");
  own.integer("seed", scenario.seed, 0, std::numeric_limits<std::uint64_t>::max(), "Seed of all random streams.");
  bind(document, root, own,
       {{"version", "rack", "protocol", "workload", "run", "faults", "check", "observe", "expect", "fuzz"}, nullptr});
  check_name(scenario.name, root);
  check_version(document, root);
  read_rack(scenario, require_member(document, root, "rack", "\"rack\" with the name of a testbed"),
            root.member("rack"), catalogue, testbeds);
  scenario.protocol = read_protocol(require_member(document, root, "protocol", "\"protocol\" with a \"name\""),
                                    root.member("protocol"), catalogue);
  if (const auto rack = root.member("rack"); leaves_roles_to_protocol(*document.find("rack"), rack)) {
    give_roles(scenario, rack.member("roles"));
  }
  scenario.workload = read_kind(require_member(document, root, "workload", "\"workload\" with a \"kind\""),
                                root.member("workload"), catalogue.workloads);
  if (auto* input = scenario.workload.options->input_file(); input && !input->empty()) {
    find_input(*input, scenario, root.member("workload").member("file"));
  }
  try {
    scenario.workload.options->check();
  } catch (const sim::OptionError& error) {
    const auto& [word, names] = error.unknown_name();
    root.member("workload").member(error.option()).refuse(error.found(), error.expected(), nearest_name(word, names));
  }
  if (const auto* run = document.find("run")) scenario.run = read_run_plan(*run, root.member("run"));
  if (const auto* faults = document.find("faults")) {
    const auto place = root.member("faults");
    if (!faults->is_array()) place.refuse(faults->description(), "an array of objects with a \"kind\" each");
    for (std::size_t i = 0; i < faults->elements()->size(); ++i) {
      scenario.faults.push_back(read_kind((*faults->elements())[i], place.element(i), catalogue.faults));
    }
  }
  scenario.checks = read_checks(document.find("check"), root.member("check"), promised_oracles(scenario),
                                catalogue.oracles, scenario.history);
  if (const auto* observe = document.find("observe")) {
    scenario.observe = read_observation(*observe, root.member("observe"));
  }
  if (const auto* expect = document.find("expect")) {
    scenario.expect = read_expectations(*expect, root.member("expect"), catalogue.oracles);
  }
  if (const auto* fuzz = document.find("fuzz")) scenario.fuzz = read_fuzz_guide(*fuzz, root.member("fuzz"));
  check_window(scenario.run, root.member("run"));
  check_observation(scenario, root.member("observe"));
  return scenario;
}

}  // namespace

std::vector<std::string> promised_oracles(const Scenario& scenario) {
  auto promised = models::all_promises(*scenario.protocol.options, *scenario.rack.options);
  const std::uint64_t block_bytes = scenario.protocol.options->state_size(scenario.rack.options->nodes).block_bytes;
  for (auto& name : scenario.workload.options->oracles(block_bytes)) promised.push_back(std::move(name));
  return promised;
}

Scenario read_scenario(JsonValue document, const std::string& file, const Catalogue& catalogue,
                       const std::vector<std::string>& overrides, const TestbedSource& testbeds) {
  expand_rack(document);  // overrides need the long form
  std::vector<Override> applied;
  for (const auto& text : overrides) {
    applied.push_back(parse_override(text));
    apply_override(document, applied.back());
    expand_rack(document);
  }
  try {
    return bind_scenario(document, file, catalogue, testbeds);
  } catch (const InputError& error) {
    // The last override that touched the place is to blame, if any did.
    for (auto override_ = applied.rbegin(); override_ != applied.rend(); ++override_) {
      if (error.file() != file || !concerns(*override_, error.pointer())) continue;
      throw InputError("--set " + override_->text, error.pointer(), error.found(), error.expected(), error.nearest());
    }
    throw;
  }
}

Scenario load_scenario(const std::string& path, const Catalogue& catalogue, const std::vector<std::string>& overrides) {
  const Composition composition(find_scenario_file(path));
  Scenario scenario = composition.read([&](const JsonValue& document, const std::string& file) {
    return read_scenario(document, file, catalogue, overrides);
  });
  scenario.files.insert(scenario.files.begin(), composition.files().begin(), composition.files().end());
  return scenario;
}

bool is_testbed_part(const JsonValue& document) {
  return document.find("nodes") == nullptr;
}

Testbed load_testbed(const std::string& file, const Catalogue& catalogue) {
  const Composition composition(file);
  Testbed testbed = composition.read(
      [&](const JsonValue& document, const std::string& name) { return read_testbed(document, name, catalogue); });
  testbed.files = composition.files();
  return testbed;
}

Testbed read_testbed(const JsonValue& document, const std::string& file, const Catalogue& catalogue) {
  const JsonLocation root{file, ""};
  require_object(document, root);
  if (!is_testbed_part(document) || document.find("version")) check_version(document, root);
  Testbed testbed;
  testbed.name = name_from(file);
  if (const auto* name = document.find("name")) testbed.name = require_string(*name, root.member("name"), "a string");
  check_name(testbed.name, root);
  if (const auto* doc = document.find("doc")) testbed.doc = require_string(*doc, root.member("doc"), "a string");
  if (const auto* schema = document.find("$schema")) require_string(*schema, root.member("$schema"), "a string");
  testbed.rack = make_options(catalogue.rack);
  bind(document, root, testbed.rack.parameters, {{"$schema", "version", "name", "doc"}, &testbed.annotations});
  order_as_declared(testbed.annotations, testbed.rack.parameters);
  return testbed;
}

}  // namespace racksim::tools

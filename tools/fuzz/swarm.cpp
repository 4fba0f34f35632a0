// Derivation of scenarios. See swarm.hpp.
#include "tools/fuzz/swarm.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "models/faults/fault_menu.hpp"
#include "models/service/protocol.hpp"
#include "sim/random/random.hpp"
#include "tools/files/data_files.hpp"
#include "tools/fuzz/drawn_faults.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/overrides.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

using sim::Duration;
using sim::Parameter;
using sim::RandomStream;

// Short runs find more in the same time: most races need few operations, on few blocks, under the right perturbation.
constexpr std::uint64_t kMostOperations = 1500;
/// The end of so wide a range is a limit, not a value that half of the runs should have.
constexpr std::uint64_t kWideRange = 8;
/// About how long an operation of one session takes when blocks are contended and packets lost; for placing faults.
constexpr Duration kOperation = 12_us;

/// How large a time or a count is, for comparisons with others of the same parameter.
std::int64_t magnitude(const Parameter::Value& value) {
  if (const auto* length = std::get_if<Duration>(&value)) return length->ps();
  const auto* number = std::get_if<std::uint64_t>(&value);
  return number ? static_cast<std::int64_t>(*number) : 0;
}

/// The time or count that a parameter has.
Parameter::Value present(const Parameter& parameter) {
  if (const auto* length = std::get_if<Parameter::Length>(&parameter.kind)) return *length->target;
  return *std::get<Parameter::Integer>(parameter.kind).target;
}

/// "protocol.flowcc.cache" as a JSON pointer.
std::string pointer_to(std::string path) {
  std::replace(path.begin(), path.end(), '.', '/');
  return "/" + path;
}

bool is_set(const std::vector<std::string>& overrides, const std::string& path) {
  return std::any_of(overrides.begin(), overrides.end(),
                     [&](const std::string& text) { return concerns(parse_override(text), pointer_to(path)); });
}

/// The whole number that a derived document gives, or else the template in effect.
std::uint64_t number_in(const JsonValue& document, const char* part, const BoundParameters& options, const char* name) {
  const auto* object = document.find(part);
  const auto* value = object ? object->find(name) : nullptr;
  if (value && value->natural()) return *value->natural();
  for (const auto& parameter : options.parameters.all()) {
    const auto* integer = std::get_if<Parameter::Integer>(&parameter.kind);
    if (integer && parameter.name == name) return *integer->target;
  }
  return 1;
}

/// Whether a fault of the scenario takes a machine away that does not come back.
bool stays_down(const JsonValue& document) {
  const auto& faults = *document.find("faults")->elements();
  return std::any_of(faults.begin(), faults.end(), [](const JsonValue& fault) {
    const auto* flag = fault.find("stays_down");
    return flag && flag->boolean() && *flag->boolean();
  });
}

JsonValue template_document(JsonValue document, const std::string& file, const std::vector<std::string>& overrides) {
  expand_rack(document);
  for (const auto& text : overrides) {
    apply_override(document, parse_override(text));
    expand_rack(document);
  }
  pin_files(document, file);
  for (const char* key : {"$schema", "doc", "expect", "observe", "fuzz"}) document.erase(key);
  return document;
}

/// All values in effect of what a template has, at their paths.
JsonValue parameters_of(const Scenario& scenario) {
  auto values = JsonValue::object();
  values.set("rack", values_in_effect(scenario.rack.parameters));
  values.set_dotted("protocol." + scenario.protocol.name, values_in_effect(scenario.protocol.parameters));
  values.set("workload", values_in_effect(scenario.workload.parameters));
  return values;
}

}  // namespace

Swarm::Swarm(JsonValue document, std::string file, const Catalogue& catalogue,
             const std::vector<std::string>& overrides, std::uint64_t seed)
    : catalogue_(&catalogue),
      file_(std::move(file)),
      seed_(seed),
      original_(read_scenario(document, file_, catalogue, overrides)) {
  keep_expectations(document);
  document_ = template_document(std::move(document), file_, overrides);
  tell_roles();
  const auto vary = [&](const std::string& prefix, const auto& component, const BoundParameters& options) {
    sim::Parameters defaults;
    const auto owner = component.make(defaults);  // which the declarations point into
    add_knobs(prefix, defaults, options, overrides);
  };
  vary("rack", catalogue.rack, original_.rack);
  vary("protocol." + original_.protocol.name, *find_entry(catalogue.protocols, original_.protocol.name),
       original_.protocol);
  vary("workload", *find_entry(catalogue.workloads, original_.workload.name), original_.workload);
  add_drawn_by_template(overrides);
  vary_faults_ = !is_set(overrides, "faults");
  vary_schedule_ = !is_set(overrides, "run.schedule");
  vary_length_ = !is_set(overrides, "run.measure");
  const bool checked =
      std::any_of(original_.checks.begin(), original_.checks.end(), [](const OracleSwitch& check) { return check.on; });
  if (!checked) document_.set("check", JsonValue::object()).set("all", true);
}

// What is drawn are the servers of the whole rack: roles that are the protocol's are told.
void Swarm::tell_roles() {
  JsonValue* rack = document_.find("rack");
  const JsonValue* roles = rack->find("roles");
  if (roles == nullptr || roles->is_object()) return;
  const JsonValue values = values_in_effect(original_.rack.parameters);
  for (const char* told : {"nodes", "roles"}) rack->set(told, *values.find(told));
}

void Swarm::keep_expectations(const JsonValue& document) {
  const auto* expect = document.find("expect");
  // What is expected of the metrics of a run that fails is nothing to go by.
  if (!expect || original_.expect.pass == false) return;
  for (const auto& [key, value] : *expect->members()) {
    if (key != "verdict" && key != "baseline") expect_.set(key, value);
  }
}

void Swarm::add_knobs(const std::string& prefix, const sim::Parameters& defaults, const BoundParameters& options,
                      const std::vector<std::string>& overrides) {
  for (std::size_t i = 0; i < options.parameters.all().size(); ++i) {
    const Parameter& parameter = options.parameters.all()[i];
    Knob knob;
    knob.path = prefix + "." + parameter.name;
    if (is_set(overrides, knob.path)) continue;
    if (original_.fuzz.draw_of(knob.path) || original_.fuzz.leave_of(knob.path)) continue;
    std::int64_t least_calm = 0, least_without_strain = 0;
    if (parameter.timeout) {
      const Parameter::Value own = present(parameter), usual = present(defaults.all()[i]);
      least_calm = magnitude(usual);
      least_without_strain = magnitude(own);
      if (magnitude(own) < least_calm) knob.calm_value = written(parameter, usual);
    }
    std::uint64_t largest = 0;
    for (const auto& value : parameter.varied) {
      const auto among = [&](const std::optional<std::vector<Parameter::Value>>& values) {
        return !values || std::find(values->begin(), values->end(), value) != values->end();
      };
      const bool moderate = among(parameter.moderate);
      const bool patient = moderate && magnitude(value) >= least_calm;
      knob.choices.push_back({written(parameter, value), patient && among(parameter.effective), patient,
                              !moderate || magnitude(value) < least_without_strain});
      if (const auto* number = std::get_if<std::uint64_t>(&value)) largest = std::max(largest, *number);
    }
    const auto* size = std::get_if<Parameter::Size>(&parameter.kind);
    knob.always = size && !knob.choices.empty() && *size->target > largest;
    if (parameter.varied_from) {
      knob.least = *parameter.varied_from;
      knob.most = *std::get<Parameter::Integer>(parameter.kind).target;
      knob.calm = !parameter.moderate;
      if (knob.least >= knob.most) continue;
      knob.always = knob.most - knob.least >= kWideRange;
      // Of so many draws nearly all would have fewer servers than roles need.
      const models::RoleOptions& roles = original_.rack.options->roles;
      if (knob.always && knob.path == "rack.nodes") {
        knob.least = std::max({knob.least, roles.compute.value_or(0), roles.memory.value_or(0)});
      }
    }
    if (!knob.choices.empty() || parameter.varied_from || knob.calm_value) knobs_.push_back(std::move(knob));
  }
}

// What the template says of its parameters must be of parameters that it has, and of values that it may have.
void Swarm::add_drawn_by_template(const std::vector<std::string>& overrides) {
  const JsonLocation place = JsonLocation{file_, ""}.member("fuzz");
  const JsonValue given = parameters_of(original_);
  const auto check = [&](const JsonLocation& where, const std::string& path) {
    if (!value_at_path(given, path)) {
      where.member(path).refuse(quote(path), "the dotted path of a parameter of rack, protocol or workload");
    }
  };
  for (const auto& [path, why] : original_.fuzz.leave) check(place.member("leave"), path);
  for (const auto& [path, values] : original_.fuzz.draw) {
    check(place.member("draw"), path);
    Knob knob;
    knob.path = path;
    for (const JsonValue& value : values) {
      JsonValue document = document_;
      document.set_dotted(path, value);
      try {
        read_scenario(std::move(document), file_, *catalogue_);
      } catch (const InputError& error) {
        place.member("draw").member(path).refuse(error.found(), error.expected(), error.nearest());
      }
      knob.choices.push_back({.value = value});
    }
    if (!is_set(overrides, path)) knobs_.push_back(std::move(knob));
  }
}

std::vector<std::string> Swarm::varied() const {
  std::vector<std::string> paths;
  for (const auto& knob : knobs_) paths.push_back(knob.path);
  return paths;
}

std::vector<std::string> Swarm::fault_kinds() const {
  std::vector<std::string> kinds;
  if (vary_faults_) kinds = tolerated_by(document_);
  for (const auto& fault : original_.faults) kinds.push_back(fault.name);
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

std::vector<std::string> Swarm::draws() const {
  std::vector<std::string> names = varied();
  for (const std::string& kind : fault_kinds()) names.push_back("fault " + kind);
  return names;
}

std::vector<std::uint64_t> Swarm::drawn_in(const JsonValue& derived) const {
  std::vector<std::uint64_t> drawn;
  for (std::size_t i = 0; i < knobs_.size(); ++i) {
    const JsonValue* now = value_at_path(derived, knobs_[i].path);
    const JsonValue* before = value_at_path(document_, knobs_[i].path);
    if (now != nullptr && (before == nullptr || to_canonical_json(*now) != to_canonical_json(*before))) {
      drawn.push_back(i);
    }
  }
  const std::vector<std::string> kinds = fault_kinds();
  const JsonValue* faults = derived.find("faults");
  for (std::size_t i = 0; i < kinds.size() && faults != nullptr; ++i) {
    const auto& all = *faults->elements();
    const bool there = std::any_of(all.begin(), all.end(),
                                   [&](const JsonValue& fault) { return *fault.find("kind")->string() == kinds[i]; });
    if (there) drawn.push_back(knobs_.size() + i);
  }
  return drawn;
}

JsonValue Swarm::derive(std::uint64_t index, std::uint64_t redraw) const {
  JsonValue document = document_;
  std::string stream = fmt::format("fuzz/run{}", index);
  if (redraw > 0) stream += fmt::format("/redraw{}", redraw);
  RandomStream own(seed_, stream);
  document.set("name", fmt::format("{}-{}-{}", original_.name, seed_, index));
  document.set("seed", own.below(1'000'000'000));
  const double density = std::array{0.2, 0.5, 0.8}[own.below(3)];
  const Manner manner = manner_of(stream);
  bool strained = set_knobs(document, stream, density, manner);
  if (vary_schedule_) strained |= set_schedule(document, stream, manner);
  const std::uint64_t operations = set_length(document, stream, manner);
  if (manner == Manner::calm) {
    document.set("faults", JsonValue::array());
    if (!expect_.members()->empty()) document.set("expect", expect_);
  } else if (vary_faults_) {
    set_faults(document, stream, operations);
  }
  if (strained) document.set_dotted("run.expect_timeouts", true);
  if (manner == Manner::patient) give_time(document);
  return document;
}

// A patient run waits for its timeouts, which may be much longer than the template's: what was lost last is noticed
// after the longest of them, and may then wait for something else that was lost. Whoever asks a machine that stays down
// gives up after some twenty, though hardly of a timeout as long as that of reports; faults have no longer
// after-effects for that, but for what the template says. Without such a machine nobody has so much time, or who is
// never answered would give up in the end.
void Swarm::give_time(JsonValue& document) const {
  const Duration timeout = longest_timeout(document);
  const Duration settling = std::max({original_.run.drain, original_.run.settling, timeout * 3});
  Duration drain = settling;
  if (stays_down(document)) drain = std::max(settling, std::min(timeout * 25, Duration::from_ps(500'000'000'000)));
  document.set_dotted("run.settling", format_length(settling));
  document.set_dotted("run.drain", format_length(drain));
  document.set_dotted("run.stall", format_length(std::max(original_.run.stall, drain)));
  document.set_dotted("run.time_limit", format_length(original_.run.time_limit + drain));
}

// Of a derived scenario, whose timeouts may have been drawn, or of the template if it fits no rack: it is refused then.
sim::Duration Swarm::longest_timeout(const JsonValue& document) const {
  const auto of = [](const Scenario& scenario) {
    const auto& rack = *scenario.rack.options;
    return std::max(scenario.protocol.options->longest_timeout(rack), rack.nic.rc_retransmission_timeout);
  };
  try {
    return of(read_scenario(document, file_, *catalogue_));
  } catch (const InputError&) {
    return of(original_);
  }
}

// What the template tolerates, unless the options that a derived scenario has drawn do not.
std::vector<std::string> Swarm::tolerated_by(const JsonValue& document) const {
  std::vector<std::string> kinds;
  for (const auto& protocol : models::protocols()) {
    if (protocol.name == original_.protocol.name) kinds = protocol.tolerates;
  }
  std::vector<std::string> more = original_.protocol.options->also_tolerates();
  if (more.empty()) return kinds;
  try {
    const auto kept = read_scenario(document, file_, *catalogue_).protocol.options->also_tolerates();
    std::erase_if(more,
                  [&](const std::string& kind) { return std::find(kept.begin(), kept.end(), kind) == kept.end(); });
  } catch (const InputError&) {
    // It fits no rack, and is refused.
  }
  kinds.insert(kinds.end(), more.begin(), more.end());
  return kinds;
}

Swarm::Manner Swarm::manner_of(const std::string& stream) const {
  const bool faults_given = !vary_faults_ && !original_.faults.empty();  // by the command line
  if (!faults_given && RandomStream(seed_, stream + "/calm").chance(0.5)) return Manner::calm;
  return RandomStream(seed_, stream + "/patient").chance(0.5) ? Manner::patient : Manner::hurried;
}

bool Swarm::set_knobs(JsonValue& document, const std::string& stream, double density, Manner manner) const {
  const bool hurried = manner == Manner::hurried;
  bool strained = false;
  for (const Knob& knob : knobs_) {
    if (!hurried && knob.calm_value) document.set_dotted(knob.path, *knob.calm_value);
    RandomStream draws(seed_, stream + "/" + knob.path);
    if (!draws.chance(density) && !knob.always) {
      strained |= hurried && knob.calm_value.has_value();  // the template's own timeout is shorter than the default
      continue;
    }
    if (knob.most > knob.least) {
      if (!hurried && !knob.calm) continue;
      const std::uint64_t drawn = knob.least + draws.below(knob.most - knob.least + 1);
      document.set_dotted(knob.path, drawn);
      strained |= !knob.calm && drawn < knob.most;
      continue;
    }
    std::vector<const Choice*> choices;
    for (const Choice& choice : knob.choices) {
      if (hurried || (manner == Manner::calm ? choice.calm : choice.patient)) choices.push_back(&choice);
    }
    if (choices.empty()) continue;
    const Choice& chosen = *choices[draws.below(choices.size())];
    document.set_dotted(knob.path, chosen.value);
    strained |= chosen.strains && hurried;
  }
  return strained;
}

// The template's, but for those that are tolerated by its options and not by what a derived scenario has drawn.
JsonValue Swarm::own_faults(const JsonValue& document, const std::vector<std::string>& tolerated) const {
  const std::vector<std::string> by_options = original_.protocol.options->also_tolerates();
  const auto among = [](const std::vector<std::string>& kinds, const JsonValue& fault) {
    return std::find(kinds.begin(), kinds.end(), *fault.find("kind")->string()) != kinds.end();
  };
  JsonValue faults = JsonValue::array();
  for (const JsonValue& fault : *document.find("faults")->elements()) {
    if (!among(by_options, fault) || among(tolerated, fault)) faults.push(fault);
  }
  return faults;
}

void Swarm::set_faults(JsonValue& document, const std::string& stream, std::uint64_t operations) const {
  const std::uint64_t nodes = number_in(document, "rack", original_.rack, "nodes");
  const std::uint64_t sessions = nodes * number_in(document, "workload", original_.workload, "threads");
  RandomStream draws(seed_, stream + "/faults");
  const bool templates_own = !original_.faults.empty() && draws.chance(0.5);
  const std::vector<std::string> tolerated = tolerated_by(document);
  JsonValue faults = templates_own ? own_faults(document, tolerated) : JsonValue::array();
  if (!tolerated.empty() && draws.chance(0.8)) {
    const models::FaultScene scene{nodes,
                                   kOperation * static_cast<std::int64_t>(operations / sessions + 1),
                                   longest_timeout(document),
                                   std::min(nodes, original_.rack.options->roles.compute.value_or(nodes)),
                                   original_.protocol.options->needs_all_back(),
                                   original_.rack.options->topology.link_names(),
                                   original_.rack.options->topology.switch_names()};
    const JsonValue drawn = faults_array(models::draw_faults(draws, scene, tolerated));
    for (const auto& fault : *drawn.elements()) faults.push(fault);
  }
  document.set("faults", std::move(faults));
}

bool Swarm::set_schedule(JsonValue& document, const std::string& stream, Manner manner) const {
  RandomStream draws(seed_, stream + "/schedule");
  const std::uint64_t shuffle = draws.below(1000);
  const std::array orders{std::string("fifo"), std::string("lifo"), fmt::format("shuffle:{}", shuffle)};
  document.set_dotted("run.schedule.order", orders[draws.below(orders.size())]);
  // The last makes a path of several wires longer than some timeouts.
  const std::array jitters{"0s", "0s", "5ns", "200ns", "2us"};
  const std::size_t drawn = draws.below(jitters.size() - (manner == Manner::hurried ? 0 : 1));
  document.set_dotted("run.schedule.jitter", jitters[drawn]);
  return drawn + 1 == jitters.size();
}

// A short measured phase without warm-up, and limits on what comes after it unless the template has its own. A calm one
// is as long as the template's, which what the template expects of metrics is meant for.
std::uint64_t Swarm::set_length(JsonValue& document, const std::string& stream, Manner manner) const {
  RandomStream draws(seed_, stream + "/length");
  const std::uint64_t most =
      std::max<std::uint64_t>(1, std::min(original_.run.measure.operations.value_or(kMostOperations), kMostOperations));
  const std::uint64_t drawn = std::max<std::uint64_t>(1, manner == Manner::calm ? most : most >> draws.below(3));
  if (vary_length_) document.set_dotted("run.measure", JsonValue::object()).set("operations", drawn);
  auto* run = document.find("run");
  if (!run) run = &document.set("run", JsonValue::object());
  for (const char* key : {"warmup", "execution", "idle_passes"}) run->erase(key);
  for (const auto& [key, limit] : {std::pair{"drain", "10ms"}, std::pair{"stall", "10ms"}}) {
    if (!run->find(key)) run->set(key, limit);
  }
  return vary_length_ ? drawn : most;
}

Swarm load_swarm(const std::string& file, const Catalogue& catalogue, const std::vector<std::string>& overrides,
                 std::uint64_t seed) {
  return Composition(find_scenario_file(file)).read([&](const JsonValue& document, const std::string& path) {
    return Swarm(document, path, catalogue, overrides, seed);
  });
}

std::vector<Swarm> load_swarms(const std::vector<std::string>& files, const Catalogue& catalogue,
                               const std::vector<std::string>& overrides, std::uint64_t seed) {
  std::vector<Swarm> swarms;
  for (const std::string& file : files) {
    swarms.push_back(load_swarm(file, catalogue, overrides, seed));
    const std::string &first = swarms.front().original().protocol.name, &name = swarms.back().original().protocol.name;
    if (name != first) {
      throw InputError(swarms.back().file(), "/protocol/name", quote(name),
                       "the protocol of the first template, " + quote(first));
    }
  }
  return swarms;
}

}  // namespace racksim::tools

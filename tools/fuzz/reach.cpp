// Campaigns, and what the scenarios of their runs had. See reach.hpp.
#include "tools/fuzz/reach.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/scenario/overrides.hpp"

namespace racksim::tools {
namespace {

using sim::Parameter;

/// For the order of a parameter's values.
double magnitude(const Parameter& parameter) {
  if (const auto* length = std::get_if<Parameter::Length>(&parameter.kind)) return length->target->ns();
  if (const auto* rate = std::get_if<Parameter::Rate>(&parameter.kind)) return static_cast<double>(*rate->target);
  if (const auto* size = std::get_if<Parameter::Size>(&parameter.kind)) return static_cast<double>(*size->target);
  if (const auto* number = std::get_if<Parameter::Integer>(&parameter.kind)) {
    return static_cast<double>(*number->target);
  }
  if (const auto* number = std::get_if<Parameter::OptionalInteger>(&parameter.kind)) {
    return number->target->has_value() ? static_cast<double>(**number->target) : -1;
  }
  if (const auto* real = std::get_if<Parameter::Real>(&parameter.kind)) return *real->target;
  return 0;
}

/// The values that a parameter may have, as far as they can be counted: of flags and choices all, of others those that
/// its declaration or the template names.
std::vector<JsonValue> values_of(const Parameter& parameter, const FuzzGuide::Draw* draw) {
  std::vector<JsonValue> values;
  if (std::holds_alternative<Parameter::Flag>(parameter.kind)) values = {true, false};
  if (const auto* choice = std::get_if<Parameter::Choice>(&parameter.kind)) {
    for (const auto& [name, member] : choice->names) values.emplace_back(name);
  }
  const auto add = [&](JsonValue value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
  };
  for (const auto& value : parameter.varied) add(written(parameter, value));
  for (const auto& unsafe : parameter.unsafe) add(unsafe.null ? JsonValue() : written(parameter, unsafe.value));
  if (draw) {
    for (const auto& value : draw->values) add(value);
  }
  return values;
}

/// Why a template's runs may not have a value of a parameter; `value` null: any but the one that they have.
class Reasons {
 public:
  Reasons(const Swarm& swarm, const std::vector<std::string>& overrides)
      : guide_(swarm.original().fuzz), overrides_(overrides) {}

  const FuzzGuide::Draw* draw_of(const std::string& path) const { return guide_.draw_of(path); }

  std::string of(const Parameter& parameter, const std::string& path, const JsonValue* value) const {
    if (const auto* leave = guide_.leave_of(path)) return leave->why;
    const bool given = std::any_of(overrides_.begin(), overrides_.end(), [&](const std::string& text) {
      std::string pointer = "/" + path;
      std::replace(pointer.begin(), pointer.end(), '.', '/');
      return concerns(parse_override(text), pointer);
    });
    if (given) return "--set gives another";
    constexpr const char* kChance = "may be drawn, and was not in so few runs";
    if (value) {
      for (const auto& unsafe : parameter.unsafe) {
        if ((unsafe.null ? JsonValue() : written(parameter, unsafe.value)) == *value) {
          return fmt::format("turns a mechanism off: {}", unsafe.breaks);
        }
      }
      if (const auto* draw = guide_.draw_of(path)) {
        const bool among = std::find(draw->values.begin(), draw->values.end(), *value) != draw->values.end();
        return among ? kChance : "the template draws from others";
      }
      const bool among = std::any_of(parameter.varied.begin(), parameter.varied.end(),
                                     [&](const auto& varied) { return written(parameter, varied) == *value; });
      if (among) return kChance;
    }
    if (parameter.varied_from) return "the template has the least that may be drawn";
    return parameter.varied.empty() ? "its declaration names nothing that is safe to vary"
                                    : "its declaration does not name it as safe to vary";
  }

 private:
  const FuzzGuide& guide_;
  const std::vector<std::string>& overrides_;
};

class Tally {
 public:
  Tally(const Catalogue& catalogue, const std::vector<std::string>& overrides, Reach& reach)
      : catalogue_(catalogue), overrides_(overrides), reach_(reach) {}

  void add(const Swarm& swarm, const FuzzResult& result) {
    reach_.runs += result.ran.size();
    reach_.runs_reaching.resize(std::max(reach_.runs_reaching.size(), result.runs_reaching.size()));
    for (std::size_t i = 0; i < result.runs_reaching.size(); ++i) reach_.runs_reaching[i] += result.runs_reaching[i];
    for (const FuzzResult::Run& run : result.ran) {
      add_run(read_scenario(swarm.derive(run.index, run.redraws), swarm.file(), catalogue_));
    }
    const Scenario& original = swarm.original();
    const Reasons reasons(swarm, overrides_);
    miss("rack", "rack", original.rack, &reasons);
    miss("protocol " + original.protocol.name, "protocol." + original.protocol.name, original.protocol, &reasons);
    miss("workload " + original.workload.name, "workload", original.workload, &reasons);
    // Of the rack's constants only what fuzzing may draw.
    const std::vector<std::string> varied = swarm.varied();
    std::erase_if(component("rack").parameters, [&](const ParameterReach& one) {
      return one.reached.size() < 2 && std::find(varied.begin(), varied.end(), "rack." + one.name) == varied.end();
    });
    add_faults(swarm);
  }

  /// Takes from what templates miss what others have reached.
  void finish() {
    for (ComponentReach& component : reach_.components) {
      if (component.uses > 0) component.why_never.clear();
      for (ParameterReach& parameter : component.parameters) {
        std::sort(parameter.reached.begin(), parameter.reached.end(),
                  [](const ReachedValue& a, const ReachedValue& b) { return a.order < b.order; });
        std::erase_if(parameter.missed, [&](const MissedValue& missed) {
          if (missed.value.empty()) return parameter.reached.size() > 1;
          return std::any_of(parameter.reached.begin(), parameter.reached.end(), [&](const ReachedValue& reached) {
            return to_canonical_json(reached.value) == missed.value;
          });
        });
      }
    }
  }

 private:
  ComponentReach& component(const std::string& name) {
    for (ComponentReach& one : reach_.components) {
      if (one.name == name) return one;
    }
    reach_.components.push_back({name, 0, {}, {}});
    return reach_.components.back();
  }

  static ParameterReach& parameter(ComponentReach& component, const std::string& name) {
    for (ParameterReach& one : component.parameters) {
      if (one.name == name) return one;
    }
    component.parameters.push_back({name, {}, {}});
    return component.parameters.back();
  }

  void use(const std::string& name, const BoundParameters& options) {
    ComponentReach& of = component(name);
    ++of.uses;
    for (const Parameter& one : options.parameters.all()) {
      auto& reached = parameter(of, one.name).reached;
      const JsonValue value = value_in_effect(one);
      const auto same = std::find_if(reached.begin(), reached.end(),
                                     [&](const ReachedValue& earlier) { return earlier.value == value; });
      if (same == reached.end()) {
        reached.push_back({value, 1, magnitude(one)});
      } else {
        ++same->runs;
      }
    }
  }

  void add_run(const Scenario& run) {
    use("rack", run.rack);
    use("protocol " + run.protocol.name, run.protocol);
    use("workload " + run.workload.name, run.workload);
    for (const auto& fault : run.faults) use("fault " + fault.name, fault);
  }

  /// Notes every value that a component's parameters may have and that may turn out not to have been reached. Without
  /// `reasons` it is a fault, whose draws are its own.
  void miss(const std::string& name, const std::string& prefix, const BoundParameters& options,
            const Reasons* reasons) {
    ComponentReach& of = component(name);
    constexpr const char* kFaults = "no draw of such a fault has given it";
    for (const Parameter& one : options.parameters.all()) {
      const std::string path = prefix + "." + one.name;
      auto& missed = parameter(of, one.name).missed;
      const auto add = [&](const std::string& value, const std::string& why) {
        const auto same = std::find_if(missed.begin(), missed.end(),
                                       [&](const MissedValue& earlier) { return earlier.value == value; });
        if (same == missed.end()) missed.push_back({value, why});
      };
      const std::vector<JsonValue> values = values_of(one, reasons ? reasons->draw_of(path) : nullptr);
      for (const JsonValue& value : values) {
        add(to_canonical_json(value), reasons ? reasons->of(one, path, &value) : kFaults);
      }
      const bool all_counted =
          std::holds_alternative<Parameter::Flag>(one.kind) || std::holds_alternative<Parameter::Choice>(one.kind);
      if (!all_counted && values.empty()) add("", reasons ? reasons->of(one, path, nullptr) : kFaults);
    }
  }

  void add_faults(const Swarm& swarm) {
    const std::vector<std::string> draws = swarm.draws();
    for (const auto& entry : catalogue_.faults) {
      const std::string name = "fault " + entry.name;
      const bool may_be = std::find(draws.begin(), draws.end(), name) != draws.end();
      ComponentReach& fault = component(name);
      if (may_be || fault.why_never.empty()) {
        fault.why_never = may_be ? "may be drawn, and was not in so few runs"
                                 : "not among the kinds that the protocol promises to survive";
      }
      if (fault.uses == 0) continue;
      BoundParameters options{entry.name, {}};
      const auto owner = entry.make(options.parameters);  // which the declarations point into
      miss(name, name, options, nullptr);
    }
  }

  const Catalogue& catalogue_;
  const std::vector<std::string>& overrides_;
  Reach& reach_;
};

}  // namespace

Reach measure_reach(const std::vector<std::string>& templates, const std::vector<std::string>& overrides,
                    std::uint64_t seed, const FuzzPlan& plan, const Catalogue& catalogue,
                    const std::function<void(const std::string& file)>& progress) {
  Reach reach;
  Tally tally(catalogue, overrides, reach);
  for (const Swarm& swarm : load_swarms(templates, catalogue, overrides, seed)) {
    progress(swarm.file());
    const FuzzResult result =
        fuzz(swarm, plan, scenario_runner(catalogue, {TrialDetail::coverage, true}), coverage_map(swarm.original()));
    tally.add(swarm, result);
    reach.interrupted = result.interrupted;
    if (!result.failures.empty()) {
      const FuzzFailure& failure = result.failures.front();
      reach.fails = fmt::format("{}, run {}: {}", swarm.file(), failure.index, description(failure.result));
    }
    if (reach.interrupted || !reach.fails.empty()) break;
  }
  tally.finish();
  return reach;
}

}  // namespace racksim::tools

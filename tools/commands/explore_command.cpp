// racksim explore MODEL: goes through all states of a model of a protocol, and prints the shortest way to what is
// wrong; or walks through some of them at random.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <ostream>

#include "sim/exploration/search.hpp"
#include "sim/exploration/walk.hpp"
#include "sim/options/option_error.hpp"
#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/json/input_error.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/scenario/overrides.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

const char* const kCommand = "racksim explore";

struct ExploreArguments {
  std::string model;
  std::vector<std::string> sets;
  sim::ExplorationLimits limits;
  std::string memory;
  sim::WalkLimits walks{.walks = 0};  // none: all states
  bool options = false;
  bool json = false;
};

void set_options(const ExploreArguments& arguments, const sim::Parameters& parameters) {
  JsonValue given = JsonValue::object();
  for (const std::string& set : arguments.sets) apply_override(given, parse_override(set));
  bind(given, {kCommand, ""}, parameters);
}

std::vector<sim::ExplorationOptions::Part> parts_of(const sim::ExplorationOptions& options) {
  try {
    return options.build();
  } catch (const sim::OptionError& error) {
    throw InputError(kCommand, "/" + error.option(), error.found(), error.expected());
  }
}

/// The value of an option, which may be one of an object.
const JsonValue& value_of(const JsonValue& values, std::string_view name) {
  const std::size_t dot = name.find('.');
  const JsonValue& member = *values.find(name.substr(0, dot));
  return dot == std::string_view::npos ? member : value_of(member, name.substr(dot + 1));
}

std::string options_in_words(const sim::Parameters& parameters) {
  const JsonValue values = values_in_effect(parameters);
  std::string text;
  for (const sim::Parameter& parameter : parameters.all()) {
    const std::string value = to_canonical_json(value_of(values, parameter.name));
    text += fmt::format("{:<22}  {:<12}  {}\n", parameter.name, value, parameter.doc);
  }
  return text;
}

using Violation = sim::Exploration::Violation;

std::string way_in_words(const Violation& violation) {
  std::string text;
  for (std::size_t i = 0; i < violation.trace.size(); ++i) {
    text += fmt::format("  {:>3}  {}\n", i + 1, violation.trace[i]);
  }
  return text + fmt::format("  then  {}\n", violation.state);
}

std::string in_words(const std::string& name, const sim::Exploration& found) {
  std::string text = fmt::format("{}: {} states, {} transitions, depth {}, {} terminal states", name, found.states,
                                 found.transitions, found.depth, found.terminal);
  if (!found.cut_short.empty()) return text + fmt::format("\n  cut short: {}; nothing wrong so far\n", found.cut_short);
  if (!found.violation) return text + ", nothing wrong\n";
  return text + fmt::format("\n  {}, in {} steps:\n", found.violation->what, found.violation->trace.size()) +
         way_in_words(*found.violation);
}

std::string in_words(const std::string& name, const sim::Walks& found) {
  std::string text =
      fmt::format("{}: {} walks, {} steps, {} in the longest", name, found.walks, found.steps, found.longest);
  if (!found.violation) return text + ", nothing wrong\n";
  return text +
         fmt::format("\n  {}, in {} steps of walk {}:\n", found.violation->what, found.violation->trace.size(),
                     found.walks) +
         way_in_words(*found.violation);
}

void set_violation(JsonValue& part, const std::optional<Violation>& found) {
  if (!found) return;
  JsonValue& violation = part.set("violation", JsonValue::object());
  violation.set("what", found->what);
  violation.set("trace", array_of(found->trace));
  violation.set("state", found->state);
}

JsonValue in_json(const std::string& name, const sim::Exploration& found) {
  auto part = JsonValue::object({{"name", name},
                                 {"states", found.states},
                                 {"transitions", found.transitions},
                                 {"depth", found.depth},
                                 {"terminal_states", found.terminal},
                                 {"end_states", found.ends},
                                 {"memory_bytes", found.bytes}});
  if (!found.cut_short.empty()) part.set("cut_short", found.cut_short);
  set_violation(part, found.violation);
  return part;
}

JsonValue in_json(const std::string& name, const sim::Walks& found) {
  auto part =
      JsonValue::object({{"name", name}, {"walks", found.walks}, {"steps", found.steps}, {"longest", found.longest}});
  set_violation(part, found.violation);
  return part;
}

bool is_well(const sim::Exploration& found) {
  return !found.violation && found.cut_short.empty();
}
bool is_well(const sim::Walks& found) {
  return !found.violation;
}

int explore(const ExploreArguments& arguments, CommandContext& context) {
  const auto& entry = registered<sim::ExplorationEntry>(kCommand, arguments.model);
  sim::ExplorationLimits limits = arguments.limits;
  if (!arguments.memory.empty()) {
    try {
      limits.bytes = parse_size(arguments.memory);
    } catch (const UnitError& error) {
      throw InputError(kCommand, "--memory", quote(arguments.memory), error.what());
    }
  }
  const auto options = entry.make_options();
  sim::Parameters parameters;
  options->declare(parameters);
  set_options(arguments, parameters);
  if (arguments.options) {
    context.out << options_in_words(parameters);
    return exit_ok;
  }
  bool all_well = true;
  JsonValue parts = JsonValue::array();
  const auto tell_all = [&](const char* verdict) {
    if (!arguments.json) return;
    auto report = JsonValue::object({{"model", entry.name},
                                     {"verdict", verdict},
                                     {"config", values_in_effect(parameters)},
                                     {"parts", std::move(parts)}});
    context.out << to_json(report);
  };
  // What was found in the parts before is told.
  const auto stop_if_wanted = [&](const auto& done) {
    if (!interrupted()) return;
    tell_all(all_well ? "interrupted" : "fail");
    throw Interrupted(done());
  };
  for (const auto& part : parts_of(*options)) {
    const auto tell = [&](const auto& found) {
      all_well = all_well && is_well(found);
      if (arguments.json) {
        parts.push(in_json(part.name, found));
      } else {
        context.out << in_words(part.name, found) << std::flush;
      }
    };
    std::optional<ProgressLine> line(std::in_place, context.err, !arguments.json);
    const auto stop = [&] {
      line->show([&](double wall) { return fmt::format("exploring {}, {:.0f} s", part.name, wall); });
      return interrupted();
    };
    if (arguments.walks.walks > 0) {
      const sim::Walks found = sim::walk(*part.model, arguments.walks, stop);
      line.reset();
      stop_if_wanted([&] { return fmt::format("{} walks through {} had ended", found.walks, part.name); });
      tell(found);
    } else {
      const sim::Exploration found = sim::explore(*part.model, limits, stop);
      line.reset();
      stop_if_wanted([&] { return fmt::format("{} states of {} had been seen", found.states, part.name); });
      tell(found);
    }
  }
  tell_all(all_well ? "pass" : "fail");
  return all_well ? exit_ok : exit_failed;
}

void add_explore(CommandContext& context) {
  auto* command = context.app.add_subcommand("explore", "Go through all states of a model of a protocol");
  const auto arguments = std::make_shared<ExploreArguments>();
  command->add_option("MODEL", arguments->model, "One of `racksim list models`")->required();
  command->add_option("--set", arguments->sets, "NAME=VALUE: an option of the model");
  command->add_flag("--options", arguments->options, "Print the model's options, and explore nothing");
  auto* states = add_number(*command, "--states", arguments->limits.states, "End after so many states",
                            {1, (std::uint64_t{1} << 32) - 2});
  auto* memory =
      command->add_option("--memory", arguments->memory, "End when states and transitions take so much (default 4GiB)")
          ->type_name("SIZE");
  auto* walks = add_number(*command, "--walks", arguments->walks.walks,
                           "Go so many random walks from the beginning to an end, and not through all states",
                           {1, std::uint64_t{1} << 40})
                    ->excludes(states)
                    ->excludes(memory);
  add_number(*command, "--seed", arguments->walks.seed, "Of the walks (default 1)")->needs(walks);
  command->add_flag("--json", arguments->json, "Print the report as JSON");
  command->callback(
      [&context, arguments] { context.action = [&context, arguments] { return explore(*arguments, context); }; });
}

const sim::Registration<CommandEntry> explore_command({.name = "explore", .add = add_explore});

}  // namespace

}  // namespace racksim::tools

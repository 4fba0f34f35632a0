// Estimates of memory and warm-up. See machine_needs.hpp.
#include "tools/experiment/machine_needs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "models/rack/rack_options.hpp"
#include "models/service/protocol.hpp"
#include "models/workloads/workload.hpp"
#include "sim/checkers/history_oracle.hpp"
#include "tools/json/input_error.hpp"

namespace racksim::tools {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// What the smallest run takes: SimGrid, the rack and the switch's registers, and the program, whose pages count for its
/// process in part, as it has come to them.
constexpr std::uint64_t kProgram = 26 * kMiB;
/// What an oracle keeps of each key, 24 bytes (sim/oracles/data_value_oracle.hpp), in a sim::FlatMap that grows.
constexpr std::uint64_t kOracleBytes = 72;
/// Of each operation of a recorded history (HistoryOptions).
constexpr std::uint64_t kHistoryBytes = 100;
/// Accesses of the functional warm-up in a second of one processor, roughly.
constexpr double kWarmAccessesPerSecond = 1e6;

/// From here on a person should know: seconds of warm-up, or what not every machine has to spare.
constexpr std::uint64_t kManyBytes = 1024 * kMiB;
constexpr std::uint64_t kManyAccesses = 10'000'000;

bool asks_for(const Scenario& scenario, std::string_view oracle) {
  return std::any_of(scenario.checks.begin(), scenario.checks.end(),
                     [&](const OracleSwitch& check) { return check.on && check.name == oracle; });
}

bool records_history(const Scenario& scenario) {
  const auto checks = sim::checkers::history_checks();
  return std::any_of(checks.begin(), checks.end(), [&](const auto& check) { return asks_for(scenario, check.name); });
}

/// A product that stays at the largest number instead of wrapping: options may ask for absurd sizes.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  constexpr auto kLargest = std::numeric_limits<std::uint64_t>::max() / 4;  // so that sums do not wrap either
  return b != 0 && a > kLargest / b ? kLargest : a * b;
}

std::string size_text(std::uint64_t bytes) {
  const double mib = static_cast<double>(bytes) / static_cast<double>(kMiB);
  return mib < 1024 ? fmt::format("{:.0f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

}  // namespace

MachineNeeds machine_needs(const Scenario& scenario) {
  const auto& rack = *scenario.rack.options;
  const auto& protocol = *scenario.protocol.options;
  const auto& workload = *scenario.workload.options;
  const RunPlan& run = scenario.run;
  const models::StateSize state = protocol.state_size(rack.nodes);
  const std::uint64_t operations = run.warmup.operations.value_or(0) + run.measure.operations.value_or(0);
  models::Footprint footprint;
  models::Roles roles;
  try {
    roles = rack.roles.of(rack.nodes);
  } catch (const sim::OptionError& error) {
    throw InputError(scenario.file, error.option(), error.found(), error.expected());
  }
  try {
    footprint =
        workload.footprint({roles.compute_nodes, state.block_bytes, run.warmup.time + run.measure.time, operations});
  } catch (const sim::OptionError& error) {
    throw InputError(scenario.file, "/workload/" + error.option(), error.found(), error.expected());
  }

  MachineNeeds needs{kProgram, state.fixed_bytes, 0, footprint.warm_accesses};
  needs.data = times(state.by_number ? footprint.reachable : footprint.objects, state.bytes_per_object);
  for (const char* oracle : {"data-value", "single-writer"}) {
    // The functional warm-up is not observed.
    if (asks_for(scenario, oracle))
      needs.data += times(std::min(footprint.objects, footprint.operations), kOracleBytes);
  }
  const double of_node = static_cast<double>(footprint.of_node) * state.cache_share;
  const double copies = std::min(static_cast<double>(state.cache_objects), of_node);
  needs.data += times(times(roles.compute_nodes, static_cast<std::uint64_t>(copies)), state.bytes_per_copy);
  if (records_history(scenario)) {
    needs.data += times(std::min(scenario.history.budget, footprint.operations), kHistoryBytes);
  }
  return needs;
}

std::optional<std::uint64_t> available_memory() {
  std::optional<std::uint64_t> available;
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    unsigned long long kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %llu kB", &kib) == 1) available = kib * 1024;
  }
  // A container's limit, if there is one; else the file says "max".
  std::uint64_t limit = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) available = std::min(limit, available.value_or(limit));
  return available;
}

MachineNeeds of_building(const MachineNeeds& needs) {
  return {.program = needs.program, .fixed = needs.fixed, .data = 0, .warm_accesses = 0};
}

void check_needs(const Scenario& scenario, const MachineNeeds& needs, std::optional<std::uint64_t> available) {
  if (!available || static_cast<double>(needs.bytes()) / kNeedsFactor <= static_cast<double>(*available)) return;
  const std::string culprit = needs.fixed > needs.data ? "/protocol/" + scenario.protocol.name : "/workload";
  throw InputError(scenario.file, culprit, fmt::format("a run that takes about {} of memory", size_text(needs.bytes())),
                   fmt::format("one that fits the {} that are available", size_text(*available)));
}

std::string needs_text(const MachineNeeds& needs, std::optional<std::uint64_t> available) {
  const bool tight = available && needs.bytes() > *available;
  if (!tight && needs.bytes() < kManyBytes && needs.warm_accesses < kManyAccesses) return "";
  std::string text = fmt::format("takes about {} of memory", size_text(needs.bytes()));
  if (available) text += fmt::format(" of {} available", size_text(*available));
  if (tight) text += ", so that it may not fit";
  if (needs.warm_accesses > 0) {
    const double millions = static_cast<double>(needs.warm_accesses) / 1e6;
    text += fmt::format("; warm-up of {:.1f} M accesses, about {:.0f} s", millions,
                        static_cast<double>(needs.warm_accesses) / kWarmAccessesPerSecond);
  }
  return text;
}

}  // namespace racksim::tools

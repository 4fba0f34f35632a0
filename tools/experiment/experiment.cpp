// From a scenario to its run. See experiment.hpp.
#include "tools/experiment/experiment.hpp"

#include <fmt/core.h>

#include <chrono>
#include <new>
#include <optional>

#include "sim/kernel/invariant.hpp"
#include "sim/options/option_error.hpp"
#include "sim/simgrid/module.hpp"
#include "tools/experiment/expectations.hpp"
#include "tools/experiment/machine_needs.hpp"
#include "tools/experiment/observers.hpp"
#include "tools/experiment/run_failure.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/processes/interruption.hpp"

namespace racksim::tools {

namespace {

models::RackOptions rack_options(const Scenario& scenario) {
  auto options = *scenario.rack.options;
  options.network_switch.passes = scenario.run.execution;
  options.network_switch.skip_idle_passes = scenario.run.idle_passes == IdlePasses::skip;
  options.faults.jitter = scenario.run.jitter;
  return options;
}

/// What a scenario builds: the assembly and those who watch it.
struct Built {
  /// Throws InputError if the machine has no memory to build it, and if the options do not fit.
  Built(const Scenario& scenario, sim::Metrics& metrics, const std::string* folder, sim::Coverage* coverage) {
    check_needs(scenario, of_building(machine_needs(scenario)), available_memory());
    try {
      assembly.emplace(parts_of(scenario, coverage), metrics);
      watch.emplace(*assembly, watch_terms(scenario));
    } catch (const sim::OptionError& error) {
      throw InputError(scenario.file, error.option(), error.found(), error.expected());
    }
    observers.emplace(scenario, *assembly, folder);
  }

  std::optional<Assembly> assembly;
  std::optional<Watch> watch;
  std::optional<Observers> observers;
};

/// What can be refused once all is built, and last of all that the machine has no memory for what is to come.
void check_all(const Scenario& scenario, const sim::Metrics& metrics) {
  check_expected_metrics(scenario, metrics);
  check_needs(scenario, machine_needs(scenario), available_memory());
}

/// Runs a part of the run. What it throws that is no fault of the input, the user or the disk is a defect.
template <class Part>
auto with_last_event(Assembly& assembly, const Part& part) {
  try {
    return part();
  } catch (const InputError&) {
    throw;
  } catch (const Interrupted&) {
    throw;
  } catch (const SystemError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const sim::BrokenInvariant& broken) {
    throw InvariantFailure(broken.what(), assembly.calendar().last_event(), assembly.calendar().now());
  } catch (const std::exception& error) {
    throw RunFailure(error.what(), assembly.calendar().last_event());
  }
}

}  // namespace

Parts parts_of(const Scenario& scenario, sim::Coverage* coverage) {
  Parts parts{.seed = scenario.seed,
              .order = scenario.run.order,
              .rack = rack_options(scenario),
              .protocol_name = scenario.protocol.name,
              .protocol = scenario.protocol.options,
              .workload = scenario.workload.options,
              .faults = {},
              .coverage = coverage,
              .configuration = behavioural_configuration(scenario)};
  for (const auto& fault : scenario.faults) parts.faults.push_back({fault.name, fault.options});
  return parts;
}

Watch::Terms watch_terms(const Scenario& scenario) {
  const RunPlan& run = scenario.run;
  Watch::Terms terms;
  for (const OracleSwitch& check : scenario.checks) {
    if (check.on) terms.oracles.push_back(check.name);
  }
  const auto rack = rack_options(scenario);
  const bool faultless = scenario.faults.empty() && !rack.faults.any();
  terms.of_oracles = {.expect_timeouts = run.expect_timeouts,
                      .perfect_wires = faultless,
                      .may_lose_writes = !faultless,
                      // Until the protocol's longest timeout ends, and before it the NIC's.
                      .patience = scenario.protocol.options->longest_timeout(rack) + rack.nic.rc_retransmission_timeout,
                      // What is still disturbed after the drain would not come to rest either.
                      .settling = run.settling == sim::Duration{} ? run.drain : run.settling,
                      .history_budget = scenario.history.budget};
  terms.stall = run.stall;
  terms.giving_up = scenario.protocol.options->gives_up_after();
  return terms;
}

RunResult run_experiment(const Scenario& scenario, sim::Metrics& metrics, const std::string& report_folder,
                         const Progress& progress, sim::Coverage* coverage, const AttachObservers& attach_observers,
                         const std::function<void()>& begins) {
  sim::load_simgrid();  // before anything takes long
  const sim::InvariantChecks checks(scenario.run.check_invariants || sim::invariants_checked());
  Built built(scenario, metrics, &report_folder, coverage);
  check_all(scenario, metrics);
  if (begins) begins();

  const auto begun = std::chrono::steady_clock::now();
  Assembly& assembly = *built.assembly;
  Phases phases(assembly, *built.watch, scenario.run, progress);
  // What only the workload's most popular keys show, or a trace when it is read so far.
  const auto refusing = [&](const auto& part) {
    return with_last_event(assembly, [&] {
      try {
        return part();
      } catch (const sim::OptionError& error) {
        throw InputError(scenario.file, error.option(), error.found(), error.expected());
      }
    });
  };
  refusing([&] { phases.warm_up(); });
  built.observers->begin();
  if (attach_observers) attach_observers(assembly.rack(), assembly.protocol());
  SimgridDriver driver(assembly, sim::Time{} + scenario.run.time_limit, [&] {
    stop_if_interrupted([&] {
      return fmt::format("{:.3f} ms of simulated time have passed, {} operations have ended",
                         assembly.calendar().now().seconds() * 1e3,
                         assembly.service().history().count(sim::Observed::operation_ended));
    });
  });
  RunResult result;
  static_cast<RunOutcome&>(result) = refusing([&] { return phases.run(driver); });
  built.observers->keep_files();
  const models::Service& service = assembly.service();
  result.steady = steady_state_of(service.over_time(), metrics.window_begin(), metrics.window_length());
  result.over_time =
      run_over_time_of(service.latency_over_time(), metrics.window_begin(), metrics.window_length(), result.simulated);
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  result.pass = result.violation_count == 0;
  judge_expectations(scenario, metrics, result);
  return result;
}

void register_metrics(const Scenario& scenario, sim::Metrics& metrics) {
  const Built built(scenario, metrics, nullptr, nullptr);
}

std::vector<std::string> metric_names(const Scenario& scenario) {
  sim::Metrics metrics;
  register_metrics(scenario, metrics);
  return metric_names_in(metrics);
}

void check_experiment(const Scenario& scenario) {
  sim::Metrics metrics;
  const Built built(scenario, metrics, nullptr, nullptr);
  check_observed_files(scenario);
  check_all(scenario, metrics);
}

void check_key(const Scenario& scenario, sim::Key key, const JsonLocation& place) {
  sim::Metrics metrics;
  Built built(scenario, metrics, nullptr, nullptr);
  const models::Workload& workload = built.assembly->workload();
  if (!workload.uses(key)) place.refuse(sim::printed_key(key), workload.used_keys());
}

}  // namespace racksim::tools

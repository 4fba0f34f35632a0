// Probes as runs. See knee_runs.hpp.
#include "tools/knee/knee_runs.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/processes/interruption.hpp"

namespace racksim::tools {
namespace {

/// In the child: runs and says in JSON what came out.
std::string run_probe(Scenario scenario) {
  scenario.observe.write_no_files();
  sim::Metrics metrics;
  const RunResult result = run_experiment(scenario, metrics, "", {});
  if (!result.violations.empty()) {
    const sim::Violation& first = result.violations.front();
    throw std::runtime_error(fmt::format("{} at {} ns: {}", first.oracle, first.at.ns(), first.what));
  }
  auto answer = JsonValue::object({{"loss", metric_value(metrics, kLossMetric).value()},
                                   {"throughput", metric_value(metrics, "throughput_mops").value()}});
  return to_canonical_json(answer);
}

}  // namespace

Probes probes_of(const KneePlan& plan, ScenarioAt scenario_at) {
  return Probes([plan, scenario_at = std::move(scenario_at)](std::uint64_t load) {
    const Scenario scenario = scenario_at(plan.probe_overrides_at(load));
    ChildResult result;
    try {
      result = answer_of([&scenario] { return run_probe(scenario); }, "the knee was not found yet");
    } catch (const std::runtime_error& error) {
      if (dynamic_cast<const InputError*>(&error) || dynamic_cast<const Interrupted*>(&error)) throw;
      throw std::runtime_error(fmt::format("at {}={}: {}", plan.load, load, error.what()));
    }
    const JsonValue answer = parse_json(result.text, "probe");
    return Probe{*answer.find("loss")->number(), *answer.find("throughput")->number()};
  });
}

std::string why_not_found(const Knee& knee, Probes& probes, const KneeBounds& bounds) {
  const std::uint64_t load = knee.passes ? bounds.to : bounds.from;
  return fmt::format("{} {} {}{:.2g} % is lost", knee.passes ? "even at" : "already at", load,
                     knee.passes ? "only " : "", probes.at(load).loss * 100);
}

}  // namespace racksim::tools

// Runs in child processes, a quiet one with idle passes run and skipped in turns. See scenario_runs.hpp.
#include "tools/bench/scenario_runs.hpp"

#include <fmt/core.h>

#include <sstream>
#include <stdexcept>
#include <vector>

#include "sim/metrics/metrics.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/files/data_files.hpp"
#include "tools/processes/child_processes.hpp"

namespace racksim::tools {
namespace {

/// A run to which no oracle objects.
RunResult passing_run(const Scenario& scenario, sim::Metrics& metrics) {
  RunResult result = run_experiment(scenario, metrics, "", {});
  if (!result.pass) throw std::runtime_error("the oracles object to the run of " + scenario.name);
  return result;
}

double events_of(const Scenario& scenario) {
  return measured_apart([&scenario] {
    sim::Metrics metrics;
    return static_cast<double>(passing_run(scenario, metrics).events);
  });
}

double simulated_seconds_per_second(unsigned simulated_ms, const char* idle_passes, const Catalogue& catalogue) {
  const Scenario scenario = load_scenario(find_scenario_file("starcache/zipf-0.99.json"), catalogue,
                                          {"workload.rate=1000", fmt::format("run.measure={}ms", simulated_ms),
                                           fmt::format("run.idle_passes={}", idle_passes)});
  const double seconds = measured_apart([&scenario] {
    sim::Metrics metrics;
    const double begin = processor_seconds();
    passing_run(scenario, metrics);
    return processor_seconds() - begin;
  });
  return simulated_ms * 1e-3 / seconds;
}

struct Effort {
  double events = 0, seconds = 0;
};

Effort effort_of(const Scenario& scenario) {
  const auto run = [&scenario] {
    sim::Metrics metrics;
    const double begin = processor_seconds();
    const std::uint64_t events = passing_run(scenario, metrics).events;
    return fmt::format("{} {}", events, processor_seconds() - begin);
  };
  Effort effort;
  std::istringstream(answer_of(run, "as a process was measuring").text) >> effort.events >> effort.seconds;
  return effort;
}

double events_per_second(unsigned hosts, std::uint64_t operations, const Catalogue& catalogue) {
  const auto effort = [&](std::uint64_t measured) {
    return effort_of(
        load_scenario(find_scenario_file("nocache/thousand-hosts.json"), catalogue,
                      {fmt::format("rack.nodes={}", hosts), fmt::format("protocol.nocache.server_nodes={}", hosts / 2),
                       fmt::format("run.measure={{\"operations\":{}}}", measured)}));
  };
  const Effort brief = effort(operations / 10), whole = effort(operations);
  return (whole.events - brief.events) / (whole.seconds - brief.seconds);
}

}  // namespace

std::uint64_t peak_memory_of(const Scenario& scenario) {
  const auto run = [&scenario]() -> std::string {
    sim::Metrics metrics;
    passing_run(scenario, metrics);
    return "";
  };
  return answer_of(run, "as a process was measuring").peak_bytes;
}

double events_per_message(const Scenario& with_messages, const Scenario& without, const std::string& messages) {
  const double count = measured_apart([&] {
    sim::Metrics metrics;
    passing_run(with_messages, metrics);
    const auto value = metric_value(metrics, messages + ".whole_run");
    if (!value || *value <= 0) throw std::runtime_error(fmt::format("a run without '{}'", messages));
    return *value;
  });
  return (events_of(with_messages) - events_of(without)) / count;
}

Scenario service_scenario(std::uint64_t operations, const Catalogue& catalogue) {
  return load_scenario(find_scenario_file("starcache/zipf-0.99.json"), catalogue,
                       {"expect={}", fmt::format("run.measure={{\"operations\":{}}}", operations), "run.warmup=200us",
                        "protocol.name=nocache", "workload.rate=1000000"});
}

double service_rate(std::uint64_t operations, const Catalogue& catalogue) {
  const Scenario scenario = service_scenario(operations, catalogue);
  sim::Metrics metrics;
  double begin = 0;
  const auto result = run_experiment(scenario, metrics, "", {}, nullptr,
                                     [&](const auto&, const auto&) { begin = processor_seconds(); });
  return static_cast<double>(result.operations) / (processor_seconds() - begin);
}

IdlePassesResult run_idle_passes(unsigned simulated_ms, unsigned rounds, const Catalogue& catalogue) {
  std::vector<double> skipped, run;
  for (unsigned round = 0; round < rounds; ++round) {
    skipped.push_back(simulated_seconds_per_second(100 * simulated_ms, "skip", catalogue));
    run.push_back(simulated_seconds_per_second(simulated_ms, "run", catalogue));
  }
  return {spread_of(skipped), spread_of(run), ratio_of(skipped, run)};
}

HostsResult run_hosts(std::uint64_t operations, unsigned rounds, const Catalogue& catalogue) {
  std::vector<double> few, many;
  for (unsigned round = 0; round < rounds; ++round) {
    few.push_back(events_per_second(16, operations, catalogue));
    many.push_back(events_per_second(1024, operations, catalogue));
  }
  return {spread_of(few), spread_of(many), ratio_of(many, few)};
}

}  // namespace racksim::tools

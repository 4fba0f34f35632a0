// A run with messages and one without. See message_events.hpp.
#include "tools/bench/message_events.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "sim/metrics/metrics.hpp"
#include "tools/bench/rounds.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_metrics.hpp"

namespace racksim::tools {
namespace {

/// What a run's measure is, of all of the run.
template <class Measure>
double measured(const Scenario& scenario, Measure&& measure) {
  return measured_apart([&] {
    sim::Metrics metrics;
    const RunResult result = run_experiment(scenario, metrics, "", {});
    if (!result.pass) throw std::runtime_error("the oracles object to the run of " + scenario.name);
    return measure(result, metrics);
  });
}

double events_of(const Scenario& scenario) {
  return measured(scenario,
                  [](const RunResult& result, const sim::Metrics&) { return static_cast<double>(result.events); });
}

}  // namespace

double events_per_message(const Scenario& with_messages, const Scenario& without, const std::string& messages) {
  const double count = measured(with_messages, [&](const RunResult&, const sim::Metrics& metrics) {
    const auto value = metric_value(metrics, messages + ".whole_run");
    if (!value || *value <= 0) throw std::runtime_error(fmt::format("a run without '{}'", messages));
    return *value;
  });
  return (events_of(with_messages) - events_of(without)) / count;
}

}  // namespace racksim::tools

// Declarations of the run's own options.
#include "tools/scenario/run_plan.hpp"

namespace racksim::tools {

void RunPlan::declare(sim::Parameters& parameters) {
  parameters.length("drain", drain, 0_s, kLongestRun, "Longest wait for quiescence after the measurement.");
  parameters.length(
      "stall", stall, 1_us, kLongestRun,
      "A run in which something is under way for so long and no operation ends is stopped and fails; while a fault "
      "lasts operations have the time besides after which the protocol gives them up.");
  parameters.length("time_limit", time_limit, 1_ns, kLongestRun,
                    "Simulated time at which the run is stopped and fails.");
  parameters.choice(
      "execution", execution,
      {{"fused", Execution::fused}, {"stepped", Execution::stepped}, {"interpreted", Execution::interpreted}},
      "One event per switch pass, or one per stage, or one per pass without functions that were generated "
      "for the program; results are the same.");
  parameters.choice("idle_passes", idle_passes, {{"skip", IdlePasses::skip}, {"run", IdlePasses::run}},
                    "Compute switch passes that change nothing, or run them; results are the same.");
  parameters.length("schedule.jitter", jitter, 0_s, 1_ms, "Each event may be up to this much late.");
  parameters.flag(
      "expect_timeouts", expect_timeouts,
      "The rack is overloaded, or a timeout shorter than an idle path: the oracle served lets timeouts pass.");
  parameters.flag(
      "check_invariants", check_invariants,
      "Check the simulator's and the protocol's invariants as the run goes on, as fuzzing does; results are the "
      "same.");
  parameters.length("settling", settling, 0_s, kLongestRun,
                    "How long a fault may have after-effects, for the oracle served; 0s for as long as the drain.");
}

std::string RunPlan::order_text() const {
  switch (order.ties) {
    case sim::TieOrder::fifo:
      return "fifo";
    case sim::TieOrder::lifo:
      return "lifo";
    case sim::TieOrder::shuffle:
      break;
  }
  return "shuffle:" + std::to_string(order.seed);
}

void Observation::declare(sim::Parameters& parameters) {
  parameters.text("trace", trace, "File for the trace in JSON lines; empty for none.");
  parameters.length("trace_from", trace_from, 0_s, kLongestRun, "The trace begins with this instant.");
  parameters.length("trace_until", trace_until, 0_s, kLongestRun, "The trace ends with this instant.");
  parameters.length("series_interval", series_interval, 0_s, kLongestRun,
                    "Time between samples of all metrics; 0s for none.");
  parameters.text("operations", operations,
                  "File for every operation of the run: CSV, or records if its name ends in .bin; empty for none.");
  parameters.object("series", series);
}

void SeriesFile::declare(sim::Parameters& parameters) {
  parameters.text("file", file, "CSV file for metrics over time; empty for none.");
  parameters.length("interval", interval, 1_ns, kLongestRun, "Time that a row of it covers.");
}

std::vector<std::pair<std::string, std::string*>> Observation::files() {
  return {{"trace", &trace}, {"operations", &operations}, {"series/file", &series.file}};
}

void Observation::write_no_files() {
  for (const auto& [path, file] : files()) file->clear();
}

void HistoryOptions::declare(sim::Parameters& parameters) {
  parameters.integer("history", budget, 1, 1'000'000'000,
                     "Operations recorded at most, about 100 bytes each, for linearizable, sequential, sessions and "
                     "stale-read; beyond, those of the most used keys first, and of the others a sample.");
}

}  // namespace racksim::tools

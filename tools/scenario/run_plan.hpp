// How long a run takes and in which manner, and what it watches: the scenario's `run`, `check`, `observe` and `expect`.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/switch/switch_options.hpp"
#include "sim/checkers/history_recorder.hpp"
#include "sim/kernel/calendar.hpp"
#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"
#include "tools/scenario/expected_baseline.hpp"

namespace racksim::tools {

using namespace sim::literals;

/// No run is longer, nor any part of one.
inline constexpr sim::Duration kLongestRun = 1000_s;

/// The length of a phase: simulated time (`"10ms"`) or a number of operations finished (`{"operations": 100000}`).
struct Extent {
  sim::Duration time{};
  std::optional<std::uint64_t> operations;  ///< if given, `time` does not count
  bool operator==(const Extent&) const = default;
};

/// How switch passes are executed. All give the same run hash.
using Execution = models::PassMode;

/// What becomes of switch passes that change nothing and send their packet round again: skipping computes their effect
/// when somebody is about to see it, fused passes only. Both give the same run hash and metrics.
enum class IdlePasses { skip, run };

/// `run` in a scenario.
struct RunPlan {
  Extent warmup{};                      ///< not measured
  Extent measure{10_ms, std::nullopt};  ///< what the metrics speak of
  sim::Duration drain = 100_ms;         ///< longest wait for quiescence after the measurement and the heal
  /// A run in which no operation ends for so long is stopped and fails. While a fault lasts the time until the protocol
  /// gives an operation up is added, and one that is given up counts as ended.
  sim::Duration stall = 20_ms;
  sim::Duration time_limit = 100_s;  ///< a run that gets here is stopped and fails; at most 1,000 s
  Execution execution = Execution::fused;
  IdlePasses idle_passes = IdlePasses::skip;
  sim::ScheduleOrder order;
  sim::Duration jitter{};         ///< each event may be this much late
  bool expect_timeouts = false;   ///< the oracle `served` lets them pass: overload, or timeouts that are too short
  bool check_invariants = false;  ///< sim::check_invariants, where a build does not check them anyway
  sim::Duration settling{};       ///< how long after-effects of a fault excuse timeouts, for `served`; 0: the drain

  /// All but `warmup`, `measure` and `schedule.order`, whose forms the scenario reader knows.
  void declare(sim::Parameters& parameters);
  /// `order` as a scenario writes it: "fifo", "lifo" or "shuffle:SEED".
  std::string order_text() const;
};

/// `observe.series` in a scenario: metrics over time in a file.
struct SeriesFile {
  std::string file;                ///< a CSV file; empty for none
  sim::Duration interval = 10_us;  ///< of a row
  std::vector<std::string> metrics{"throughput_mops", "latency_ns.mean", "latency_ns.p99"};  ///< its columns

  /// All but `metrics`, which the scenario reader knows.
  void declare(sim::Parameters& parameters);
};

/// `observe` in a scenario: outside the run hash.
struct Observation {
  std::string trace;                        ///< file for the trace in JSON lines; empty for none
  sim::Duration trace_from{};               ///< what is observed before is not traced
  sim::Duration trace_until = kLongestRun;  ///< nor what is observed after
  sim::Duration series_interval{};          ///< metrics are sampled this often; zero for never
  std::string operations;                   ///< file for all operations; empty for none
  SeriesFile series;

  void declare(sim::Parameters& parameters);
  /// The members that name files to write, by their paths in `observe`; what is empty is not written.
  std::vector<std::pair<std::string, std::string*>> files();
  /// For one of many runs, which would write over each other's.
  void write_no_files();
};

/// An oracle and whether the run asks for it.
struct OracleSwitch {
  std::string name;
  bool on = false;
};

/// How histories are recorded for the checks that judge them: outside the run hash.
struct HistoryOptions {
  std::uint64_t budget = sim::checkers::HistoryRecorder::kDefaultBudget;  ///< operations kept at most

  void declare(sim::Parameters& parameters);
};

/// What a metric must be; bounds are inclusive.
struct MetricBounds {
  std::string metric;  ///< its dotted name in the report, such as "latency_ns.p99"
  std::optional<double> min, max, equals;
};

/// `expect` in a scenario.
struct Expectations {
  std::optional<bool> pass;  ///< the verdict of the oracles, if one is expected
  std::string violation;     ///< an oracle, or kind of violation, that must speak; empty if none is named
  ExpectedBaseline baseline;
  std::vector<MetricBounds> metrics;
};

}  // namespace racksim::tools

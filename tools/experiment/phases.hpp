// The phases of a run:
//
//   warm-up     the functional warm-up outside time, then simulated time that is not measured
//   measure     what the metrics speak of: their window opens and closes here (sim/metrics/metrics.hpp)
//   heal        faults end, sessions finish the operation they are in
//   drain       until everything has come to rest, or the drain's time is over: then the quiescence oracles speak
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/kernel/time.hpp"
#include "sim/record/run_hash.hpp"
#include "tools/experiment/assembly.hpp"
#include "tools/experiment/checkpoints.hpp"
#include "tools/experiment/driver.hpp"
#include "tools/experiment/watch.hpp"
#include "tools/recording/run_progress.hpp"
#include "tools/scenario/run_plan.hpp"

namespace racksim::tools {

/// What a run came to.
struct RunOutcome : Findings {
  sim::RunHash hash;
  Checkpoints checkpoints;
  std::uint64_t events = 0;
  std::uint64_t operations = 0;                  ///< of the measured phase
  sim::Duration measured{};                      ///< its length
  std::vector<models::BusiestResource> busiest;  ///< in it, of each kind
  sim::Time simulated;
};

class Phases {
 public:
  /// All must outlive it. `progress` may be empty.
  Phases(Assembly& assembly, Watch& watch, const RunPlan& plan, const Progress& progress);

  /// The functional warm-up; then the watch begins, and whoever else wants to see the run attaches itself.
  void warm_up();
  /// All the rest. Throws what an event or an actor threw.
  RunOutcome run(Driver& driver);

  // The same in steps, for whoever runs the calendar himself in between, and gives a Script (models/workloads/) its
  // operations:
  /// The faults are announced and the workload begins.
  void begin(Driver& driver);
  /// The measured phase ends at the present instant, whatever the plan says, unless it is over: the heal.
  void heal();
  /// Lets the driver run to the end. Throws as `run` does.
  RunOutcome finish();

 private:
  enum class Phase : std::uint8_t { warm_up, measure, drain, over };

  void begin_measuring();
  void end_measuring();
  void close_window();
  void look_for_rest();
  void checkpoint();
  void look_again();
  Driver::Outcome run_to_the_end();
  void tell(RunProgress::Stage stage) const;
  /// What of warm-up and measurement is over; nothing in a warm-up that is measured otherwise than what follows it.
  std::optional<double> share_over() const;
  void judge(Driver::Outcome outcome);

  Assembly& assembly_;
  Watch& watch_;
  const RunPlan& plan_;
  const Progress& progress_;
  sim::Lane lane_;
  CheckpointBuilder checkpoints_;
  Driver* driver_ = nullptr;
  Phase phase_ = Phase::warm_up;
  bool at_rest_ = false;      // at the end
  bool looks_again_ = false;  // between checkpoints
  sim::Time drain_end_;
  // When the measurement began:
  sim::Time measured_from_;
  std::uint64_t ended_before_ = 0;  // operations
  RunOutcome outcome_;
};

}  // namespace racksim::tools

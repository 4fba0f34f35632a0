// A run of a protocol as tests make it: put together in C++, run on the bare calendar by the library behind `racksim
// run` (tools/experiment), and watched by every oracle that the protocol promises, conservation of packets and of
// buffer cells included.
//
// A test lets a workload run to its end, or gives a script (tests/protocols/script.hpp) its operations as it goes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "models/faults/fault_menu.hpp"
#include "models/faults/faults.hpp"
#include "tests/protocols/script.hpp"
#include "tools/experiment/driver.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/phases.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::testing {

/// What any test may vary.
struct RunSetup {
  std::uint64_t seed = 1;
  models::RackOptions rack;  ///< with random faults of every wire, which last until the heal
  tools::RunPlan plan;       ///< of a script the measured phase ends when the test says so
  std::vector<tools::BoundOptions<models::Fault>> faults;
  std::string check = R"({"all": true})";  ///< as scenarios write it
  sim::Coverage* coverage = nullptr;       ///< learns what the run exercises

  void measure(std::uint64_t operations) { plan.measure = {{}, operations}; }
  /// A fault of a kind, with options as scenarios write them: R"({"node": 2, "from": "10us"})".
  void add_fault(const std::string& kind, const std::string& options);
  /// Faults of these kinds, drawn at random for the beginning of the run.
  void draw_faults(sim::Duration beginning, const std::vector<std::string>& kinds);
};

/// What all protocols' runs have in common.
class ProtocolRun {
 public:
  /// Lets the run go on for so long, or up to an instant. It begins with the first call, or with `finish`; that of a
  /// script has begun.
  void advance(sim::Duration length) { advance_to(calendar.now() + length); }
  void advance_to(sim::Time instant);
  /// Has the measured phase end now.
  void heal();
  /// To the end of the run: the measured phase, unless it is a script's, which ends now; heal, drain, and the verdict.
  void finish();
  /// Has a script begin a task of a node.
  void spawn(sim::Task<void> task, models::NodeId node = 0);

  /// What the oracles have found so far, and the watch itself by the end: the first violation of each kind, one a line;
  /// empty when all is well. Those of `but` are left out.
  std::string violations(std::initializer_list<const char*> but = {}) const;
  /// Whether there is a violation of that kind.
  bool found(const std::string& kind) const;
  /// The oracle of that name. It must have been asked for.
  sim::Oracle& oracle(const std::string& name) const;
  /// What a person reads of why a run stood still, if it did. A script may do so as long as the test likes, unless the
  /// plan has another `stall` than the usual one.
  std::vector<std::string> stall() const;
  /// The same of this instant: who waits for whom.
  std::vector<std::string> waits();
  std::string hash() const { return outcome_.hash.hex(); }

  std::uint64_t counter(const std::string& name) const;
  double gauge(const std::string& name) const;
  bool at_rest() const { return assembly_.at_rest(); }

  sim::Metrics metrics;

 protected:
  using BoundProtocol = tools::BoundOptions<models::ProtocolOptions>;
  using BoundWorkload = tools::BoundOptions<models::WorkloadOptions>;

  ProtocolRun(const RunSetup& setup, BoundProtocol protocol, BoundWorkload workload);
  ~ProtocolRun() = default;

  models::Protocol& running_protocol() { return assembly_.protocol(); }

 private:
  void begin();
  std::vector<sim::Violation> all_violations() const;

  tools::Scenario scenario_;
  tools::Assembly assembly_;
  tools::Watch watch_;
  tools::Progress nobody_;
  tools::Phases phases_;
  tools::CalendarDriver driver_;
  models::Script* script_;  // if the workload is one
  bool begun_ = false, finished_ = false;
  tools::RunOutcome outcome_;

 public:
  sim::Calendar& calendar;
  sim::EventLog& event_log;
  models::Rack& rack;
  models::Workload& workload;
};

}  // namespace racksim::testing

// Faults of a run: the one place that begins and ends them. A scenario's `faults` name kinds; the experiment ends all
// of them when the measured phase is over (the heal), so that what is then still outstanding must finish.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/faults/fault.hpp"
#include "sim/options/option_error.hpp"
#include "sim/record/history.hpp"

namespace racksim::models {

/// All kinds of faults, in the order of their names.
inline const std::vector<FaultEntry>& faults() {
  return sim::Registry<FaultEntry>::entries();
}

/// Begins and ends the faults of a run through the calendar, each as a recorded observation (`fault_begun`,
/// `fault_ended`) whose source is named after it: "fault/0/nic-stall/node2".
class FaultSchedule {
 public:
  explicit FaultSchedule(Rack& rack);
  /// Adds a fault before the run, or its parts. Throws sim::OptionError when it does not fit the rack.
  void add(const std::string& kind, std::shared_ptr<Fault> fault);
  /// Announces the faults and schedules their beginnings and ends.
  void start();
  /// Ends everything: at once where that can be, and what was announced after Fault::kHealNotice. May be called from
  /// within a task: nothing begins here.
  void heal();
  /// Whether a fault lasts: it has begun and not ended.
  bool in_force() const { return !active_.empty(); }
  /// Whether one of those will end by itself, before the heal.
  bool will_end() const;

 private:
  enum class Phase : std::uint8_t { waiting, active, over };
  struct Entry {
    std::string kind;
    std::shared_ptr<Fault> fault;
    sim::Source source;
    sim::EventId begin, end;
    Phase phase = Phase::waiting;
  };
  void add_entry(const std::string& kind, std::shared_ptr<Fault> fault);
  void report(const Entry& entry, sim::Disturbance kind);
  void begin(std::uint32_t index);
  void end(std::uint32_t index);

  Rack& rack_;
  sim::Lane lane_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> active_;  // in the order of their beginnings
};

}  // namespace racksim::models

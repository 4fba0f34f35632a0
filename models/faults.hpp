// Faults of a run: what goes wrong, where and when. A scenario's `faults` name kinds from the list here; the experiment
// begins them, and ends all of them when the measured phase is over (the heal), so that what is then still outstanding
// must finish.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/rack.hpp"
#include "sim/parameters.hpp"

namespace racksim::models {

/// One fault of a scenario: its options, and what they do to a rack.
class Fault {
 public:
  virtual ~Fault() = default;
  virtual void declare(sim::Parameters& parameters) = 0;
  /// Throws std::runtime_error when the options do not fit the rack. Called before the run.
  virtual void check(Rack& rack) const = 0;
  /// When it begins, counted from the start of the run, and when it ends, unless the heal comes first.
  virtual sim::Duration from() const = 0;
  virtual sim::Duration until() const = 0;
  /// Called when the run begins: wires are handed packets ahead of time, so what concerns packets is announced.
  virtual void announce(Rack&) {}
  /// Called at `from` and `until`, or at the heal: for what can be done on the spot.
  virtual void begin(Rack&) {}
  virtual void end(Rack&) {}
};

struct FaultEntry {
  std::string name, doc;
  std::function<std::shared_ptr<Fault>()> make;
};

/// All kinds of faults, in the order of their names.
const std::vector<FaultEntry>& faults();

/// Begins and ends the faults of a run through the calendar, each as a recorded observation.
class FaultSchedule {
 public:
  FaultSchedule(Rack& rack, std::vector<std::shared_ptr<Fault>> faults);
  /// Announces the faults and schedules their beginnings and ends.
  void start();
  /// Ends everything: at once where that can be, and for packets on wires after `kHealNotice`. Nothing begins any more.
  void heal();

  /// How far ahead the end of wire faults is announced: longer than the switch's whole buffer takes to leave by one
  /// port.
  static constexpr sim::Duration kHealNotice = sim::Duration::from_ps(1'000'000'000);

 private:
  void begin(std::uint32_t index);
  void end(std::uint32_t index);

  Rack& rack_;
  sim::Lane lane_;
  sim::Source source_;
  std::vector<std::shared_ptr<Fault>> faults_;
  std::vector<bool> active_;
  bool healed_ = false;
};

}  // namespace racksim::models

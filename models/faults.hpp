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
  /// When it begins by itself, counted from the start of the run, and when it ends, unless the heal comes first.
  virtual sim::Duration from() const = 0;
  virtual sim::Duration until() const = 0;
  virtual void begin(Rack& rack) = 0;
  virtual void end(Rack& rack) = 0;
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
  /// Schedules beginnings and ends.
  void start();
  /// Ends everything now; nothing begins any more.
  void heal();

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

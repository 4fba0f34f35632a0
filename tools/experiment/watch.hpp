// The watch over a run: the oracles that it asks for, the writes that crashes have undone, and whether operations still
// end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/service/oracle_entry.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"
#include "tools/experiment/assembly.hpp"
#include "tools/experiment/stall.hpp"

namespace racksim::tools {

/// A write that was acknowledged, and that a crash has undone, as the protocol says that it may.
struct LostWrite {
  std::uint64_t key = 0, value = 0;
  std::string author;  ///< its session
  sim::Time at;
  sim::Loss why{};
  std::uint64_t recovered = 0;  ///< the value that there is instead; 0 if the protocol does not say, or nothing is left
};

/// What an oracle has looked at in a run. One that has looked at nothing has not checked anything.
struct Judged {
  std::string oracle;
  std::uint64_t count = 0;
  std::string of;         ///< of what: "operation", "permission", "packet"
  bool promised = false;  ///< the protocol or the workload promises to keep it
};

/// What the watch has found.
struct Findings {
  std::vector<sim::Violation> violations;  ///< those that the oracles kept
  std::uint64_t violation_count = 0;       ///< all of them
  std::vector<LostWrite> lost_writes;      ///< the first ones
  std::uint64_t lost_write_count = 0;      ///< all of them
  Stall stall;                             ///< of a run that stalled, or went in circles
  std::vector<Judged> judged;              ///< of each oracle, in the order of the scenario's `check`
};

class Watch {
 public:
  /// What the run is asked to keep: oracles of the registry by name.
  struct Terms {
    std::vector<std::string> oracles;
    models::OracleTerms of_oracles;
    sim::Duration stall{};  ///< a run in which something is under way for so long, and no operation ends, has failed
    /// While a fault lasts those who wait for a server that is gone have so much more time, until they give up.
    sim::Duration giving_up{};
  };

  /// Makes the oracles. Throws sim::OptionError, whose option is a JSON pointer into a scenario, if one cannot judge
  /// such a run, and std::logic_error if there is none of that name.
  Watch(Assembly& assembly, const Terms& terms);

  /// Begins to watch: the warm-up is done, and no event was executed.
  void begin();

  /// What the time between two looks has shown.
  enum class Pace : std::uint8_t {
    steady,
    doubtful,  ///< steady, but something besides operations is under way: look again soon whether it is still the same
    idle,      ///< nothing is left to end: all clients have gone for good
    failed,    ///< it stands still: a stall, or an idle workload; noted as a violation
    livelock   ///< the same, and the rack is busy without end; noted as a violation
  };
  /// To be called now and then, with the switch settled. `draining`: operations need not end any more.
  ///
  /// A stall is an operation that is pending for Terms::stall, or anything else under way for as long where none is
  /// pending (a recovery, a packet), while no operation ends. While nothing is under way its clock stands. An idle
  /// workload has sessions that run, of which no one has an operation pending or waits for a timer.
  Pace look(bool draining);
  /// Between two looks, with the switch settled: whether what made the last one doubtful may still be under way.
  bool still_doubtful();

  /// Notes a violation that no oracle speaks of.
  void object(sim::Violation violation);

  /// The run is over: the oracles judge, those of the state at rest only if the run has come to rest. Called once.
  Findings finish(bool at_rest);

  const std::vector<std::shared_ptr<sim::Oracle>>& oracles() const { return oracles_; }

 private:
  /// What the protocol says that crashes have undone.
  class LostWrites final : public sim::Observer {
   public:
    explicit LostWrites(const sim::EventLog& event_log) : event_log_(event_log) {}
    sim::ObservedKinds kinds() const override { return {sim::Observed::write_lost}; }
    void observe(const sim::Observation& observation) override;

    static constexpr std::size_t kKept = 1000;
    std::uint64_t count = 0;
    std::vector<LostWrite> kept;

   private:
    const sim::EventLog& event_log_;
  };

  /// Since when there is something that should have ended, and none has.
  sim::Time waited_since() const;
  void give_up(const char* kind, const std::string& what);

  Assembly& assembly_;
  sim::Duration stall_, giving_up_;
  models::OracleContext context_;
  std::vector<std::shared_ptr<sim::Oracle>> oracles_;
  LostWrites lost_writes_;
  Findings findings_;
  sim::Time last_progress_;                // an operation ended
  sim::Time last_rest_;                    // nothing but operations was under way
  sim::Time last_occupied_;                // the workload had an operation pending, or a timer
  std::uint64_t ended_before_ = 0;         // operations ended at the last look
  std::uint64_t given_up_before_ = 0;      // and given up
  std::uint64_t observations_before_ = 0;  // made by then
};

}  // namespace racksim::tools

// A run's checkpoints: its run hash at evenly spaced instants. Where two runs part lies between two of them.
//
// Each checkpoint holds the hash of everything observed so far, and beside it one of each place: a place is what
// sources have before the first "/" of their names ("node3/nic" and "node3/thread0" lie in "node3"), so that
// checkpoints tell where a difference began, also when the run cannot be executed again. Places leave the
// configuration out: runs of different configurations agree until they observe something different.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/kernel/time.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/run_hash.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// What a run had observed by an instant.
struct Checkpoint {
  sim::Time at;
  sim::RunHash hash;                  ///< of all that was recorded before `at`, and of the configuration
  std::vector<std::uint64_t> places;  ///< of what each place has recorded; 0 for nothing
  bool operator==(const Checkpoint&) const = default;
};

struct Checkpoints {
  std::vector<std::string> places;  ///< in the order of `Checkpoint::places`
  std::vector<Checkpoint> regular;  ///< by rising time, evenly spaced
  Checkpoint end;                   ///< when the run was over
  bool operator==(const Checkpoints&) const = default;
};

/// Builds checkpoints while a run goes on. When there are too many checkpoints, every other one is dropped and the
/// interval doubles.
class CheckpointBuilder {
 public:
  static constexpr std::size_t kMost = 512;

  /// Of what is recorded in `event_log` and, if it is not null, in `above`: both must outlive the builder.
  explicit CheckpointBuilder(const sim::EventLog& event_log, const sim::EventLog* above = nullptr)
      : event_log_(event_log), above_(above) {}

  /// Adds a checkpoint; call it every `interval()`.
  void add(sim::Time now);
  sim::Duration interval() const { return interval_; }
  Checkpoints finish(sim::Time now);

 private:
  Checkpoint checkpoint(sim::Time now);
  void assign_places(const sim::EventLog& event_log, std::vector<std::size_t>& place_of);
  void add_places(const sim::EventLog& event_log, const std::vector<std::size_t>& place_of, Checkpoint& to) const;

  const sim::EventLog& event_log_;
  const sim::EventLog* above_;
  std::vector<std::size_t> place_of_, place_of_above_;  ///< by source
  sim::Duration interval_ = sim::Duration::from_ps(10'000'000);
  Checkpoints checkpoints_;
};

JsonValue checkpoints_json(const Checkpoints& checkpoints);
/// Throws InputError.
Checkpoints read_checkpoints(const JsonValue& value, const JsonLocation& place);

/// Where two runs part, as far as their checkpoints tell.
struct Divergence {
  sim::Time after;                  ///< at this checkpoint they still agreed
  std::optional<sim::Time> by;      ///< and here no longer; none if they part behind the last common one
  std::vector<std::string> places;  ///< those that differed there
};

/// Nothing if every place observed the same in both runs.
std::optional<Divergence> first_divergence(const Checkpoints& a, const Checkpoints& b);

}  // namespace racksim::tools

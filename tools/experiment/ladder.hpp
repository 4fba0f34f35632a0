// A run's ladder of hash checkpoints: where two runs part lies between two of its rungs.
//
// Each rung holds the hash of everything observed so far, and beside it one of each place: a place is what sources have
// before the first "/" of their names ("node3/nic" and "node3/thread0" lie in "node3"), so that a ladder tells where a
// difference began, also when the run cannot be executed again. Places leave the configuration out: runs of different
// configurations agree until they observe something different.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/kernel/time.hpp"
#include "sim/record/journal.hpp"
#include "sim/record/run_hash.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// One rung.
struct Checkpoint {
  sim::Time at;
  sim::RunHash hash;                  ///< of all that was recorded before `at`, and of the configuration
  std::vector<std::uint64_t> places;  ///< of what each place has recorded; 0 for nothing
  bool operator==(const Checkpoint&) const = default;
};

struct Ladder {
  std::vector<std::string> places;  ///< in the order of `Checkpoint::places`
  std::vector<Checkpoint> rungs;    ///< by rising time, evenly spaced
  Checkpoint end;                   ///< when the run was over
  bool operator==(const Ladder&) const = default;
};

/// Builds a ladder while a run goes on. When there are too many rungs, every other one is dropped and the interval
/// doubles.
class LadderBuilder {
 public:
  static constexpr std::size_t kMostRungs = 512;

  /// The journal must outlive the builder.
  explicit LadderBuilder(const sim::Journal& journal) : journal_(journal) {}

  /// Adds a rung; call it every `interval()`.
  void add(sim::Time now);
  sim::Duration interval() const { return interval_; }
  Ladder finish(sim::Time now);

 private:
  Checkpoint checkpoint(sim::Time now);
  void assign_places();

  const sim::Journal& journal_;
  std::vector<std::size_t> place_of_;  ///< by source
  sim::Duration interval_ = sim::Duration::from_ps(10'000'000);
  Ladder ladder_;
};

JsonValue ladder_json(const Ladder& ladder);
/// Throws InputError.
Ladder read_ladder(const JsonValue& value, const Place& place);

/// Where two runs part, as far as their ladders tell.
struct Parting {
  sim::Time after;                  ///< at this rung they still agreed
  std::optional<sim::Time> by;      ///< at this rung they no longer did; none if they part behind the last common rung
  std::vector<std::string> places;  ///< those that differed there
};

/// Nothing if every place observed the same in both runs.
std::optional<Parting> where_parted(const Ladder& a, const Ladder& b);

}  // namespace racksim::tools

// Checkers of whole histories as oracles: they judge what a HistoryRecorder has kept when the run is over.
#pragma once

#include <span>
#include <string_view>

#include "sim/checkers/history_recorder.hpp"
#include "sim/checkers/outcome.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::sim::checkers {

/// A promise about the history of each key.
struct HistoryCheck {
  std::string_view name;
  Outcome (*judge)(const KeyHistory& history);
};

/// What a run may be asked to keep, from the strongest:
///   linearizable  each key is linearizable
///   sequential    each key is sequentially consistent
///   sessions      each key keeps each of the four session guarantees
///   stale-read    no read that begins after a write was acknowledged returns an older value
/// Operations that a session has under way at once have no order among them (program_order.hpp).
/// The first implies all others, the second implies the third. Histories of reads and writes of unique values are
/// always decided; others are searched within the default SearchBudget, or left undecided.
std::span<const HistoryCheck> history_checks();

/// Judges each key by one check at finish(). A key that breaks the promise is a violation under the check's name. One
/// that could not be decided is a violation named "undecided", for a run that was not judged has not passed; so is a
/// history of which the recorder has no key at all, since each is left out.
class HistoryOracle : public Oracle {
 public:
  /// `recorder` must be attached to `event_log`, which gives the names of sessions; both must outlive the oracle.
  HistoryOracle(const HistoryCheck& check, HistoryRecorder& recorder, const EventLog& event_log);

  void finish(Time end) override;
  /// All that were recorded.
  std::uint64_t judged() const override { return recorder_.recorded_operations(); }

 private:
  HistoryCheck check_;
  HistoryRecorder& recorder_;
  const EventLog& event_log_;
};

}  // namespace racksim::sim::checkers

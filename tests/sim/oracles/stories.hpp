// Stories for the oracles of memory models and locks: lists of events, told by hand or by a machine, that are recorded
// in an event log before an oracle.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/checkers/operation.hpp"
#include "sim/oracles/memory_model_oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// Something that is recorded, at a nanosecond of its own. Of `value` and `wrote` see OperationView.
struct Event {
  std::uint64_t at = 0;
  Observed what{};
  std::uint32_t session = 0;
  std::uint64_t operation = 0;
  OperationKind kind{};
  std::uint64_t key = 0;
  std::uint64_t value = 0;
  bool wrote = false;
  std::uint64_t expected = 0;  ///< at the beginning of a compare-and-swap; not recorded
};
using Story = std::vector<Event>;

/// Records the story, in the order of its instants, before this oracle, and finishes it. `event_log` must have enough
/// sources.
void tell(Story story, EventLog& event_log, Oracle& oracle);

/// An event log with sources "session0" and so on.
struct NamedEventLog : EventLog {
  explicit NamedEventLog(std::uint32_t sessions = 8);
};

/// What the oracle says about it.
std::vector<Violation> judged(const Story& story, MemoryModel model);
inline bool passes(const Story& story, MemoryModel model) {
  return judged(story, model).empty();
}

/// What clients saw of it, for the searches. No locks.
std::vector<checkers::Operation> seen_by_clients(const Story& story);

/// A story by hand, of operations that are numbered from 1.
class Teller {
 public:
  /// An operation, from its beginning to its end.
  struct Interval {
    std::uint64_t from, to;
  };
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  Teller& write(std::uint32_t session, std::uint64_t key, std::uint64_t value, Interval interval,
                std::uint64_t performed);
  Teller& read(std::uint32_t session, std::uint64_t key, std::uint64_t value, Interval interval);
  Teller& fence(std::uint32_t session, Interval interval);
  /// `value` is what it is given and `before` what it returned.
  Teller& add(std::uint32_t session, std::uint64_t key, std::uint64_t value, std::uint64_t before, Interval interval,
              std::uint64_t performed);
  /// Not performed: it wrote nothing.
  Teller& failed_swap(std::uint32_t session, std::uint64_t key, std::uint64_t before, Interval interval);
  Teller& lock(std::uint32_t session, Interval interval, OperationKind kind = OperationKind::lock, bool granted = true);
  Teller& unlock(std::uint32_t session, Interval interval);
  Teller& give_up(std::uint64_t operation, std::uint64_t at);

  operator const Story&() const { return story_; }

  /// The lock of all lock operations.
  static constexpr std::uint64_t kLock = 100;

 private:
  void operate(std::uint32_t session, OperationKind kind, std::uint64_t key, std::uint64_t given,
               std::uint64_t returned, bool wrote, Interval interval);

  Story story_;
  std::uint64_t last_ = 0;
};

}  // namespace racksim::sim

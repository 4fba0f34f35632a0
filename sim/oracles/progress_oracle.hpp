// Progress: whatever a session begins ends or is given up, and not too late.
//
// Memory: 48 bytes a pending operation and 24 bytes in a FlatMap; nothing for operations that ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"
#include "sim/record/open_operations.hpp"

namespace racksim::sim {

/// Reads the beginnings and ends of operations, of any kind; one that its session gives up has ended here. A violation
/// is an operation that
///  * is pending at finish(), that is, after the faults ended and the run drained;
///  * is pending for longer than the patience (reported once, at the instant the patience ended);
///  * begins twice, or ends without having begun (or twice).
/// Attach it before the first operation begins.
class ProgressOracle final : public Oracle {
 public:
  /// `event_log` gives the names of sessions and must outlive the oracle. Duration::max() is endless patience.
  explicit ProgressOracle(const EventLog& event_log, Duration patience = Duration::max());

  ObservedKinds kinds() const override {
    return {Observed::operation_begun, Observed::operation_ended, Observed::operation_given_up};
  }
  void observe(const Observation& observation) override;

  /// Reports what waited longer than the patience by `now`. Observations do so by themselves; this is for stretches in
  /// which none is made.
  void advance(Time now);

  void finish(Time end) override;
  /// All that began.
  std::uint64_t judged() const override { return event_log_.count(Observed::operation_begun); }

  /// An operation that began and has not ended.
  struct Pending {
    OperationId operation = 0;
    Key key = 0;
    Time since;
    Source session;
    OperationKind kind{};
  };

  /// All pending operations, longest-waiting first.
  std::vector<Pending> pending() const;
  std::size_t pending_count() const { return index_.size(); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The pending operations form a list in the order of their beginning; vacant entries form another.
  struct Entry {
    Pending pending;
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
  };

  void begin(const Observation& observation);
  void end(const Observation& observation);
  std::string described(const Pending& pending) const;

  const EventLog& event_log_;
  Duration patience_;
  std::vector<Entry> entries_;
  OpenOperations<std::uint32_t> index_;  // operation to entry
  std::uint32_t oldest_ = kNone;
  std::uint32_t newest_ = kNone;
  std::uint32_t patient_ = kNone;  // the oldest that is not yet reported as too late
  std::uint32_t vacant_ = kNone;
};

}  // namespace racksim::sim

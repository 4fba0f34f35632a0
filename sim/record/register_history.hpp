// Linearizability of one register whose writes carry unique values, judged while its history grows.
//
// Gibbons and Korach, "Testing Shared Memories" (SIAM J. Comput. 26(4), 1997), in the form of zones: a value's
// operations are its write and all reads that returned it. Value u is bound before value v if an operation of u ended
// before an operation of v began. The history is linearizable exactly if no read returns a value whose write had not
// begun, and no two values are bound before each other: for u and v that is
//     first_end(u) < last_begin(v)  and  first_end(v) < last_begin(u),
// which says both "two forward zones overlap" and "a backward zone lies inside a forward zone". A write that never ends
// counts from the first read that saw it; a read that never ends does not count.
//
// The verdict is immediate: first_end is fixed by the first end, last_begin grows only when a read ends, so the
// operation that makes the history impossible is caught as it ends. Memory is bounded by concurrency, not by the length
// of the run: values that no read may return any more are forgotten (forget() says which and why).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/kernel/time.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// The beginning or the end of an operation.
struct Moment {
  std::uint64_t position = 0;  ///< place in the total order of moments, from 1; 0 is before the run
  OperationId operation = 0;   ///< 0: none, what is known comes from the settled past
  Time at;
  Source session;
};

/// The history of one register, as far as it still matters. Memory: 72 bytes a value that reads may still return and 48
/// bytes a pending operation, in vectors that keep their capacity.
class RegisterHistory {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  /// A value that was written or begun to be written. Positions kNever and 0 stand for "not yet".
  struct KnownValue {
    Value value = 0;
    Moment first_end{kNever, 0, {}, {}};
    Moment last_begin;
    std::uint64_t undone = kNever;  ///< position
    bool is_undone() const { return undone != kNever; }
    bool bound_before(const KnownValue& other) const { return first_end.position < other.last_begin.position; }
  };

  /// Why the end of a read makes the history impossible.
  struct Contradiction {
    Moment read_begun;
    std::optional<KnownValue>
        returned;  ///< what the history knows of the returned value; empty: forgotten or never begun
    std::optional<KnownValue> conflicting;  ///< if returned is known: the value bound both before and after it
  };

  /// Starts over: the register holds `value`, nothing is pending.
  void reset(Value value);

  /// A write of a new value begins. False if a value of this name is known already.
  bool begin_write(Moment begun, Value value);
  void begin_read(Moment begun);

  /// The operation of `ended` ends. An operation that is not pending is ignored.
  void end_write(Moment ended);
  std::optional<Contradiction> end_read(Moment ended, Value value);

  /// Takes a pending read out of the history: its session has given it up. One that is not pending is ignored.
  void abandon_read(OperationId operation);

  /// Takes the longest-pending read out of the history, which can only hide a violation; false if none is pending.
  bool abandon_oldest_read();

  /// From now on values that are forgotten are kept, so that a later one may be undone: 32 bytes a write. For a history
  /// that has just been reset; before its value nobody had written.
  void keep_past();
  /// A value is undone: from `position` on it is as if it had not been written. What was read before stands. For a
  /// history that keeps its past. False if no write of it has begun.
  bool undo(Value value, std::uint64_t position);

  /// Nothing is pending, one value is left and nothing is kept of the past but that nobody had written: the history is
  /// as good as that of a register that was reset to it.
  bool is_settled() const {
    const bool forgotten = past_.empty() || (past_.size() == 1 && past_.front().value == kNeverWritten);
    return pending_.empty() && values_.size() == 1 && !values_.front().is_undone() && forgotten;
  }

  /// The values that a read that begins now may return without a violation, and those that a pending read may.
  const std::vector<KnownValue>& values() const { return values_; }
  /// Whether a read that begins now may return this one of `values()`.
  bool is_current(const KnownValue& value) const;

 private:
  struct Pending {
    Moment begun;
    Value written = 0;
    bool is_write = false;
  };

  std::optional<Pending> take(OperationId operation);
  KnownValue* known(Value value);
  void forget();

  /// Whether a read that began at this position may not have seen it any more.
  static bool undone_for(const KnownValue& value, std::uint64_t begun) { return value.undone < begun; }

  bool keeps_past_ = false;
  std::vector<KnownValue> values_;
  std::vector<KnownValue> past_;  // that were forgotten, if they are kept
  std::vector<Pending> pending_;  // in the order of beginning
};

}  // namespace racksim::sim

// Records the operations that clients see, for the checkers that judge whole histories, in bounded memory.
//
// The budget is a number of operations. When it is spent, three quarters of it go to the keys that have been used most,
// as many as have room there. Of the others half, chosen by a hash of the key, are given up with all that was recorded
// of them, and so on (Flajolet, "On Adaptive Sampling", Computing 43, 1990). Races are where many operations meet, and
// the sample has the rest. What remains is complete for each key that is kept, so every checker that judges key by key
// may judge it. Of a key that has no room alone the beginning is kept: up to an instant, at which what was under way
// stays pending. Whatever a history promises here, its beginning keeps too. A key that has been given up is not taken
// again, however much it is used later: nobody would know what it held.
//
// Which keys remain depends on the history alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "sim/checkers/operation.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/history.hpp"
#include "sim/record/open_operations.hpp"

namespace racksim::sim::checkers {

/// All that was done to one key.
struct KeyHistory {
  Key key = 0;
  std::uint64_t initial = kNeverWritten;  ///< what it held before
  Operations operations;
};

/// Reads the beginnings and ends of operations. Attach it before the first operation begins. Memory: 80 bytes an
/// operation and up to 43 while it is pending; 16 bytes a key with an initial value, until it is given up.
class HistoryRecorder final : public Observer {
 public:
  static constexpr std::size_t kDefaultBudget = 1'000'000;

  explicit HistoryRecorder(std::size_t budget = kDefaultBudget) : budget_(budget) {}

  /// What warm-up left behind.
  void initial_value(Key key, Value value);

  /// An end without a beginning is ignored (ProgressOracle reports it). The checkers know reads and writes: a key that
  /// an atomic operation is about, or a write of which a crash has undone, is left out as a whole.
  ObservedKinds kinds() const override { return kAccessKinds.with({Observed::write_lost}); }
  void observe(const Observation& observation) override;

  /// The history of each key that was kept and used, by ascending key. Sorts the record: valid until the next call of
  /// a member that is not const.
  std::vector<KeyHistory> by_key();

  /// Keys that were left out.
  std::size_t left_out_keys() const { return left_out_.size(); }
  std::size_t recorded_operations() const { return operations_.size(); }
  std::uint64_t dropped_operations() const { return dropped_; }
  /// Of the keys that are not among the most used one in 2^halvings() is kept.
  unsigned halvings() const { return halvings_; }

 private:
  struct Initial {
    Key key;
    Value value;
  };

  bool is_sampled(Key key) const;
  bool keeps(Key key) const { return is_sampled(key) || most_used_.contains(key); }
  void stay_within_budget();
  void choose_most_used();
  void keep_beginning(Key key, std::size_t operations);
  void index_pending();

  std::size_t budget_;
  unsigned halvings_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t dropped_ = 0;
  std::vector<Operation> operations_;
  OpenOperations<std::size_t> pending_;  // operation to its index
  std::vector<Initial> initials_;
  std::set<std::uint64_t> left_out_;
  std::set<std::uint64_t> most_used_;  // that are kept whatever their hash
  std::set<std::uint64_t> cut_;        // of which only the beginning is kept
};

}  // namespace racksim::sim::checkers

// The data-value invariant: what clients read and write of each key is linearizable.
//
// Judged from client-visible operations alone (history.hpp), completely and as the run goes, by register_history.hpp; a
// violation is reported at the end of the read that makes the history impossible. Linearizability is per key, so the
// verdict holds for all keys together (Herlihy and Wing, "Linearizability", 1990, locality).
//
// Memory: 24 bytes a key that was ever written, times the slack of FlatMap (2 M keys: 96 MiB); more only for keys with
// pending operations or with concurrent writes whose order nobody has seen yet (register_history.hpp). None per
// operation, so nothing is sampled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/oracles/last_values.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"
#include "sim/record/register_history.hpp"

namespace racksim::sim {

/// Reads the beginnings and ends of reads and writes, and which writes a crash has undone. Operations that do not
/// access memory are ignored. A key that an atomic operation is about is not judged from then on, since such a write
/// depends on the value before it: MemoryModelOracle judges those. After its first violation a key is not checked any
/// further, so violation_count() counts keys. Operations pending at the end of the run, and writes that their sessions
/// gave up, may or may not have taken effect. An end without a beginning is ignored here (ProgressOracle reports it).
/// Attach it before the first operation begins.
class DataValueOracle final : public Oracle, public LastValues {
 public:
  /// `event_log` gives the names of sessions and must outlive the oracle. A read that stays pending while a key takes
  /// more than `value_limit` new values (its session crashed, say) is given up: its result is not checked.
  explicit DataValueOracle(const EventLog& event_log, std::size_t value_limit = 1024);

  /// Writes may be undone (history.hpp, record_lost_write): keeps all values of all keys that are written. Only before
  /// the run.
  void expect_losses() { expects_losses_ = true; }

  /// What warm-up left behind. Only before the key's first operation, else a std::runtime_error.
  void initial_value(Key key, Value value);

  ObservedKinds kinds() const override { return kAccessKinds.with({Observed::write_lost}); }
  void observe(const Observation& observation) override;

  /// Whether a read that began and ended now could return `value`: that of the last write, or of one that may have been
  /// the last. After the first violation of a key true of every value.
  bool may_hold(Key key, Value value) const override;
  /// The values that may_hold, in ascending order; none after the first violation of a key.
  std::vector<Value> possible_values(Key key) const override;
  void visit_keys(const std::function<void(Key key)>& visit) const override {
    states_.for_each([&](std::uint64_t key, State) { visit(Key{key}); });
  }

  /// Keys that are not judged because of atomic operations.
  std::uint64_t unjudged_keys() const { return unjudged_keys_; }
  /// Reads that were given up.
  std::uint64_t unchecked_reads() const { return unchecked_reads_; }
  /// Keys that need memory: written ones, and those with pending operations.
  std::size_t keys() const { return states_.size(); }
  /// Keys that need more than their 24 bytes at the moment.
  std::size_t open_keys() const { return histories_.size() - vacant_.size(); }

 private:
  // A key's state is the settled value, or kOpen + the index of its history, or kConvicted.
  using State = std::uint64_t;
  static constexpr State kOpen = kValueBound;
  static constexpr State kConvicted = ~State{0};

  void begin(const OperationView& operation, const Moment& moment, State& state);
  void end(const OperationView& operation, const Moment& moment, State& state);
  void give_up(const OperationView& operation, const Moment& moment, State& state);
  void lose(const LostWriteView& lost, const Observation& observation);
  void settle(Key key, State& state, std::uint32_t index);
  void convict(State& state, std::uint32_t index);
  std::uint32_t open(State& state);
  void check_value(const OperationView& operation, bool may_be_unwritten) const;
  std::string explained(const OperationView& read, const Moment& ended, const RegisterHistory& history,
                        const RegisterHistory::Contradiction& why) const;
  std::string told(const Moment& moment) const;

  const EventLog& event_log_;
  std::size_t value_limit_;
  std::uint64_t position_ = 0;
  std::uint64_t unchecked_reads_ = 0;
  std::uint64_t unjudged_keys_ = 0;
  bool expects_losses_ = false;
  FlatMap<State> states_;
  std::vector<RegisterHistory> histories_;
  std::vector<std::uint32_t> vacant_;  // histories that no key uses
};

}  // namespace racksim::sim

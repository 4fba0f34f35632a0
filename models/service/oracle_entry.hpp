// An oracle as a run sees it, and its entry in the registry of oracles (sim/options/registry.hpp).
//
// An oracle watches from outside: it is made for a run, is told the state that the warm-up left, observes the event
// log, and judges when the drain is over. `built_in_oracles.cpp` has those of sim/oracles/ and sim/checkers/; a
// protocol or a workload may bring its own, in its own folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/service/protocol.hpp"
#include "sim/checkers/history_recorder.hpp"
#include "sim/options/registry.hpp"
#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/state_visitor.hpp"

namespace racksim::models {

/// All oracles that a protocol keeps with these options on such a rack: those of consistency, and those of waiting and
/// of work if it bounds them.
std::vector<std::string> all_promises(const ProtocolOptions& options, const RackOptions& rack);

/// What a run asks of its oracles.
struct OracleTerms {
  bool expect_timeouts = false;      ///< of `served`: overload, or timeouts that are too short
  bool perfect_wires = true;         ///< no fault is to come, of wires or anything else
  bool may_lose_writes = true;       ///< a fault is to come that may undo writes: then all values are kept
  sim::Duration patience{};          ///< how long a lost packet may go unnoticed
  sim::Duration settling{};          ///< how long after-effects of a fault excuse timeouts
  std::uint64_t history_budget = 0;  ///< operations that are recorded for checks of whole histories, at most
};

/// One recorder for all.
struct RecordedHistory {
  std::shared_ptr<sim::checkers::HistoryRecorder> recorder;
  sim::Counter* kept = nullptr;
  sim::Counter* dropped = nullptr;
};

/// What oracles are made from, and what several of them share. Lives as long as they do.
class OracleContext {
 public:
  /// `of_workload`: see Workload::oracle; may be null.
  OracleContext(Rack& rack, Protocol& protocol, const ProtocolOptions& options,
                std::shared_ptr<sim::Oracle> of_workload, const OracleTerms& terms);

  Rack& rack() const { return rack_; }
  Protocol& protocol() const { return protocol_; }
  const sim::EventLog& event_log() const { return rack_.event_log(); }
  const std::shared_ptr<sim::Oracle>& of_workload() const { return of_workload_; }
  const OracleTerms& terms() const { return terms_; }
  /// ProtocolOptions::waiting of this run.
  std::optional<sim::WaitingBounds> waiting() const { return options_.waiting(rack_.options()); }
  /// ProtocolOptions::costs of this run.
  CostTable costs() const { return options_.costs(rack_.options()); }
  /// Whether a crash that is to come may undo acknowledged writes (ProtocolOptions::may_lose_writes).
  bool may_lose_writes() const { return may_lose_writes_; }

  /// Whether the protocol keeps this oracle with its options (all_promises).
  bool is_promised(std::string_view oracle) const;

  /// The one that judges what clients read and write, and knows their last writes: made when it is first asked for.
  std::shared_ptr<sim::DataValueOracle> data_value();
  /// What records histories for all checks of whole ones, and the metrics that say how much of them.
  const RecordedHistory& history();

  /// Has `observer` attached with the oracles, and told the first state through `first_state`, which may be null.
  void attach(std::shared_ptr<sim::Observer> observer, std::shared_ptr<sim::StateVisitor> first_state = nullptr);

  /// What `attach` was given, without repetitions.
  const std::vector<std::shared_ptr<sim::Observer>>& observers() const { return observers_; }
  const std::vector<std::shared_ptr<sim::StateVisitor>>& first_states() const { return first_states_; }

 private:
  Rack& rack_;
  Protocol& protocol_;
  const ProtocolOptions& options_;
  std::shared_ptr<sim::Oracle> of_workload_;
  OracleTerms terms_;
  bool may_lose_writes_;
  std::vector<std::string> promises_;
  std::shared_ptr<sim::DataValueOracle> data_value_;
  RecordedHistory history_;
  std::vector<std::shared_ptr<sim::Observer>> observers_;
  std::vector<std::shared_ptr<sim::StateVisitor>> first_states_;
};

/// Tells `Keeper::initial_value` of the values that the first state shows: those at the homes, and dirty copies.
template <class Keeper>
class FirstValues final : public sim::StateVisitor {
 public:
  explicit FirstValues(Keeper& keeper) : keeper_(keeper) {}
  void home(sim::Key key, sim::Value value) override { keeper_.initial_value(key, value); }
  void copy(sim::Key key, sim::Holder, sim::Value value, sim::CopyState state) override {
    if (state == sim::CopyState::dirty) keeper_.initial_value(key, value);
  }
  void lost(sim::Key) override {}

 private:
  Keeper& keeper_;
};

/// An oracle, and whether `check.all` asks for it: always, if the protocol or the workload promises it with its
/// options, or never, since others imply it or since not every run can keep it.
struct OracleEntry {
  enum class AttachWhen : std::uint8_t { always, if_promised, by_name };
  static constexpr std::string_view kWhat = "oracle";

  std::string name, doc;
  AttachWhen attach = AttachWhen::always;
  /// Makes it for a run; what it needs attached besides itself it gives to the context. Throws sim::OptionError, about
  /// the option of `check` that asks for it, if it cannot judge such a protocol.
  std::function<std::shared_ptr<sim::Oracle>(OracleContext&)> make = {};
};

/// What the entry makes, attached. Throws as it does, and std::logic_error if it makes nothing, or an oracle that goes
/// by another name than scenarios ask for it.
std::shared_ptr<sim::Oracle> attach_oracle(const OracleEntry& entry, OracleContext& context);

/// All oracles, in the order of their names.
inline const std::vector<OracleEntry>& oracles() {
  return sim::Registry<OracleEntry>::entries();
}

}  // namespace racksim::models

// The operations of a run, each as one row, in bounded memory: those under way, and those that have ended behind one
// that has not.
//
// Rows come in the order in which operations begin. One that is still under way when kMostHeld others have begun after
// it is set aside: its row comes where it ends, or behind all others if it never does. Who needs no ends gets rows in
// that order without exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "models/service/service.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/history.hpp"
#include "sim/record/open_operations.hpp"

namespace racksim::tools {

/// One operation.
struct OperationRow {
  sim::Time begun;
  std::optional<sim::Time> ended;  ///< nothing if it was given up, or the run was over first
  models::Session session;
  sim::OperationKind kind{};
  sim::Key key = 0;         ///< the object's, lock's or item's number, as the event log has it
  std::uint64_t bytes = 0;  ///< models::Service::bytes_of
  std::string answered_by;  ///< a label of the protocol's; empty where it tells none
  bool in_window = false;   ///< it ended in the window of measurement: the metrics count it
};

/// Makes rows of what an event log and a service tell. Attach it to both before the run. What a protocol does in the
/// name of a dead session is no operation of the workload's, and has no row.
class OperationRows final : public sim::Observer, public models::OperationWitness {
 public:
  static constexpr std::size_t kMostHeld = std::size_t{1} << 16;  ///< rows behind one that is under way

  using Sink = std::function<void(const OperationRow&)>;
  /// Ends are told if the sink `needs_ends`; else a row is there at once. Service and metrics must outlive it.
  OperationRows(const models::Service& service, const sim::Metrics& metrics, bool needs_ends, Sink sink)
      : service_(service), metrics_(metrics), needs_ends_(needs_ends), sink_(std::move(sink)) {}

  sim::ObservedKinds kinds() const override {
    return {sim::Observed::operation_begun, sim::Observed::operation_ended, sim::Observed::operation_given_up};
  }
  void observe(const sim::Observation& observation) override;
  void answered(sim::OperationId operation, const std::string& by) override;
  void is_for_dead(sim::OperationId operation) override;

  /// The run is over: the rows of what has not ended.
  void finish();

 private:
  struct Held {
    OperationRow row;
    bool over = false;  // ended or given up
    bool omitted = false;
  };

  void begin(const sim::Observation& observation);
  void end(const sim::Observation& observation);
  /// Null if the operation has no row to come.
  Held* find(sim::OperationId operation);
  void hand_over(const Held& held);
  /// Hands over those at the front that wait for nobody.
  void advance();

  const models::Service& service_;
  const sim::Metrics& metrics_;
  bool needs_ends_;
  Sink sink_;
  std::uint64_t first_ = 0;  // the number of the row at the front
  std::deque<Held> held_;
  std::map<std::uint64_t, Held> set_aside_;     // by number
  sim::OpenOperations<std::uint64_t> numbers_;  // of operations under way: their rows' numbers
};

}  // namespace racksim::tools

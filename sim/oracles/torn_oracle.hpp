// Items: whoever reads one reads it whole, all of its parts and all of one write.
//
// What the parts held is noted by the service (models/service/item_parts.hpp), which records an answer with a flaw; the
// oracle sees no protocol's own check.
#pragma once

#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// Reads stray answers, and objects to those whose parts make no item.
class TornOracle final : public Oracle {
 public:
  /// `event_log` gives the names of sessions and must outlive the oracle. Whoever is no store has no items: of such a
  /// run nothing is judged.
  explicit TornOracle(const EventLog& event_log, bool of_store = true)
      : Oracle("torn", "operation"), event_log_(event_log), of_store_(of_store) {}

  ObservedKinds kinds() const override { return {Observed::stray_answer}; }
  void observe(const Observation& observation) override;
  /// All that ended.
  std::uint64_t judged() const override { return of_store_ ? event_log_.count(Observed::operation_ended) : 0; }

 private:
  const EventLog& event_log_;
  bool of_store_;
};

}  // namespace racksim::sim

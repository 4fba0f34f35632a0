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
  /// `event_log` gives the names of sessions and must outlive the oracle.
  explicit TornOracle(const EventLog& event_log) : Oracle("torn"), event_log_(event_log) {}

  void observe(const Observation& observation) override;

 private:
  const EventLog& event_log_;
};

}  // namespace racksim::sim

// The oracle `serializability`: what transactions have read and written has a serial order that keeps real time, and memory
// at rest holds the last committed version of each row, and nothing of those that have aborted.
//
// A node that crashes may leave a transaction half done: then nothing is judged.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/applications/transactions/rows_at_rest.hpp"
#include "models/applications/transactions/transaction_log.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::app {

class Serializability;

class SerializabilityOracle final : public sim::Oracle {
 public:
  SerializabilityOracle(const TransactionLog& log, const RowsAtRest& rows, const std::vector<RowTable>& tables,
                        std::shared_ptr<models::MemoryImage> at_rest)
      : Oracle("serializability", "transaction"),
        log_(log),
        rows_(rows),
        tables_(tables),
        at_rest_(std::move(at_rest)) {}

  sim::ObservedKinds kinds() const override { return {}; }
  sim::StateVisitor* state_at_rest() override { return at_rest_.get(); }
  void finish(sim::Time end) override;

 private:
  void judge_memory(sim::Time end, const Serializability& judged);

  const TransactionLog& log_;
  const RowsAtRest& rows_;
  const std::vector<RowTable>& tables_;
  std::shared_ptr<models::MemoryImage> at_rest_;
};

}  // namespace racksim::app

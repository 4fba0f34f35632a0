// Two-phase commit over partitioned nodes, as an engine of transactions. See commit_transaction.hpp and partitions.hpp.
#include <memory>

#include "models/applications/transactions/engine.hpp"
#include "models/applications/transactions/two_phase_commit/commit_transaction.hpp"
#include "models/applications/transactions/two_phase_commit/partitions.hpp"

namespace racksim::app::two_phase_commit {

namespace {

class TwoPhaseCommit final : public Engine {
 public:
  explicit TwoPhaseCommit(const EngineContext& context) : partitions_(context) {}
  std::unique_ptr<Transaction> transaction(Client& client) override {
    return std::make_unique<CommitTransaction>(partitions_, client);
  }
  std::uint64_t left_locked() const override { return partitions_.left_locked(); }
  void node_crashed(models::NodeId node) override { partitions_.node_crashed(node); }

 private:
  Partitions partitions_;
};

const sim::Registration<EngineEntry> registration({
    .name = "2pc",
    .doc = "two-phase commit: nodes have parts of the rows for their own, lock and log them",
    .operations = [](const TransactionOptions&, models::OperationSet) { return models::OperationSet{}; },
    .own_threads =
        [](const TransactionOptions& options) { return static_cast<unsigned>(options.commit.server_threads); },
    .always_logs = true,
    .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
      return std::make_unique<TwoPhaseCommit>(context);
    },
});

}  // namespace

}  // namespace racksim::app::two_phase_commit

// Two-phase locking that does not wait (§2.2): each row's lines are try-locked at its first access, shared or exclusive;
// a refusal aborts. Writes go to the transaction's copies, and to memory at its commit, row by row, each before its lines
// are unlocked.
//
// A line that is held shared and then needed exclusively cannot be upgraded: the attempt ends, and the next one of the same
// transaction takes the line exclusively at once.
#include <algorithm>
#include <memory>
#include <vector>

#include "models/applications/transactions/engine.hpp"
#include "models/applications/transactions/stored_transaction.hpp"

namespace racksim::app::two_phase_locking {

namespace {

using models::LockMode;

class TwoPhaseTransaction final : public StoredTransaction {
 public:
  using StoredTransaction::StoredTransaction;

 private:
  sim::Task<void> start(bool again) override {
    if (!again) exclusive_.clear();
    co_return;
  }

  sim::Task<void> fetch(RowCopy& copy) override {
    if (!is_read_only(copy.row)) co_await take(copy);
    if (!copy.fetched) co_await load(copy);
  }
  sim::Task<void> fetch_all(std::span<RowCopy* const> copies) override {
    for (RowCopy* copy : copies) {
      if (!is_read_only(copy->row)) co_await take(*copy);
    }
    co_await load_all(copies);
  }

  /// The locks of a row's lines.
  sim::Task<void> take(const RowCopy& copy) {
    const Lines all = lines(copy.row);
    for (std::uint64_t line = all.first; line <= all.last; ++line) {
      const bool update = copy.intent == Intent::update;
      if (const Held* has = held(line)) {
        if (!update || has->mode == LockMode::exclusive) continue;
        exclusive_.push_back(line);
        throw Aborted{AbortReason::lock};
      }
      const bool known = std::find(exclusive_.begin(), exclusive_.end(), line) != exclusive_.end();
      co_await try_lock(line, update || known ? LockMode::exclusive : LockMode::shared);
    }
  }

  sim::Task<void> finish() override {
    co_await log_commit();
    co_await write_back();
  }
  sim::Task<void> undo() override { return unlock_all(); }

  std::vector<std::uint64_t> exclusive_;  // lines that an earlier attempt should have taken so
};

class TwoPhaseLocking final : public Engine {
 public:
  explicit TwoPhaseLocking(const EngineContext& context) : context_(context) {}
  std::unique_ptr<Transaction> transaction(Client& client) override {
    return std::make_unique<TwoPhaseTransaction>(context_, client);
  }

 private:
  EngineContext context_;
};

using Kind = sim::OperationKind;
const sim::Registration<EngineEntry> registration({
    .name = "2pl",
    .doc = "two-phase locking: a lock that is refused aborts",
    .operations =
        [](const TransactionOptions&, models::OperationSet) {
          return models::OperationSet{Kind::try_lock, Kind::try_lock_shared, Kind::unlock};
        },
    .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
      return std::make_unique<TwoPhaseLocking>(context);
    },
});

}  // namespace

}  // namespace racksim::app::two_phase_locking

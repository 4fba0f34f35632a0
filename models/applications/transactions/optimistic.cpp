// Optimistic concurrency control (§2.2; Kung and Robinson, "On Optimistic Methods for Concurrency Control", ACM TODS 6(2),
// 1981): a transaction latches a row to copy it and its version, and lets it go. To commit it latches the lines of all
// its rows again, in the order of their addresses, and gives up if one is refused; then it compares the versions of what
// it has read and writes what it has written with versions raised. A row is latched twice.
//
// The header's upper 63 bits are the version.
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "models/applications/transactions/engine.hpp"
#include "models/applications/transactions/stored_transaction.hpp"

namespace racksim::app::optimistic {

namespace {

using models::LockMode;

std::uint64_t header_of(std::span<const std::byte> slot) {
  std::uint64_t header = 0;
  std::memcpy(&header, slot.data(), sizeof header);
  return header;
}

class OptimisticTransaction final : public StoredTransaction {
 public:
  using StoredTransaction::StoredTransaction;

 private:
  sim::Task<void> start(bool) override { co_return; }

  sim::Task<void> fetch(RowCopy& copy) override {
    if (copy.fetched) co_return;  // the intent makes no difference before the commit
    if (!is_read_only(copy.row)) co_await latch(copy.row);
    co_await load(copy);
    co_await unlock_all();
  }
  sim::Task<void> fetch_all(std::span<RowCopy* const> copies) override {
    fresh_.clear();
    for (RowCopy* copy : copies) {
      if (!copy->fetched) fresh_.push_back(copy);
    }
    for (RowCopy* copy : fresh_) {
      if (!is_read_only(copy->row)) co_await latch(copy->row);
    }
    co_await load_all(fresh_);
    co_await unlock_all();
  }
  sim::Task<void> latch(Row row) {
    const Lines all = lines(row);
    for (std::uint64_t line = all.first; line <= all.last; ++line) {
      if (held(line) == nullptr) co_await lock(line, LockMode::shared);
    }
  }

  sim::Task<void> finish() override {
    latches_.clear();
    for (const RowCopy* copy : copies()) {
      if (!copy->recorded && !copy->written) continue;
      const Lines all = lines(copy->row);
      for (std::uint64_t line = all.first; line <= all.last; ++line) {
        LockMode& mode = latches_.try_emplace(line, LockMode::shared).first->second;
        if (copy->written) mode = LockMode::exclusive;
      }
    }
    for (const auto& [line, mode] : latches_) co_await try_lock(line, mode);
    for (const RowCopy* copy : copies()) {
      if (copy->recorded) co_await validate(*copy);
    }
    for (RowCopy* copy : writes()) {
      const std::uint64_t header = header_of(copy->slot) + 2;
      std::memcpy(copy->slot.data(), &header, sizeof header);
    }
    co_await log_commit();
    co_await write_back();
  }

  sim::Task<void> validate(const RowCopy& copy) {
    std::uint64_t now = 0;
    co_await load_header(copy.row, std::as_writable_bytes(std::span(&now, 1)));
    if (now >> 1 != header_of(copy.slot) >> 1) throw Aborted{AbortReason::validation};
  }

  sim::Task<void> undo() override { return unlock_all(); }

  std::vector<RowCopy*> fresh_;
  std::map<std::uint64_t, LockMode> latches_;  // by line, to commit
};

class Optimistic final : public Engine {
 public:
  explicit Optimistic(const EngineContext& context) : context_(context) {}
  std::unique_ptr<Transaction> transaction(Client& client) override {
    return std::make_unique<OptimisticTransaction>(context_, client);
  }

 private:
  EngineContext context_;
};

using Kind = sim::OperationKind;
const sim::Registration<EngineEntry> registration({
    .name = "occ",
    .doc = "optimistic: what was read is compared at the commit",
    .operations =
        [](const TransactionOptions&, models::OperationSet) {
          return models::OperationSet{Kind::lock_shared, Kind::try_lock, Kind::try_lock_shared, Kind::unlock};
        },
    .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
      return std::make_unique<Optimistic>(context);
    },
});

}  // namespace

}  // namespace racksim::app::optimistic

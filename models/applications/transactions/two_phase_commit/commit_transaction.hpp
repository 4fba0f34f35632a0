// A transaction over partitioned nodes, as its coordinator runs it, the thread that it is of (§2.2, "2PC").
//
// Each row is locked where it lies, shared or exclusive, at its first access; a refusal aborts the transaction at all
// nodes. Writes stay in the transaction's copies until its commit:
//
//   alone              log its rows and sync; write them; give the locks back.
//   with other nodes   log and sync `prepare`; then each of the others in turn logs and syncs its rows and promises to
//                      commit; log and sync the decision; tell all of them at once, and write the own rows meanwhile.
//
// With k others that write these are 2 + 2k syncs, 2 + k of them one after the other. An abort needs none: nodes that find
// no decision take it for one (presumed abort). A transaction that has written nothing logs nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/applications/transactions/stored_transaction.hpp"
#include "models/applications/transactions/two_phase_commit/partitions.hpp"

namespace racksim::app::two_phase_commit {

class CommitTransaction final : public StoredTransaction {
 public:
  CommitTransaction(Partitions& partitions, Client& client);

 private:
  /// A node that takes part, and what it is to write.
  struct Other {
    models::NodeId node = 0;
    std::vector<RowImage> rows = {};
  };

  sim::Task<void> start(bool again) override;
  sim::Task<void> fetch(RowCopy& copy) override;
  sim::Task<void> fetch_all(std::span<RowCopy* const> copies) override;
  std::uint64_t fetched_together(Row row) const override { return partitions_.together(row, client().node()); }
  sim::Task<void> finish() override;
  sim::Task<void> undo() override;

  /// Takes the lock of a row of this node. Throws Aborted.
  void lock_here(const RowCopy& copy);
  /// Reads rows of this node that it has locked.
  sim::Task<void> load_here(std::span<RowCopy* const> copies);
  /// Has another node lock and read rows that follow each other.
  sim::Task<void> fetch_from(models::NodeId node, std::span<RowCopy* const> copies);
  /// What it has written, dealt out: what is this node's.
  std::vector<RowImage> deal_out();
  /// Has all others promise to commit, one after the other. Throws Aborted.
  sim::Task<void> collect_promises();
  sim::Task<void> log_here(std::uint64_t bytes);
  sim::Task<void> decide(models::NodeId node, Verb verb);
  sim::Task<void> decide_all(Verb verb, std::vector<RowImage> own);
  /// A participant has given it up.
  [[noreturn]] void voted_down();
  Request request(Verb verb) const { return {.verb = verb, .transaction = id_, .row = {}, .rows = {}}; }

  Partitions& partitions_;
  Seat& seat_;
  models::LogDevice& log_;
  RowLocks& locks_;
  TransactionId id_ = 0;
  std::vector<Other> others_;  // in the order in which they came to take part
  std::uint64_t attempts_ = 0;
  std::uint64_t syncs_ = 0, in_turn_ = 0;  // of this attempt
  std::uint8_t voted_down_ = 0;            // earlier attempts at the same transaction, as far as it counts
  bool prepared_ = false;                  // its own entry is in the log
};

}  // namespace racksim::app::two_phase_commit

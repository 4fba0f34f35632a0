// The record of a run's transactions, which the face of transactions writes and the oracle `serializability` judges
// (applications of the papers, §2.3): each attempt, when it began and how it ended, which version of each row it has read,
// and which it has written in the place of which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/applications/transactions/row.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::app {

/// A fingerprint of a row's bytes, and of whether it is there: what was read must be what was written.
std::uint64_t contents_of(std::span<const std::byte> row, bool there);

class TransactionLog {
 public:
  /// The number of an attempt, from 1 on.
  using Attempt = std::uint64_t;
  enum class Outcome : std::uint8_t { open, committed, aborted };

  struct Access {
    Row row;
    std::uint64_t version = 0;  ///< read or written
    std::uint64_t before = 0;   ///< of a write: what it replaces
    std::uint64_t contents = 0;
    bool wrote = false;
  };
  struct Entry {
    sim::Time began, ended;
    std::uint64_t transaction = 0;  ///< of its thread, from 1 on
    std::uint32_t number = 0;       ///< of the attempt at it, from 1 on
    std::uint16_t node = 0, thread = 0;
    Outcome outcome = Outcome::open;
    std::uint16_t writes = 0;
    std::size_t first = 0, accesses = 0;  ///< its accesses
  };

  /// An attempt begins; `last` is the thread's last one, 0 if there is none; `again`: at the same transaction.
  Attempt begin(sim::Time now, unsigned node, unsigned thread, Attempt last, bool again);
  /// A version for a row that the attempt writes. Throws std::logic_error after 65,535.
  std::uint64_t next_version(Attempt attempt);
  void read(Attempt attempt, Row row, std::uint64_t version, std::uint64_t contents);
  void wrote(Attempt attempt, Row row, Versions versions, std::uint64_t contents);
  void end(Attempt attempt, sim::Time now, Outcome outcome);

  /// Whose a version is; 0 of what was there at first.
  static Attempt writer(std::uint64_t version) { return version >> kWriteBits; }
  /// Which of its writes it is, from 0 on.
  static std::size_t number_of_write(std::uint64_t version) { return version & ((1U << kWriteBits) - 1); }
  std::size_t attempts() const { return entries_.size(); }
  bool knows(Attempt attempt) const { return attempt > 0 && attempt <= entries_.size(); }
  const Entry& entry(Attempt attempt) const { return entries_[attempt - 1]; }
  /// Its accesses, in their order; those that were not committed have none left but writes.
  std::span<const Access> accesses(Attempt attempt) const {
    const Entry& e = entry(attempt);
    return std::span(accesses_).subspan(e.first, e.accesses);
  }
  /// "transaction 12 of thread 1 of node 3", and the attempt if it is not the first.
  std::string name(Attempt attempt) const;

 private:
  static constexpr unsigned kWriteBits = 16;

  std::vector<Entry> entries_;
  std::vector<Access> accesses_;           // of those that have ended
  std::vector<std::vector<Access>> open_;  // of those under way
  std::vector<std::size_t> free_;          // of open_
  std::vector<std::size_t> open_of_;       // by attempt: in open_
};

}  // namespace racksim::app

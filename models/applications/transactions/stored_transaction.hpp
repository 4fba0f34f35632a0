// What engines share whose transactions reach rows in the memory service from every node: slots that they read and write,
// and locks of the lines that these lie in, which count once however many rows use a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/applications/transactions/engine.hpp"

namespace racksim::app {

/// Lines of a slot: numbers that follow each other.
struct Lines {
  std::uint64_t first = 0, last = 0;
};

class StoredTransaction : public Transaction {
 public:
  StoredTransaction(const EngineContext& context, Client& client)
      : Transaction(context.transactions, client),
        memory_(context.memory),
        places_(context.places),
        round_trip_(context.rack.options().rtt) {}

 protected:
  std::uint64_t fetched_together(Row row) const override { return places_.together(row); }

  models::GlobalAddress address(Row row) const { return places_.address(row, client().node()); }
  Lines lines(Row row) const;
  bool is_read_only(Row row) const { return context().tables[row.table].keys_per_part == 0; }
  /// Reads all of a slot.
  sim::Task<void> load(RowCopy& copy);
  /// The same of several rows, in one call where slots follow each other in a line.
  sim::Task<void> load_all(std::span<RowCopy* const> copies);
  /// Writes all of a slot.
  sim::Task<void> store(const RowCopy& copy);

  /// The same of its header alone.
  sim::Task<void> load_header(Row row, std::span<std::byte> header) { return client().read(address(row), header); }
  sim::Task<void> store_header(const RowCopy& copy, std::size_t bytes) {
    return client().write(address(copy.row), std::span<const std::byte>(copy.slot).first(bytes));
  }
  /// Writes what it has written, row by row, each before its lines are unlocked, and then unlocks what is left.
  sim::Task<void> write_back();

  // Locks of lines.
  struct Held {
    std::uint64_t line = 0;
    models::LockMode mode = models::LockMode::shared;
  };
  /// Null if the transaction does not hold the line.
  const Held* held(std::uint64_t line) const;
  std::span<const Held> all_held() const { return held_; }
  /// Throws Aborted if the lock is refused. Of a line that it does not hold. An unlock may return before it is known
  /// where locks are: what the thread itself gave back less than a round trip ago it tries once more when that is over.
  sim::Task<void> try_lock(std::uint64_t line, models::LockMode mode);
  /// Waits for it.
  sim::Task<void> lock(std::uint64_t line, models::LockMode mode);
  sim::Task<void> unlock(std::uint64_t line);
  /// Gives back all, the last one first.
  sim::Task<void> unlock_all();

  models::MemoryService& memory() const { return memory_; }

 private:
  /// Whether a row behind this one of `writes` lies in the line.
  bool written_later(std::uint64_t line, std::size_t than) const;

  models::MemoryService& memory_;
  const RowPlaces& places_;
  struct GivenBack {
    std::uint64_t line = 0;
    sim::Time at;
  };
  sim::Duration round_trip_;
  std::vector<Held> held_;             // in the order of taking
  std::vector<GivenBack> given_back_;  // within the last round trip
  std::vector<std::byte> together_;    // slots that are read in one call
};

}  // namespace racksim::app

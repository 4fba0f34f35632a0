// Basic timestamp ordering (§2.2; Bernstein and Goodman, "Concurrency Control in Distributed Database Systems", ACM
// Computing Surveys 13(2), 1981). An attempt draws a stamp; each access latches its row exclusively, reads too, and lets it
// go at once. A read fails if a younger transaction has written the row, a write if a younger one has read or written it.
//
// Safe rules: who means to write marks the row with its stamp. A younger one that meets the mark waits until it is gone, so
// only the younger wait and nobody waits for ever. The row changes at the commit.
// Rules of the public code: a read sets the row's read stamp, also to an older one; a write is shown at once, and an abort
// copies the old row over whatever is there.
//
// Stamps come from a counter, by fetch-and-add or under a lock.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "models/applications/transactions/engine.hpp"
#include "models/applications/transactions/stored_transaction.hpp"

namespace racksim::app::timestamp_ordering {

namespace {

using models::LockMode;
using Kind = sim::OperationKind;

/// Pauses before a mark grow up to 4,096 times as long: where locks are not fair, those who look too often would keep the
/// one that they wait for from its latches.
constexpr unsigned kMostDoublings = 12;

/// In front of a row: three words.
struct Header {
  std::uint64_t written = 0;  ///< the writer's stamp, and in the lowest bit whether the row is there
  std::uint64_t read = 0;     ///< the youngest reader's stamp
  std::uint64_t mark = 0;     ///< the stamp of who means to write it; 0: nobody

  static constexpr std::size_t kBytes = 24;
  std::uint64_t write_stamp() const { return written >> 1; }
  static Header of(const RowCopy& copy) {
    Header header;
    std::memcpy(&header, copy.slot.data(), kBytes);
    return header;
  }
  void to(RowCopy& copy) const { std::memcpy(copy.slot.data(), this, kBytes); }
};

class StampedTransaction final : public StoredTransaction {
 public:
  StampedTransaction(const EngineContext& context, Client& client, models::GlobalAddress counter, bool atomic)
      : StoredTransaction(context, client),
        counter_(counter),
        atomic_(atomic),
        code_(context.options.rules == TransactionOptions::Rules::code),
        wait_(context.options.wait),
        pauses_(context.rack.seed(), fmt::format("node{}/thread{}/marks", client.node(), client.thread())) {}

 private:
  sim::Task<void> start(bool) override {
    marked_.clear();
    old_.clear();
    if (atomic_) {
      const std::uint64_t before = co_await client().fetch_and_add(counter_, 1);
      stamp_ = before + 1;
      co_return;
    }
    const std::uint64_t line = counter_.value / memory().shape().block_bytes;
    co_await lock(line, LockMode::exclusive);
    std::uint64_t count = 0;
    co_await client().read(counter_, std::as_writable_bytes(std::span(&count, 1)));
    stamp_ = ++count;
    co_await client().write(counter_, std::as_bytes(std::span(&count, 1)));
    co_await unlock(line);
  }

  sim::Task<void> fetch(RowCopy& copy) override {
    if (is_read_only(copy.row)) {
      co_await load(copy);
      co_return;
    }
    for (unsigned met = 0;;) {
      co_await latch(copy.row);
      co_await load(copy);
      const bool free = may_pass(copy);
      if (free) break;
      co_await unlock_all();
      co_await wait(++met);
    }
    co_await stamp(copy);
    co_await unlock_all();
  }
  sim::Task<void> fetch_all(std::span<RowCopy* const> copies) override {
    if (is_read_only(copies.front()->row)) {
      co_await load_all(copies);
      co_return;
    }
    for (unsigned met = 0;;) {
      for (RowCopy* copy : copies) co_await latch(copy->row);
      co_await load_all(copies);
      const bool free = std::all_of(copies.begin(), copies.end(), [this](RowCopy* copy) { return may_pass(*copy); });
      if (free) break;
      co_await unlock_all();
      co_await wait(++met);
    }
    for (RowCopy* copy : copies) co_await stamp(*copy);
    co_await unlock_all();
  }

  /// Longer from time to time, and drawn, so that those who look do not keep the older one from its latch.
  sim::Sleep wait(unsigned times) {
    ++context().counters.waits.value;
    const std::int64_t most = wait_.ps() << std::min(times, kMostDoublings);
    return client().pause(
        sim::Duration::from_ps(most / 2 + static_cast<std::int64_t>(pauses_.below(static_cast<std::uint64_t>(most)))));
  }

  /// Whether nobody older means to write the row.
  bool may_pass(const RowCopy& copy) const {
    const std::uint64_t mark = Header::of(copy).mark;
    return mark == 0 || mark >= stamp_;
  }

  /// The rules, under the latch: says in the row's header that it was here.
  sim::Task<void> stamp(RowCopy& copy) {
    Header header = Header::of(copy);
    const bool update = copy.intent == Intent::update;
    if (header.write_stamp() > stamp_ || (update && header.read > stamp_)) throw Aborted{AbortReason::order};
    const Header before = header;
    if (code_) {
      if (update) old_.emplace_back(&copy, copy.slot);
      header.read = stamp_;
    } else {
      header.read = std::max(header.read, stamp_);
      if (update) header.mark = stamp_;
    }
    header.to(copy);
    if (header.read == before.read && header.mark == before.mark) co_return;
    if (header.mark == stamp_ && before.mark != stamp_) marked_.push_back(&copy);
    co_await store_header(copy, Header::kBytes);
  }

  sim::Task<void> latch(Row row) {
    const Lines all = lines(row);
    for (std::uint64_t line = all.first; line <= all.last; ++line) {
      if (held(line) == nullptr) co_await lock(line, LockMode::exclusive);
    }
  }

  // What is marked must be let go, and what has been shown must be taken back: until that is possible.
  template <class Change>
  sim::Task<void> insist(Row row, Change change) {
    unsigned tries = 0;
    for (bool done = false; !done;) {
      try {
        co_await latch(row);
        co_await change();
        done = true;
      } catch (const models::Unavailable&) {
        done = false;
      }
      co_await unlock_all();
      if (!done) co_await wait(++tries);
    }
  }

  sim::Task<void> changed(RowCopy& copy) override {
    if (!code_) co_return;
    shown(copy);
    co_await latch(copy.row);
    co_await store(copy);
    co_await unlock_all();
  }
  void shown(RowCopy& copy) const {
    Header header = Header::of(copy);
    header.written = stamp_ << 1 | (header.written & 1);
    header.mark = 0;
    header.to(copy);
  }

  sim::Task<void> finish() override {
    co_await log_commit();
    for (RowCopy* copy : marked_) {
      if (copy->written) {
        shown(*copy);
        co_await insist(copy->row, [this, copy] { return store(*copy); });
      } else {
        co_await let_go(*copy);
      }
    }
    marked_.clear();
  }

  /// Takes the mark away, if it has come there.
  sim::Task<void> let_go(RowCopy& copy) {
    return insist(copy.row, [this, &copy] { return unmark(copy); });
  }
  sim::Task<void> unmark(RowCopy& copy) {
    std::array<std::byte, Header::kBytes> bytes{};
    co_await load_header(copy.row, bytes);
    std::copy(bytes.begin(), bytes.end(), copy.slot.begin());
    Header header = Header::of(copy);
    if (header.mark != stamp_) co_return;
    header.mark = 0;
    header.to(copy);
    co_await store_header(copy, Header::kBytes);
  }

  sim::Task<void> undo() override {
    co_await unlock_all();
    for (RowCopy* copy : marked_) co_await let_go(*copy);
    marked_.clear();
    while (!old_.empty()) {
      auto [copy, slot] = std::move(old_.back());
      old_.pop_back();
      if (!copy->written) continue;
      copy->slot = std::move(slot);
      co_await insist(copy->row, [this, copy = copy] { return store(*copy); });
    }
  }

  models::GlobalAddress counter_;
  bool atomic_, code_;
  sim::Duration wait_;
  sim::RandomStream pauses_;
  std::uint64_t stamp_ = 0;
  std::vector<RowCopy*> marked_;                                  // in memory, or about to be
  std::vector<std::pair<RowCopy*, std::vector<std::byte>>> old_;  // of the public code: rows as they were
};

bool by_atomics(const TransactionOptions& options, models::OperationSet offered) {
  if (options.stamps == TransactionOptions::Stamps::offered) return offered.has(Kind::fetch_and_add);
  return options.stamps == TransactionOptions::Stamps::atomic;
}

class TimestampOrdering final : public Engine {
 public:
  explicit TimestampOrdering(const EngineContext& context)
      : context_(context),
        counter_(context.memory.reserve(context.memory.shape().block_bytes,
                                        {context.memory.shape().roles.first_memory_node, true})),
        atomic_(by_atomics(context.options, context.memory.shape().offers)) {}
  std::unique_ptr<Transaction> transaction(Client& client) override {
    return std::make_unique<StampedTransaction>(context_, client, counter_, atomic_);
  }
  bool uses(sim::Key key) const override {
    return key == context_.memory.block_of(counter_) || key == context_.memory.object_of(counter_);
  }

 private:
  EngineContext context_;
  models::GlobalAddress counter_;
  bool atomic_;
};

const sim::Registration<EngineEntry> registration({
    .name = "to",
    .doc = "timestamp ordering: who comes too late aborts",
    .header_bytes = Header::kBytes,
    .operations =
        [](const TransactionOptions& options, models::OperationSet offered) {
          models::OperationSet needed{Kind::lock, Kind::unlock};
          if (by_atomics(options, offered)) needed = needed.with({Kind::fetch_and_add});
          return needed;
        },
    .holds_all_rows = false,
    .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
      return std::make_unique<TimestampOrdering>(context);
    },
});

}  // namespace

}  // namespace racksim::app::timestamp_ordering

// A database in a map, to try schemas against: transactions run one after the other, so that whatever is wrong at the end
// is the schema's mistake, or one that a test plants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/applications/client.hpp"
#include "models/applications/transactions/schema.hpp"
#include "models/applications/transactions/transaction_log.hpp"
#include "tests/models/rack_fixture.hpp"
#include "tests/models/service/fake_memory.hpp"

namespace racksim::app::test {

class ReferenceDatabase : public Rows, private models::test::TestRack {
 public:
  /// Rows of a table that a transaction has come to.
  struct Touched {
    std::uint64_t read = 0, updated = 0, inserted = 0, erased = 0;
    std::uint64_t all() const { return read + updated + inserted + erased; }
  };

  explicit ReferenceDatabase(Schema& schema)
      : tables(schema.tables()),
        schema_(schema),
        memory_(rack, models::test::FakeMemory::shape_of()),
        regions_(memory_, {}, SlotLayout::packed),
        client_(ClientContext{rack, memory_, regions_, popularity_, calls_, calls_}, {0, 0}),
        touched(tables.size()),
        transaction_(*this) {}

  /// Runs a terminal's next transaction to its end. Throws what the schema throws.
  End run(Terminal terminal, sim::RandomStream& random) {
    std::optional<End> end;
    sim::Scope scope(calendar);
    scope.spawn(whole(terminal, random, end));
    calendar.run_until();
    return end.value();
  }
  /// The same for so many transactions of as many terminals by turns.
  void run(std::uint64_t transactions, unsigned nodes, unsigned threads, std::uint64_t seed = 1) {
    sim::RandomStream random(seed, "transactions");
    for (std::uint64_t i = 0; i < transactions; ++i) {
      const auto number = static_cast<unsigned>(i % (nodes * threads));
      ++ends[run({.node = number / threads, .thread = number % threads, .nodes = nodes, .threads = threads}, random)];
    }
  }
  /// What the schema finds wrong.
  std::vector<std::string> wrong() const {
    Judge judge;
    schema_.judge(*this, judge);
    judged = judge.judged();
    return judge.wrong();
  }

  bool read(Row row, std::span<std::byte> into) const override {
    const auto bytes = at(row);
    if (bytes) std::copy_n(bytes->begin(), std::min(bytes->size(), into.size()), into.begin());
    return bytes.has_value();
  }
  void each(std::uint32_t table,
            const std::function<void(std::uint64_t key, std::span<const std::byte> row)>& visit) const override {
    for (std::uint64_t key = 0; key < tables[table].keys; ++key) {
      if (const auto bytes = at({table, key})) visit(key, *bytes);
    }
  }
  void each_changed(
      const std::function<void(Row row, bool there, std::span<const std::byte> bytes)>& visit) const override {
    for (const auto& [row, bytes] : changed) {
      visit(row, bytes.has_value(), bytes ? *bytes : std::span<const std::byte>());
    }
  }

  /// What a row holds; nothing if it is not there.
  std::optional<std::vector<std::byte>> at(Row row) const {
    if (const auto known = changed.find(row); known != changed.end()) return known->second;
    std::vector<std::byte> bytes(tables[row.table].row_bytes);
    if (!schema_.first(row, Bytes(bytes))) return std::nullopt;
    return bytes;
  }
  /// Changes a row that is there.
  void edit(Row row, const std::function<void(Bytes)>& edits) {
    auto bytes = at(row).value();
    edits(Bytes(bytes));
    changed[row] = bytes;
  }
  void erase(Row row) { changed[row] = std::nullopt; }

  const std::vector<RowTable> tables;
  std::map<Row, std::optional<std::vector<std::byte>>> changed;
  std::map<End, std::uint64_t> ends;
  mutable std::uint64_t judged = 0;
  /// Changes what a commit is about to write to a row; false: it does not write it.
  std::function<bool(Row, std::span<std::byte> row)> spoils = [](Row, std::span<std::byte>) { return true; };

 private:
  class OneByOne final : public Transaction {
   public:
    explicit OneByOne(ReferenceDatabase& database)
        : Transaction(TransactionContext{database.tables,
                                         kHeader,
                                         {},
                                         {},
                                         database.log_,
                                         {database.counted_, database.counted_, database.counted_}},
                      database.client_),
          database_(database) {}

   private:
    static constexpr std::uint64_t kHeader = 8;
    std::span<std::byte> row_in(RowCopy& copy) const {
      return std::span(copy.slot).subspan(kHeader + Versions::kBytes, database_.tables[copy.row.table].row_bytes);
    }
    sim::Task<void> start(bool) override { co_return; }
    sim::Task<void> fetch(RowCopy& copy) override {
      if (const auto bytes = database_.at(copy.row)) {
        copy.slot[0] = std::byte{1};
        std::copy(bytes->begin(), bytes->end(), row_in(copy).begin());
      }
      co_return;
    }
    sim::Task<void> finish() override {
      for (RowCopy* copy : copies()) {
        Touched& here = database_.touched[copy->row.table];
        const bool before = database_.at(copy->row).has_value();
        ++(!copy->written ? here.read : !copy->there() ? here.erased : before ? here.updated : here.inserted);
      }
      for (RowCopy* copy : writes()) {
        std::vector<std::byte> row(row_in(*copy).begin(), row_in(*copy).end());
        if (!database_.spoils(copy->row, row)) continue;
        database_.changed[copy->row] = copy->there() ? std::optional(row) : std::nullopt;
      }
      co_return;
    }
    sim::Task<void> undo() override { co_return; }

    ReferenceDatabase& database_;
  };

  sim::Task<void> whole(Terminal terminal, sim::RandomStream& random, std::optional<End>& end) {
    co_await transaction_.begin(false);
    end = co_await schema_.run(transaction_, terminal, random);
    if (*end == End::committed) {
      co_await transaction_.commit();
    } else {
      co_await transaction_.abort(*end == End::rolled_back);
    }
    schema_.ended(terminal, *end);
  }

  Schema& schema_;
  models::test::FakeMemory memory_;
  Regions regions_;
  std::vector<models::BlockPopularity> popularity_;
  std::uint64_t calls_ = 0;
  Client client_;
  TransactionLog log_;
  sim::Counter counted_;

 public:
  std::vector<Touched> touched;  ///< by table, by committed transactions

 private:
  OneByOne transaction_;
};

}  // namespace racksim::app::test

// A schema that keeps nothing simple: accounts whose money moves, entries that are inserted, moved and erased, and totals
// that scans must find right. Small, so that what engines do wrong shows.
//
// Each part has accounts, entries and one total. An entry holds money as an account does; a total is the sum of the
// entries of its part, and how many there are. All money together stays what it was.
#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "models/applications/transactions/schema.hpp"

namespace racksim::app::ledger {

namespace {

constexpr std::int64_t kFirstBalance = 100;
enum Tables : std::uint32_t { kAccounts, kEntries, kTotals, kRates, kFlags };
constexpr std::uint64_t kFlagsOfPart = 4;

/// What accounts and entries hold: money, and how often it has changed.
struct Money {
  std::int64_t amount = 0, changes = 0;
};
struct Total {
  std::int64_t amount = 0, entries = 0;
};

std::span<const std::byte> bytes_of(const auto& row) {
  return std::as_bytes(std::span(&row, 1));
}
std::span<std::byte> room_of(auto& row) {
  return std::as_writable_bytes(std::span(&row, 1));
}

struct Ledger final : Schema {
  std::uint64_t parts_ = 4, accounts = 20, entries = 12, bytes = 40, ways = 1;
  double foreign = 0.3, scans = 0.2, inserts = 0.2, skewed = 0.1;

  void declare(sim::Parameters& p) override {
    p.integer("parts", parts_, 1, 10'000, "parts of the ledger").varied({1, 4});
    p.integer("accounts", accounts, 2, 1'000'000, "accounts of a part").varied({2, 20});
    p.integer("entries", entries, 2, 1'000, "entries that a part has room for").varied({4, 12});
    p.integer("row_bytes", bytes, 16, 4'096, "of an account").varied({16, 40});
    p.ratio("foreign", foreign, "transactions that take their second account from any part").varied({0.0, 0.3, 1.0});
    p.integer("ways", ways, 1, 16,
              "accounts that the money of one is shared out to, each from any part as the first is")
        .neutral(1);
    p.ratio("scans", scans, "transactions that add up the entries of a part").varied({0.0, 0.2, 0.5});
    p.ratio("inserts", inserts, "transactions that insert or erase an entry").varied({0.0, 0.2, 0.5});
    p.ratio("write_skew", skewed, "transactions that write one of two accounts, or flags, by what both have")
        .varied({0.0, 0.1, 0.5});
  }
  std::vector<RowTable> tables() const override {
    return {{"account", parts_ * accounts, bytes, accounts},
            {"entry", parts_ * entries, sizeof(Money), entries},
            {"total", parts_, sizeof(Total), 1},
            {"rate", 16, 8, 0},
            {"flag", parts_ * kFlagsOfPart, 8, kFlagsOfPart}};
  }
  std::uint64_t parts() const override { return parts_; }
  std::uint64_t most_rows() const override { return std::max(entries + 2, ways + 1); }
  bool first(Row row, Bytes into) const override {
    switch (row.table) {
      case kAccounts:
        into.put(0, Money{kFirstBalance, 0});
        return true;
      case kEntries:
        if (row.key % entries != 0) return false;
        into.put(0, Money{1, 0});
        return true;
      case kTotals:
        into.put(0, Total{1, 1});
        return true;
      case kFlags:
        return false;
      default:
        into.put(0, row.key);
        return true;
    }
  }

  sim::Task<End> run(Transaction& t, Terminal terminal, sim::RandomStream& random) override {
    const std::uint64_t own = terminal.number() * parts_ / (std::uint64_t{terminal.nodes} * terminal.threads);
    const std::uint64_t part = random.chance(foreign) ? random.below(parts_) : own;
    std::uint64_t rate = 0;
    const std::uint64_t drawn_rate = random.below(16);
    co_await t.read({kRates, drawn_rate}, room_of(rate), Intent::read);
    if (rate != drawn_rate) throw std::logic_error("a rate is another's");
    const double drawn = random.unit();
    if (drawn < scans) co_return co_await add_up(t, part);
    if (drawn < scans + inserts) co_return co_await change_entry(t, part, random);
    const Row from{kAccounts, own * accounts + random.below(accounts)};
    Row to{kAccounts, part * accounts + random.below(accounts)};
    if (to == from) to.key = to.key % accounts == 0 ? to.key + 1 : to.key - 1;
    if (random.chance(skewed)) {
      if (random.chance(0.5)) co_return co_await raise_flag(t, part, random);
      co_return co_await write_one(t, from, to);
    }
    const bool rolls_back = random.chance(0.05);
    std::vector<Row> all{to};
    for (std::uint64_t i = 1; i < ways; ++i) {
      const std::uint64_t other = random.chance(foreign) ? random.below(parts_) : own;
      const Row row{kAccounts, other * accounts + random.below(accounts)};
      if (row != from && std::find(all.begin(), all.end(), row) == all.end()) all.push_back(row);
    }
    co_return co_await move(t, from, all, rolls_back);
  }

  /// Money moves from one account to others, 1 to each.
  sim::Task<End> move(Transaction& t, Row from, const std::vector<Row>& to, bool rolls_back) const {
    std::vector<std::byte> a(bytes);
    std::vector<std::vector<std::byte>> b(to.size(), a);
    co_await t.read(from, a, Intent::update);
    for (std::size_t i = 0; i < to.size(); ++i) co_await t.read(to[i], b[i], Intent::update);
    auto of_a = Bytes(a).get<Money>(0);
    of_a.amount -= static_cast<std::int64_t>(to.size());
    ++of_a.changes;
    Bytes(a).put(0, of_a);
    co_await t.write(from, a);
    if (rolls_back) co_return End::rolled_back;
    for (std::size_t i = 0; i < to.size(); ++i) {
      auto of_b = Bytes(b[i]).get<Money>(0);
      ++of_b.amount, ++of_b.changes;
      Bytes(b[i]).put(0, of_b);
      co_await t.write(to[i], b[i]);
    }
    co_return End::committed;
  }

  /// Reads both accounts, one of them first without the intent to write, and then writes it twice.
  sim::Task<End> write_one(Transaction& t, Row one, Row other) const {
    std::vector<std::byte> a(bytes), b(bytes);
    co_await t.read(one, a, Intent::read);
    co_await t.read(other, b, Intent::read);
    co_await t.read(one, a, Intent::update);
    auto money = Bytes(a).get<Money>(0);
    money.changes += Bytes(b).get<Money>(0).changes % 7 + 1;
    Bytes(a).put(0, money);
    co_await t.write(one, a);
    ++money.changes;
    Bytes(a).put(0, money);
    co_await t.write(one, a);
    co_return End::committed;
  }

  /// Raises a flag if another is not there, else takes that one down: two may depend on what each other finds missing.
  sim::Task<End> raise_flag(Transaction& t, std::uint64_t part, sim::RandomStream& random) const {
    const std::uint64_t first = part * kFlagsOfPart, one = random.below(kFlagsOfPart);
    const Row seen{kFlags, first + one}, raised{kFlags, first + (one + 1) % kFlagsOfPart};
    std::uint64_t flag = 0;
    const bool there = co_await t.read(seen, room_of(flag), Intent::read);
    if (there) {
      co_await t.read(seen, room_of(flag), Intent::update);
      co_await t.erase(seen);
    } else {
      flag = one;
      const bool raises = co_await t.insert(raised, bytes_of(flag));
      if (!raises) co_return End::rolled_back;
    }
    co_return End::committed;
  }

  /// The total of a part is the sum of its entries, and nothing else.
  sim::Task<End> add_up(Transaction& t, std::uint64_t part) const {
    Total total, found;
    const bool there = co_await t.read({kTotals, part}, room_of(total), Intent::read);
    if (!there) throw std::logic_error("a total is gone");
    const Transaction::Visit visit = [&](std::uint64_t, std::span<const std::byte> row) {
      Money money;
      std::memcpy(&money, row.data(), sizeof money);
      found.amount += money.amount;
      ++found.entries;
      return true;
    };
    co_await t.scan(kEntries, part * entries, (part + 1) * entries, Intent::read, visit);
    co_return End::committed;
  }

  /// The first free entry takes money from the total's part in an account, or the first one there gives it back.
  sim::Task<End> change_entry(Transaction& t, std::uint64_t part, sim::RandomStream& random) const {
    const bool erases = random.chance(0.5);
    const Row account{kAccounts, part * accounts + random.below(accounts)};
    const std::uint64_t begin = part * entries, end = begin + entries;
    std::uint64_t key = begin + random.below(entries);
    Money entry;
    if (erases) {
      key = end;
      const Transaction::Visit visit = [&](std::uint64_t at, std::span<const std::byte> row) {
        key = at;
        std::memcpy(&entry, row.data(), sizeof entry);
        return false;
      };
      co_await t.scan(kEntries, begin, end, Intent::update, visit);
      if (key == end) co_return End::rolled_back;
      co_await t.erase({kEntries, key});
    } else {
      entry.amount = 1 + static_cast<std::int64_t>(random.below(5));
      const bool inserted = co_await t.insert({kEntries, key}, bytes_of(entry));
      if (!inserted) co_return End::rolled_back;
    }
    Total total;
    co_await t.read({kTotals, part}, room_of(total), Intent::update);
    std::vector<std::byte> row(bytes);
    co_await t.read(account, row, Intent::update);
    auto money = Bytes(row).get<Money>(0);
    const std::int64_t moved = erases ? -entry.amount : entry.amount;
    total.amount += moved;
    total.entries += erases ? -1 : 1;
    money.amount -= moved;
    ++money.changes;
    Bytes(row).put(0, money);
    co_await t.write(account, row);
    co_await t.write({kTotals, part}, bytes_of(total));
    co_return End::committed;
  }

  void judge(const Rows& rows, Judge& judge) const override {
    std::int64_t all = 0;
    rows.each(kAccounts, [&](std::uint64_t, std::span<const std::byte> row) {
      Money money;
      std::memcpy(&money, row.data(), sizeof money);
      all += money.amount;
    });
    std::vector<Total> found(parts_);
    rows.each(kEntries, [&](std::uint64_t key, std::span<const std::byte> row) {
      Money money;
      std::memcpy(&money, row.data(), sizeof money);
      found[key / entries].amount += money.amount;
      ++found[key / entries].entries;
      all += money.amount;
    });
    const auto parts = static_cast<std::int64_t>(parts_), held = static_cast<std::int64_t>(accounts);
    judge.equal("money", all, parts * (held * kFirstBalance + 1));
    rows.each(kTotals, [&](std::uint64_t part, std::span<const std::byte> row) {
      Total total;
      std::memcpy(&total, row.data(), sizeof total);
      judge.equal("total", total.amount, found[part].amount);
      judge.equal("entries", total.entries, found[part].entries);
    });
  }
};

const SchemaRegistration<Ledger> registration(
    "ledger", "rows that are moved, inserted, erased and scanned, under a conserved sum");

}  // namespace

}  // namespace racksim::app::ledger

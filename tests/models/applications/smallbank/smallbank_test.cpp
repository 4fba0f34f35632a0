// SmallBank's transactions one after the other: what they do to balances, and that the sum of all money is judged exactly.
#include "models/applications/smallbank/smallbank.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/applications/smallbank/transactions.hpp"
#include "sim/options/option_error.hpp"
#include "tests/models/applications/reference_database.hpp"

namespace smallbank_test {

using namespace racksim;
using namespace racksim::app;
using namespace racksim::app::smallbank;
using app::test::ReferenceDatabase;

namespace {

SmallBank small(std::uint64_t accounts = 20) {
  SmallBank bank;
  bank.accounts = accounts;
  bank.hot_accounts = std::min<std::uint64_t>(accounts, 3);
  bank.parts_ = 4;
  return bank;
}

std::int64_t amount(const ReferenceDatabase& database, std::uint32_t table, std::uint64_t key) {
  auto row = database.at({table, key}).value();
  return Bytes(row).get<std::int64_t>(kAmountAt);
}

/// Runs one transaction with these arguments in the place of drawn ones.
struct One final : Schema {
  explicit One(sim::Task<End> (*given)(Transaction&, Order), Order with) : does(given), order(with) {}
  std::vector<RowTable> tables() const override { return bank.tables(); }
  std::uint64_t parts() const override { return bank.parts(); }
  std::uint64_t most_rows() const override { return bank.most_rows(); }
  bool first(Row row, Bytes bytes) const override { return bank.first(row, bytes); }
  sim::Task<End> run(Transaction& t, Terminal, sim::RandomStream&) override { return does(t, order); }
  void judge(const Rows& rows, Judge& judge) const override { bank.judge(rows, judge); }

  SmallBank bank = small();
  sim::Task<End> (*does)(Transaction&, Order);
  Order order;
};

}  // namespace

TEST_CASE("Each SmallBank transaction does to balances and till what it says") {
  constexpr std::uint64_t kFrom = 3, kTo = 7;
  const Row till{kTill, 0};
  struct Found {
    std::int64_t savings, checking, other, in_till;  // changes
    End end;
    auto operator<=>(const Found&) const = default;
  };
  const auto run = [&](sim::Task<End> (*does)(Transaction&, Order), std::int64_t change) {
    One one(does, {.from = kFrom, .to = kTo, .amount = change, .till = till});
    ReferenceDatabase database(one);
    const std::int64_t savings = amount(database, kSavings, kFrom), checking = amount(database, kChecking, kFrom),
                       other = amount(database, kChecking, kTo);
    sim::RandomStream random(1, "one");
    const End end = database.run({}, random);
    CHECK(database.wrong().empty());
    return Found{amount(database, kSavings, kFrom) - savings, amount(database, kChecking, kFrom) - checking,
                 amount(database, kChecking, kTo) - other, amount(database, kTill, 0), end};
  };
  One none(balance, {});
  const ReferenceDatabase at_first(none);
  const std::int64_t savings = amount(at_first, kSavings, kFrom), checking = amount(at_first, kChecking, kFrom);
  CHECK(savings >= 1'000'000);
  CHECK(savings <= 5'000'000);
  CHECK(run(balance, 5) == Found{0, 0, 0, 0, End::committed});
  CHECK(run(deposit_checking, 5) == Found{0, 5, 0, 5, End::committed});
  CHECK(run(transact_savings, -5) == Found{-5, 0, 0, -5, End::committed});
  CHECK(run(transact_savings, -savings - 1) == Found{0, 0, 0, 0, End::rolled_back});
  CHECK(run(amalgamate, 5) == Found{-savings, -checking, savings + checking, 0, End::committed});
  CHECK(run(write_check, savings + checking) == Found{0, -savings - checking, 0, -savings - checking, End::committed});
  const std::int64_t overdrawn = savings + checking + 1;
  CHECK(run(write_check, overdrawn) == Found{0, -overdrawn - 1, 0, -overdrawn - 1, End::committed});
  CHECK(run(send_payment, 5) == Found{0, -5, 5, 0, End::committed});
  CHECK(run(send_payment, checking + 1) == Found{0, 0, 0, 0, End::rolled_back});
}

TEST_CASE("After thousands of SmallBank transactions the sum is what it was, and what was brought") {
  for (const std::uint64_t accounts : {2, 20, 1000}) {
    SmallBank bank = small(accounts);
    ReferenceDatabase database(bank);
    CHECK(database.wrong().empty());
    database.run(5000, 2, 3);
    CHECK(database.wrong() == std::vector<std::string>{});
    CHECK(database.judged == 1);
    CHECK(database.ends[End::committed] > 3000);
  }
}

TEST_CASE("A SmallBank write that is forgotten breaks the sum, whichever it is") {
  for (const std::uint32_t table : {kSavings, kChecking, kTill}) {
    SmallBank bank = small();
    ReferenceDatabase database(bank);
    database.spoils = [table](Row row, std::span<std::byte>) { return row.table != table; };
    database.run(200, 1, 2);
    CHECK(database.wrong().size() == 1);
  }
}

TEST_CASE("Hot accounts have their share and lie scattered, and terminals have tills of their own") {
  SmallBank bank;
  bank.accounts = 10'000;
  bank.hot_accounts = 10;
  bank.hot_share = 0.9;
  sim::RandomStream random(1, "accounts");
  std::map<std::uint64_t, int> counts;
  for (int i = 0; i < 100'000; ++i) ++counts[bank.draw_account(random)];
  std::vector<std::pair<int, std::uint64_t>> hottest;
  for (const auto& [account, count] : counts) hottest.emplace_back(count, account);
  std::sort(hottest.rbegin(), hottest.rend());
  double share = 0;
  std::set<std::uint64_t> parts;
  for (std::size_t i = 0; i < 10; ++i) {
    share += hottest[i].first / 100'000.0;
    parts.insert(hottest[i].second / bank.tables()[kAccount].keys_per_part);
  }
  CHECK(share == Approx(0.9 + 0.1 * 0.001).margin(0.004));
  CHECK(parts.size() >= 5);

  for (const std::uint64_t of : {1, 5, 32, 100}) {
    bank.parts_ = of;
    std::set<std::uint64_t> tills, till_parts;
    for (unsigned node = 0; node < 8; ++node) {
      for (unsigned thread = 0; thread < 4; ++thread) {
        const Row row = bank.till({.node = node, .thread = thread, .nodes = 8, .threads = 4});
        CHECK(row.key < bank.tables()[kTill].keys);
        tills.insert(row.key);
        till_parts.insert(row.key / bank.tables()[kTill].keys_per_part);
      }
    }
    CHECK(tills.size() == 32);
    CHECK(till_parts.size() == std::min<std::uint64_t>(of, 32));
  }
}

TEST_CASE("More hot SmallBank accounts than accounts are refused") {
  SmallBank bank = small();
  bank.hot_accounts = 21;
  CHECK_THROWS_WITH(bank.check(), Catch::Contains("hot_accounts: found 21, expected at most 20"));
  bank.parts_ = 1;
  CHECK_THROWS_WITH(bank.check_terminals(64, 64), Catch::Contains("parts"));
}

}  // namespace smallbank_test

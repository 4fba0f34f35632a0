// SmallBank's options, tables and mix, and the sum of all money. See smallbank.hpp.
#include "models/applications/smallbank/smallbank.hpp"

#include <fmt/core.h>

#include <array>
#include <cstring>
#include <utility>

#include "models/applications/smallbank/transactions.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::app::smallbank {

namespace {

constexpr std::uint64_t kMostAccounts = 1'000'000'000;
/// A prime above all numbers of accounts, so that multiples of it are a permutation of them.
constexpr std::uint64_t kScatter = 2'654'435'761;
constexpr std::uint64_t kTillsOfPart = 1024;
/// So many are read one by one at the end.
constexpr std::uint64_t kFewAccounts = 1'000'000;

std::int64_t amount_of(std::span<const std::byte> row) {
  std::int64_t amount;
  std::memcpy(&amount, row.subspan(kAmountAt, sizeof amount).data(), sizeof amount);
  return amount;
}

/// From 10,000 to 50,000 (as in the authors' generators), in cents.
std::int64_t first_balance(Row row) {
  const std::uint64_t hash = (row.key * 2 + row.table) * 0x9e3779b97f4a7c15;
  return 1'000'000 + static_cast<std::int64_t>((hash >> 20) % 4'000'001);
}

Kind draw_kind(sim::RandomStream& random) {
  static constexpr std::array<std::pair<Kind, std::uint64_t>, 6> kPercent{{{Kind::balance, 15},
                                                                           {Kind::deposit_checking, 15},
                                                                           {Kind::transact_savings, 15},
                                                                           {Kind::amalgamate, 15},
                                                                           {Kind::write_check, 15},
                                                                           {Kind::send_payment, 25}}};
  std::uint64_t drawn = random.below(100);
  for (const auto& [kind, percent] : kPercent) {
    if (drawn < percent) return kind;
    drawn -= percent;
  }
  return Kind::send_payment;
}

}  // namespace

void SmallBank::declare(sim::Parameters& p) {
  p.integer("accounts", accounts, 2, kMostAccounts, "accounts").varied({2, 10, 100});
  p.integer("hot_accounts", hot_accounts, 1, kMostAccounts, "of these, those that are asked for most").varied({1, 2});
  p.ratio("hot_share", hot_share, "of the accesses, those that go to the hot accounts").varied({0, 0.9});
  p.integer("parts", parts_, 1, 4096, "parts that accounts are dealt out to: which part lies where is the layout's");
}

void SmallBank::check() const {
  if (hot_accounts > accounts) {
    throw sim::OptionError("hot_accounts", fmt::format("{}", hot_accounts),
                           fmt::format("at most {}, as many as there are", accounts));
  }
}

void SmallBank::check_terminals(unsigned nodes, unsigned threads) const {
  const std::uint64_t terminals = std::uint64_t{nodes} * threads;
  if (terminals > kTillsOfPart * parts_) {
    throw sim::OptionError("parts", fmt::format("{}, which have tills for {} threads", parts_, kTillsOfPart * parts_),
                           fmt::format("more, for {} threads", terminals));
  }
}

std::vector<RowTable> SmallBank::tables() const {
  const std::uint64_t of_part = accounts_of_part();
  return {{.name = "account", .keys = accounts, .row_bytes = kAccountBytes, .keys_per_part = of_part},
          {.name = "savings", .keys = accounts, .row_bytes = kMoneyBytes, .keys_per_part = of_part},
          {.name = "checking", .keys = accounts, .row_bytes = kMoneyBytes, .keys_per_part = of_part},
          {.name = "till", .keys = parts_ * kTillsOfPart, .row_bytes = kMoneyBytes, .keys_per_part = kTillsOfPart}};
}

bool SmallBank::first(Row row, Bytes bytes) const {
  bytes.put(0, row.key);
  if (row.table == kAccount) {
    const std::string name = fmt::format("customer-{:020}", row.key);
    std::memcpy(bytes.span().data() + sizeof row.key, name.data(), name.size());
  } else if (row.table != kTill) {
    bytes.put(kAmountAt, first_balance(row));
  }
  return true;
}

std::uint64_t SmallBank::draw_account(sim::RandomStream& random) const {
  const std::uint64_t number = random.chance(hot_share) ? random.below(hot_accounts) : random.below(accounts);
  return number * kScatter % accounts;
}

Row SmallBank::till(Terminal terminal) const {
  const std::uint64_t terminals = std::uint64_t{terminal.nodes} * terminal.threads;
  const std::uint64_t part = terminal.number() * parts_ / terminals;
  const std::uint64_t first_of_part = (part * terminals + parts_ - 1) / parts_;
  return {kTill, part * kTillsOfPart + terminal.number() - first_of_part};
}

sim::Task<End> SmallBank::run(Transaction& transaction, Terminal terminal, sim::RandomStream& random) {
  const Kind kind = draw_kind(random);
  Order order{.from = draw_account(random), .to = 0, .amount = 0, .till = till(terminal)};
  // The other account is drawn alike, and differs.
  do {
    order.to = draw_account(random);
  } while (order.to == order.from && (hot_accounts > 1 || hot_share < 1));
  if (order.to == order.from) order.to = (order.from + 1) % accounts;
  order.amount = 1 + static_cast<std::int64_t>(random.below(10'000));
  switch (kind) {
    case Kind::balance:
      co_return co_await balance(transaction, order);
    case Kind::deposit_checking:
      co_return co_await deposit_checking(transaction, order);
    case Kind::transact_savings: {
      if (random.chance(0.5)) order.amount = -order.amount;
      co_return co_await transact_savings(transaction, order);
    }
    case Kind::amalgamate:
      co_return co_await amalgamate(transaction, order);
    case Kind::write_check:
      co_return co_await write_check(transaction, order);
    case Kind::send_payment:
      co_return co_await send_payment(transaction, order);
  }
  co_return End::committed;
}

void SmallBank::judge(const Rows& rows, Judge& judge) const {
  std::int64_t changed = 0, brought = 0;
  const auto add = [&](Row row, std::int64_t amount) {
    if (row.table == kTill) brought += amount;
    if (row.table == kSavings || row.table == kChecking) changed += amount - first_balance(row);
  };
  if (accounts > kFewAccounts) {
    rows.each_changed(
        [&](Row row, bool there, std::span<const std::byte> bytes) { add(row, there ? amount_of(bytes) : 0); });
  } else {
    for (const TableNumber table : {kSavings, kChecking, kTill}) {
      rows.each(table, [&](std::uint64_t key, std::span<const std::byte> bytes) {
        add({table, key}, amount_of(bytes));
      });
    }
  }
  judge.equal("cents that all balances have more than at first, which is what was brought", changed, brought);
}

namespace {
const SchemaRegistration<SmallBank> registration("smallbank",
                                                 "SmallBank: six short transactions on accounts, some of them hot");
}  // namespace

}  // namespace racksim::app::smallbank

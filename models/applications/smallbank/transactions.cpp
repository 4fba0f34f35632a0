// SmallBank's transactions. See transactions.hpp.
#include "models/applications/smallbank/transactions.hpp"

#include <array>
#include <cstring>

#include "models/applications/smallbank/smallbank.hpp"

namespace racksim::app::smallbank {

namespace {

/// A row of money that was read to be changed, or read alone.
struct Money {
  Row row;
  std::array<std::byte, kMoneyBytes> bytes{};

  std::int64_t amount() const {
    std::int64_t amount;
    std::memcpy(&amount, bytes.data() + kAmountAt, sizeof amount);
    return amount;
  }
  void set(std::int64_t amount) { std::memcpy(bytes.data() + kAmountAt, &amount, sizeof amount); }
};

sim::Task<Money> money(Transaction& t, Row row, Intent intent) {
  Money money{.row = row};
  co_await t.read(row, money.bytes, intent);
  co_return money;
}
sim::Task<void> add(Transaction& t, Money& to, std::int64_t amount) {
  to.set(to.amount() + amount);
  co_await t.write(to.row, to.bytes);
}
/// Every transaction looks its customers up by name; names are in the order of accounts.
sim::Task<void> look_up(Transaction& t, std::uint64_t account) {
  std::array<std::byte, kAccountBytes> bytes{};
  co_await t.read(Row{kAccount, account}, bytes, Intent::read);
}
/// Notes in the till what was brought into the bank.
sim::Task<void> bring(Transaction& t, Row till, std::int64_t amount) {
  Money in_till = co_await money(t, till, Intent::update);
  co_await add(t, in_till, amount);
}

}  // namespace

sim::Task<End> balance(Transaction& t, Order order) {
  co_await look_up(t, order.from);
  co_await money(t, {kSavings, order.from}, Intent::read);
  co_await money(t, {kChecking, order.from}, Intent::read);
  co_return End::committed;
}

sim::Task<End> deposit_checking(Transaction& t, Order order) {
  co_await look_up(t, order.from);
  Money checking = co_await money(t, {kChecking, order.from}, Intent::update);
  co_await add(t, checking, order.amount);
  co_await bring(t, order.till, order.amount);
  co_return End::committed;
}

sim::Task<End> transact_savings(Transaction& t, Order order) {
  co_await look_up(t, order.from);
  Money savings = co_await money(t, {kSavings, order.from}, Intent::update);
  if (savings.amount() + order.amount < 0) co_return End::rolled_back;
  co_await add(t, savings, order.amount);
  co_await bring(t, order.till, order.amount);
  co_return End::committed;
}

sim::Task<End> amalgamate(Transaction& t, Order order) {
  co_await look_up(t, order.from);
  co_await look_up(t, order.to);
  Money savings = co_await money(t, {kSavings, order.from}, Intent::update);
  Money checking = co_await money(t, {kChecking, order.from}, Intent::update);
  Money other = co_await money(t, {kChecking, order.to}, Intent::update);
  const std::int64_t all = savings.amount() + checking.amount();
  co_await add(t, savings, -savings.amount());
  co_await add(t, checking, -checking.amount());
  co_await add(t, other, all);
  co_return End::committed;
}

sim::Task<End> write_check(Transaction& t, Order order) {
  co_await look_up(t, order.from);
  const Money savings = co_await money(t, {kSavings, order.from}, Intent::read);
  Money checking = co_await money(t, {kChecking, order.from}, Intent::update);
  const bool overdrawn = savings.amount() + checking.amount() < order.amount;
  const std::int64_t taken = order.amount + (overdrawn ? 1 : 0);
  co_await add(t, checking, -taken);
  co_await bring(t, order.till, -taken);
  co_return End::committed;
}

sim::Task<End> send_payment(Transaction& t, Order order) {
  co_await look_up(t, order.from);
  co_await look_up(t, order.to);
  Money from = co_await money(t, {kChecking, order.from}, Intent::update);
  if (from.amount() < order.amount) co_return End::rolled_back;
  Money to = co_await money(t, {kChecking, order.to}, Intent::update);
  co_await add(t, from, -order.amount);
  co_await add(t, to, order.amount);
  co_return End::committed;
}

}  // namespace racksim::app::smallbank

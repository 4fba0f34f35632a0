// Each of TPC-C's consistency conditions is broken by a mistake of its own, and by no other where one can do without:
// conditions 1, 4 and 8 follow from others, so these fail with them.
#include "models/applications/tpcc/conditions.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>

#include "models/applications/tpcc/columns.hpp"
#include "models/applications/tpcc/tpcc.hpp"
#include "tests/models/applications/reference_database.hpp"

namespace tpcc_conditions_test {

using namespace racksim;
using namespace racksim::app;
using namespace racksim::app::tpcc;
using app::test::ReferenceDatabase;

namespace {

using Broken = std::set<std::string>;

/// Two small warehouses, after some transactions of all kinds.
struct Bench {
  Bench() : tpcc(options()), scale(tpcc.scale()), database(tpcc) {}
  static Tpcc options() {
    Tpcc tpcc;
    tpcc.warehouses = 2;
    tpcc.divide = 100;
    tpcc.room = 400;
    tpcc.mix = Mix::all;
    tpcc.home = Tpcc::Home::any;
    return tpcc;
  }
  void run() { database.run(400, 1, 2); }
  /// The conditions that do not hold, by what stands before the comma, and judged by rows that changed alike.
  Broken broken() const {
    const auto found = names(Books::of_all(scale, database));
    CHECK(found == names(Books::of_changed(scale, tpcc.contents(), database)));
    return found;
  }
  static Broken names(const Books& books) {
    Judge judge;
    judge_conditions(books, true, judge);
    Broken found;
    for (const std::string& wrong : judge.wrong()) found.insert(wrong.substr(0, wrong.find_first_of(",:")));
    return found;
  }
  template <class T>
  void add(Row row, Column<T> column, T value) {
    database.edit(row, [&](Bytes bytes) { bytes.put(column.at, static_cast<T>(bytes.get<T>(column.at) + value)); });
  }
  template <class T>
  void set(Row row, Column<T> column, T value) {
    database.edit(row, [&](Bytes bytes) { bytes.put(column.at, value); });
  }
  template <class T>
  T at(Row row, Column<T> column) const {
    const auto bytes = database.at(row).value();
    return get(std::span<const std::byte>(bytes), column);
  }

  Tpcc tpcc;
  Scale scale;
  ReferenceDatabase database;
};

constexpr std::uint64_t kPlace = 3;  // a district

}  // namespace

TEST_CASE("A wrong column breaks its condition") {
  Bench t;
  CHECK(t.broken() == Broken{});
  SECTION("W_YTD") {
    t.add(Scale::warehouse_row(1), Warehouse::ytd, std::int64_t{1});
    CHECK(t.broken() == Broken{"condition 1", "condition 8"});
  }
  SECTION("W_YTD and D_YTD") {
    t.add(Scale::warehouse_row(0), Warehouse::ytd, std::int64_t{1});
    t.add(Scale::district_row(kPlace), District::ytd, std::int64_t{1});
    CHECK(t.broken() == Broken{"condition 8", "condition 9"});
  }
  SECTION("D_YTD of two districts, whose sum is right") {
    t.add(Scale::district_row(kPlace), District::ytd, std::int64_t{1});
    t.add(Scale::district_row(kPlace + 1), District::ytd, std::int64_t{-1});
    CHECK(t.broken() == Broken{"condition 9"});
  }
  SECTION("D_NEXT_O_ID") {
    t.add(Scale::district_row(kPlace), District::next_order, 1U);
    CHECK(t.broken() == Broken{"condition 2"});
  }
  SECTION("O_OL_CNT") {
    t.add(t.scale.order_row(kPlace, 7), Order::lines, 1U);
    CHECK(t.broken() == Broken{"condition 4", "condition 6"});
  }
  SECTION("O_OL_CNT of two orders, whose sum is right") {
    t.add(t.scale.order_row(kPlace, 7), Order::lines, 1U);
    t.add(t.scale.order_row(kPlace, 8), Order::lines, ~0U);
    CHECK(t.broken() == Broken{"condition 6"});
  }
  SECTION("O_CARRIER_ID") {
    t.set(t.scale.order_row(kPlace, 7), Order::carrier, 0U);
    CHECK(t.broken() == Broken{"condition 5", "condition 7"});
  }
  SECTION("OL_DELIVERY_D, of a line of no amount") {
    t.set(t.scale.line_row(kPlace, 7, 2), OrderLine::delivery_date, std::int64_t{0});
    CHECK(t.broken() == Broken{"condition 7"});
  }
  SECTION("C_BALANCE") {
    t.add(t.scale.customer_row(kPlace, 5), Customer::balance, std::int64_t{1});
    CHECK(t.broken() == Broken{"condition 10", "condition 12"});
  }
  SECTION("C_BALANCE and C_YTD_PAYMENT, whose sum is right") {
    t.add(t.scale.customer_row(kPlace, 5), Customer::balance, std::int64_t{1});
    t.add(t.scale.customer_row(kPlace, 5), Customer::paid, std::int64_t{-1});
    CHECK(t.broken() == Broken{"condition 10"});
  }
  SECTION("C_YTD_PAYMENT") {
    t.add(t.scale.customer_row(kPlace, 5), Customer::paid, std::int64_t{1});
    CHECK(t.broken() == Broken{"condition 12"});
  }
  SECTION("C_DELIVERY_CNT") {
    t.add(t.scale.customer_row(kPlace, 5), Customer::deliveries, 1U);
    CHECK(t.broken() == Broken{"condition 11"});
  }
  SECTION("S_YTD") {
    t.add(t.scale.stock_row(1, 20), Stock::ytd, std::int64_t{1});
    CHECK(t.broken() == Broken{"stocks"});
  }
  SECTION("An order of no district") {
    t.set(t.scale.order_row(kPlace, 7), Order::district, 10U);
    CHECK(t.broken() ==
          Broken{"columns", "condition 11", "condition 4", "condition 6", "condition 7", "the index of last orders"});
  }
  SECTION("The index of last orders") {
    t.add(t.scale.last_order_row(kPlace, 5), LastOrder::order, 1U);
    CHECK(t.broken() == Broken{"the index of last orders"});
  }
}

TEST_CASE("A row that is missing, or there though it should not be, breaks its condition") {
  Bench t;
  const std::uint64_t oldest = t.scale.delivered(), middle = oldest + 3;
  SECTION("the oldest new-order") {
    t.database.erase(t.scale.new_order_row(kPlace, oldest));
    CHECK(t.broken() == Broken{"condition 11", "condition 5"});
  }
  SECTION("a new-order between others") {
    t.database.erase(t.scale.new_order_row(kPlace, middle));
    CHECK(t.broken() == Broken{"condition 11", "condition 3", "condition 5"});
  }
  SECTION("an order that was delivered before older ones, else as it should be") {
    const Row order = t.scale.order_row(kPlace, middle);
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < t.at(order, Order::lines); ++i) {
      t.set(t.scale.line_row(kPlace, middle, i), OrderLine::delivery_date, std::int64_t{9});
      sum += t.at(t.scale.line_row(kPlace, middle, i), OrderLine::amount);
    }
    const Row customer = t.scale.customer_row(kPlace, t.at(order, Order::customer));
    t.set(order, Order::carrier, 4U);
    t.add(customer, Customer::balance, sum);
    t.add(customer, Customer::deliveries, 1U);
    t.database.erase(t.scale.new_order_row(kPlace, middle));
    CHECK(t.broken() == Broken{"condition 3"});
  }
  SECTION("an order line") {
    t.database.erase(t.scale.line_row(kPlace, 7, 0));
    CHECK(t.broken() == Broken{"condition 4", "condition 6"});
  }
  SECTION("a payment's history") {
    t.database.erase(t.scale.history_row(kPlace, 5));
    CHECK(t.broken() == Broken{"condition 10", "condition 8", "condition 9"});
  }
}

TEST_CASE("A transaction that forgets a write, or writes a wrong column, is found by the conditions that speak of it") {
  Bench t;
  const auto forgets = [&](std::uint32_t table) {
    t.database.spoils = [table](Row row, std::span<std::byte>) { return row.table != table; };
    t.run();
    return t.broken();
  };
  const auto keeps = [&](std::uint32_t table, std::size_t at, std::size_t size) {
    t.database.spoils = [&t, table, at, size](Row row, std::span<std::byte> bytes) {
      if (row.table == table) {
        const auto before = t.database.at(row);
        if (before)
          std::copy_n(before->begin() + static_cast<std::ptrdiff_t>(at), size,
                      bytes.begin() + static_cast<std::ptrdiff_t>(at));
      }
      return true;
    };
    t.run();
    return t.broken();
  };
  SECTION("nothing") {
    t.run();
    CHECK(t.broken() == Broken{});
  }
  SECTION("Payment: the warehouse") {
    CHECK(forgets(kWarehouse) == Broken{"condition 1", "condition 8"});
  }
  SECTION("Payment: D_YTD") {
    CHECK(keeps(kDistrict, District::ytd.at, 8) == Broken{"condition 1", "condition 9"});
  }
  SECTION("Payment: the history") {
    CHECK(forgets(kHistory) == Broken{"condition 10", "condition 8", "condition 9"});
  }
  SECTION("Payment: C_YTD_PAYMENT") {
    CHECK(keeps(kCustomer, Customer::paid.at, 8) == Broken{"condition 12"});
  }
  SECTION("NewOrder: D_NEXT_O_ID") {
    // The next one finds its order there, and lines of both lie side by side.
    const Broken broken = keeps(kDistrict, District::next_order.at, 4);
    CHECK(broken.count("condition 2") == 1);
    CHECK(broken.count("stocks") == 1);
  }
  SECTION("NewOrder: the new-order") {
    const Broken broken = forgets(kNewOrder);
    CHECK(broken.count("condition 5") == 1);
    CHECK(broken.count("condition 2") == 1);
  }
  SECTION("NewOrder: the order lines, and Delivery: their dates") {
    const Broken broken = forgets(kOrderLine);
    CHECK(broken.count("condition 6") == 1);
    CHECK(broken.count("condition 7") == 1);
  }
  SECTION("NewOrder: the stocks") {
    CHECK(forgets(kStock) == Broken{"stocks"});
  }
  SECTION("NewOrder: the index of last orders") {
    CHECK(forgets(kLastOrder) == Broken{"the index of last orders"});
  }
  SECTION("Delivery: C_DELIVERY_CNT") {
    CHECK(keeps(kCustomer, Customer::deliveries.at, 4) == Broken{"condition 11"});
  }
  SECTION("Delivery: the order's carrier") {
    CHECK(keeps(kOrder, Order::carrier.at, 4) == Broken{"condition 5", "condition 7"});
  }
  SECTION("Delivery and Payment: the customer") {
    CHECK(forgets(kCustomer) == Broken{"condition 10", "condition 11", "condition 12"});
  }
}

}  // namespace tpcc_conditions_test

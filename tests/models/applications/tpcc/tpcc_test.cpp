// TPC-C's transactions one after the other: what they come to, and that all its consistency conditions hold before and
// after them.
#include "models/applications/tpcc/tpcc.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "models/applications/tpcc/books.hpp"
#include "models/applications/tpcc/columns.hpp"
#include "sim/options/option_error.hpp"
#include "tests/models/applications/reference_database.hpp"

namespace tpcc_test {

using namespace racksim;
using namespace racksim::app;
using namespace racksim::app::tpcc;
using app::test::ReferenceDatabase;
using Touched = ReferenceDatabase::Touched;

namespace {

constexpr std::uint64_t kConditions = 15;  // twelve of the standard, stocks, the index of last orders, columns

/// Four warehouses of a small scale, of which terminals use any.
Tpcc small(Mix mix = Mix::standard) {
  Tpcc tpcc;
  tpcc.warehouses = 4;
  tpcc.divide = 100;
  tpcc.room = 300;
  tpcc.mix = mix;
  tpcc.home = Tpcc::Home::any;
  return tpcc;
}

}  // namespace

TEST_CASE("Before the first transaction all of TPC-C's conditions hold, at several cardinalities") {
  for (const std::uint64_t divide : {300, 100, 10}) {
    INFO("divide " << divide);
    Tpcc tpcc = small();
    tpcc.warehouses = 2;
    tpcc.divide = divide;
    const ReferenceDatabase database(tpcc);
    CHECK(database.wrong() == std::vector<std::string>{});
    CHECK(database.judged == kConditions);
  }
}

TEST_CASE("TPC-C's tables have the standard's rows at first") {
  Tpcc tpcc;
  tpcc.warehouses = 1;
  const ReferenceDatabase database(tpcc);
  const auto rows = [&](std::uint32_t table) {
    std::uint64_t count = 0;
    database.each(table, [&](std::uint64_t, std::span<const std::byte>) { ++count; });
    return count;
  };
  CHECK(rows(kWarehouse) == 1);
  CHECK(rows(kDistrict) == 10);
  CHECK(rows(kCustomer) == 30'000);
  CHECK(rows(kHistory) == 30'000);
  CHECK(rows(kOrder) == 30'000);
  CHECK(rows(kNewOrder) == 9'000);
  CHECK(rows(kItem) == 100'000);
  CHECK(rows(kStock) == 100'000);
  // From 5 to 15 lines an order, all alike likely: 300,000 +- 4 sigma.
  CHECK(std::abs(static_cast<double>(rows(kOrderLine)) - 300'000) < 4 * std::sqrt(30'000 * 10.0));
  std::map<std::string, std::uint64_t> bytes;
  for (const RowTable& table : tpcc.tables()) bytes[table.name] = table.row_bytes;
  CHECK(bytes["warehouse"] == 140);
  CHECK(bytes["district"] == 156);
  CHECK(bytes["customer"] == 788);
  CHECK(bytes["stock"] == 404);
  CHECK(bytes["item"] == 116);
  CHECK(bytes["order"] == 36);
  CHECK(bytes["new-order"] == 12);
  CHECK(bytes["order-line"] == 100);
  CHECK(bytes["history"] == 72);
}

TEST_CASE("After thousands of transactions of any mix all conditions hold") {
  for (const Mix mix : {Mix::standard, Mix::orders_and_payments, Mix::halves, Mix::updates, Mix::reads, Mix::all,
                        Mix::new_order, Mix::payment, Mix::order_status, Mix::delivery, Mix::stock_level}) {
    for (const auto deliveries : {Tpcc::Deliveries::one, Tpcc::Deliveries::ten}) {
      INFO("mix " << static_cast<int>(mix) << ", deliveries " << static_cast<int>(deliveries));
      Tpcc tpcc = small(mix);
      tpcc.deliveries = deliveries;
      tpcc.distribution = 0.2;
      tpcc.temporal_locality = 0.3;
      ReferenceDatabase database(tpcc);
      database.run(2000, 2, 3);
      CHECK(database.wrong() == std::vector<std::string>{});
      CHECK(database.judged == kConditions - (has(mix, Kind::order_status) ? 0 : 1));
      const std::uint64_t ended = database.ends[End::committed] + database.ends[End::rolled_back];
      CHECK(ended == 2000);
    }
  }
}

TEST_CASE("Rows that changed, and what the others hold, are summed up like all rows") {
  Tpcc tpcc = small(Mix::all);
  ReferenceDatabase database(tpcc);
  const auto compare = [&] {
    const Books all = Books::of_all(tpcc.scale(), database);
    const Books changed = Books::of_changed(tpcc.scale(), tpcc.contents(), database);
    CHECK(all.districts == changed.districts);
    CHECK(all.customers == changed.customers);
    CHECK(all.stocks == changed.stocks);
    CHECK(all.strays == changed.strays);
    for (std::size_t i = 0; i < all.orders.size(); ++i) {
      const auto &a = all.orders[i], &b = changed.orders[i];
      CHECK(std::tuple(a.lines, a.asked_lines, a.delivered_lines, a.delivered, a.customer, a.there, a.waits) ==
            std::tuple(b.lines, b.asked_lines, b.delivered_lines, b.delivered, b.customer, b.there, b.waits));
      CHECK((a.carrier == 0) == (b.carrier == 0));
    }
    for (std::size_t i = 0; i < all.warehouses.size(); ++i) {
      CHECK(all.warehouses[i].ytd == changed.warehouses[i].ytd);
      CHECK(all.warehouses[i].histories == changed.warehouses[i].histories);
    }
  };
  compare();
  database.run(1000, 1, 4);
  database.erase(tpcc.scale().line_row(3, 28, 0));
  database.edit(tpcc.scale().order_row(2, 4), [](Bytes row) { row.put(Order::warehouse.at, 77U); });
  compare();
}

TEST_CASE("A NewOrder comes to 23 rows and inserts 12 on average, and a Payment to what the standard says") {
  Tpcc tpcc = small(Mix::new_order);
  tpcc.rollback = 0;
  tpcc.room = 2000;
  ReferenceDatabase orders(tpcc);
  constexpr double kRuns = 4000;
  orders.run(static_cast<std::uint64_t>(kRuns), 1, 1);
  const auto mean = [&](std::uint64_t count) { return static_cast<double>(count) / kRuns; };
  // Lines are 10 on average, sigma sqrt(10): 4 sigma of a mean of 4,000 are .2 lines.
  CHECK(mean(orders.touched[kItem].read) == Approx(10).margin(0.2));
  CHECK(orders.touched[kStock].updated == orders.touched[kItem].read);
  CHECK(mean(orders.touched[kWarehouse].read) == 1);
  CHECK(mean(orders.touched[kDistrict].updated) == 1);
  CHECK(mean(orders.touched[kCustomer].read) == 1);
  CHECK(mean(orders.touched[kOrder].inserted + orders.touched[kNewOrder].inserted) == 2);
  CHECK(orders.touched[kOrderLine].inserted == orders.touched[kItem].read);
  std::uint64_t inserted = 0, others = 0;
  for (const Touched& touched : orders.touched) {
    inserted += touched.inserted;
    others += touched.read + touched.updated;
  }
  CHECK(mean(inserted) == Approx(12).margin(0.2));
  CHECK(mean(others) == Approx(23).margin(0.4));

  Tpcc paying = small(Mix::payment);
  paying.room = 2000;
  ReferenceDatabase payments(paying);
  payments.run(static_cast<std::uint64_t>(kRuns), 1, 1);
  CHECK(payments.touched[kWarehouse].updated == kRuns);
  CHECK(payments.touched[kDistrict].updated == kRuns);
  CHECK(payments.touched[kCustomer].updated == kRuns);
  CHECK(payments.touched[kHistory].inserted == kRuns);
  // 60 % by last name, which one row of the index says: sigma sqrt(.24 / 4,000) = .0077.
  CHECK(mean(payments.touched[kCustomerName].read) == Approx(0.6).margin(0.031));
}

TEST_CASE("A Delivery delivers the oldest order of each district, and OrderStatus finds a customer's last order") {
  Tpcc tpcc = small(Mix::delivery);
  tpcc.warehouses = 1;
  ReferenceDatabase database(tpcc);
  const Scale scale = tpcc.scale();
  database.run(1, 1, 1);
  std::uint64_t lines = 0;
  for (std::uint64_t d = 0; d < kDistricts; ++d) {
    CHECK_FALSE(database.at(scale.new_order_row(d, scale.delivered())));
    CHECK(database.at(scale.new_order_row(d, scale.delivered() + 1)));
    lines += tpcc.contents().lines_of(d, scale.delivered());
  }
  CHECK(database.touched[kNewOrder].erased == 10);
  CHECK(database.touched[kOrder].updated == 10);
  CHECK(database.touched[kCustomer].updated == 10);
  CHECK(database.touched[kOrderLine].updated == lines);
  // All that waits is delivered in the end, and then there is nothing.
  database.run(100, 1, 1);
  CHECK(database.touched[kNewOrder].erased == 10 * scale.new_orders);
  CHECK(database.wrong() == std::vector<std::string>{});

  Tpcc asking = small(Mix::order_status);
  ReferenceDatabase asked(asking);
  asked.run(500, 1, 1);
  CHECK(asked.touched[kLastOrder].read == 500);
  CHECK(asked.touched[kOrder].read == 500);
  CHECK(asked.changed.empty());
}

TEST_CASE("StockLevel reads the lines of a district's last 20 orders, and each of their items' stock once") {
  Tpcc tpcc = small(Mix::stock_level);
  tpcc.warehouses = 1;
  ReferenceDatabase database(tpcc);
  database.run(1, 1, 1);
  const Scale scale = tpcc.scale();
  // Keys of lines that are not there count as read: what is not there must stay so.
  CHECK(database.touched[kOrderLine].read == kRecentOrders * kMostLines);
  std::set<std::set<std::uint32_t>> items;
  for (std::uint64_t d = 0; d < kDistricts; ++d) {
    std::set<std::uint32_t> of_district;
    for (std::uint64_t key = scale.line_row(d, scale.orders - kRecentOrders, 0).key;
         key < scale.line_row(d, scale.orders, 0).key; ++key) {
      if (const auto row = database.at({kOrderLine, key})) of_district.insert(get(*row, OrderLine::item));
    }
    items.insert(of_district);
  }
  CHECK(std::any_of(items.begin(), items.end(),
                    [&](const auto& one) { return one.size() == database.touched[kStock].read; }));
}

TEST_CASE("A NewOrder that is rolled back leaves nothing, and no gap in the order numbers") {
  Tpcc tpcc = small(Mix::new_order);
  tpcc.rollback = 1;
  ReferenceDatabase none(tpcc);
  none.run(200, 1, 4);
  CHECK(none.ends[End::rolled_back] == 200);
  CHECK(none.changed.empty());

  tpcc.rollback = 0.01;
  tpcc.room = 3000;
  tpcc.warehouses = 1;
  ReferenceDatabase some(tpcc);
  some.run(20'000, 1, 1);
  // 1 %: sigma sqrt(200).
  CHECK(std::abs(static_cast<double>(some.ends[End::rolled_back]) - 200) < 4 * std::sqrt(200.0));
  CHECK(some.wrong() == std::vector<std::string>{});
}

TEST_CASE("With a read ratio of 1 nothing changes, and such runs are not judged by their conditions") {
  Tpcc tpcc = small(Mix::all);
  tpcc.read_ratio = 1;
  ReferenceDatabase database(tpcc);
  database.run(500, 1, 4);
  CHECK(database.changed.empty());
  CHECK(database.wrong() == std::vector<std::string>{});
  CHECK(database.judged == 0);
  tpcc.read_ratio = 0.5;
  ReferenceDatabase half(tpcc);
  half.run(500, 1, 4);
  CHECK(half.changed.size() > 1000);
}

TEST_CASE("A district that has no room for another order or payment is told, and never wrong silently") {
  for (const Mix mix : {Mix::new_order, Mix::payment}) {
    Tpcc tpcc = small(mix);
    tpcc.room = 5;
    tpcc.warehouses = 1;
    ReferenceDatabase database(tpcc);
    CHECK_THROWS_WITH(database.run(1000, 1, 1),
                      Catch::Contains("room: found 5, and a district that has taken so many"));
    CHECK(database.wrong() == std::vector<std::string>{});
  }
}

TEST_CASE("With a warehouse of its own for each terminal fewer warehouses than terminals are refused") {
  Tpcc tpcc;
  tpcc.warehouses = 31;
  CHECK_THROWS_WITH(tpcc.check_terminals(8, 4), Catch::Contains("warehouses: found 31, expected 32 at least"));
  tpcc.warehouses = 32;
  CHECK_NOTHROW(tpcc.check_terminals(8, 4));
  tpcc.warehouses = 1;
  tpcc.home = Tpcc::Home::node;
  CHECK_NOTHROW(tpcc.check_terminals(8, 4));
}

}  // namespace tpcc_test

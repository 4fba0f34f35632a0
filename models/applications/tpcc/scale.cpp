// TPC-C's tables. See scale.hpp.
#include "models/applications/tpcc/scale.hpp"

#include <algorithm>

#include "models/applications/tpcc/columns.hpp"

namespace racksim::app::tpcc {

Scale Scale::of(std::uint64_t warehouses, std::uint64_t divide, std::uint64_t room) {
  constexpr std::uint64_t kCustomers = 3000, kNames = 1000, kItems = 100'000;
  const std::uint64_t customers = kCustomers / divide;
  // Of the first orders, as many as customers, the newest 30 % are not delivered.
  return {.warehouses = warehouses,
          .customers = customers,
          .orders = customers,
          .new_orders = customers * 3 / 10,
          .items = kItems / divide,
          .names = std::min(kNames, customers),
          .room = room};
}

std::vector<RowTable> Scale::tables(std::uint64_t name_bytes) const {
  const auto table = [this](const char* name, std::uint64_t of_warehouse, std::uint64_t bytes) -> RowTable {
    return {.name = name, .keys = warehouses * of_warehouse, .row_bytes = bytes, .keys_per_part = of_warehouse};
  };
  const auto of_district = [&](const char* name, std::uint64_t rows, std::uint64_t bytes) {
    return table(name, kDistricts * rows, bytes);
  };
  return {table("warehouse", 1, Warehouse::kBytes),
          of_district("district", 1, District::kBytes),
          of_district("customer", customers, Customer::kBytes),
          of_district("history", most_histories(), History::kBytes),
          of_district("new-order", most_orders(), NewOrder::kBytes),
          of_district("order", most_orders(), Order::kBytes),
          of_district("order-line", most_orders() * kMostLines, OrderLine::kBytes),
          // One key more, of which there is no row: what a NewOrder asks for that is rolled back.
          {.name = "item", .keys = items + 1, .row_bytes = Item::kBytes, .keys_per_part = 0},
          table("stock", items, Stock::kBytes),
          of_district("customer-name", names, name_bytes),
          of_district("last-order", customers, LastOrder::kBytes),
          of_district("oldest-order", 1, OldestOrder::kBytes)};
}

}  // namespace racksim::app::tpcc

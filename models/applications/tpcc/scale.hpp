// How many rows TPC-C's tables have and where a row lies in its table's keys (standard §1.2, §4.3.3).
//
// Keys are dense, and a warehouse's follow each other. Orders, their lines and histories grow: a district has room for so
// many beside its first ones.
#pragma once

#include <cstdint>
#include <vector>

#include "models/applications/transactions/schema.hpp"

namespace racksim::app::tpcc {

enum TableNumber : std::uint32_t {
  kWarehouse,
  kDistrict,
  kCustomer,
  kHistory,
  kNewOrder,
  kOrder,
  kOrderLine,
  kItem,
  kStock,
  // Indexes that are not the primary one.
  kCustomerName,  ///< a last name's customers in a district, by first name
  kLastOrder,     ///< a customer's last order
  kOldestOrder    ///< where a district's new-orders begin
};

inline constexpr std::uint64_t kDistricts = 10;  // of a warehouse
inline constexpr std::uint64_t kFewestLines = 5, kMostLines = 15;
/// StockLevel looks at the lines of so many orders.
inline constexpr std::uint64_t kRecentOrders = 20;

struct Scale {
  std::uint64_t warehouses, customers, orders, new_orders, items, names, room;

  /// All but warehouses and districts divided by `divide`; `room` for more orders and payments in each district.
  static Scale of(std::uint64_t warehouses, std::uint64_t divide, std::uint64_t room);

  std::uint64_t districts() const { return warehouses * kDistricts; }
  /// Orders that are delivered at first, the oldest ones.
  std::uint64_t delivered() const { return orders - new_orders; }
  std::uint64_t most_orders() const { return orders + room; }        ///< of a district
  std::uint64_t most_histories() const { return customers + room; }  ///< of a district

  // Rows, of a district that is counted through all warehouses.
  static std::uint64_t district(std::uint64_t warehouse, std::uint64_t of_it) { return warehouse * kDistricts + of_it; }
  static Row warehouse_row(std::uint64_t warehouse) { return {kWarehouse, warehouse}; }
  static Row district_row(std::uint64_t district) { return {kDistrict, district}; }
  static Row oldest_row(std::uint64_t district) { return {kOldestOrder, district}; }
  static Row item_row(std::uint64_t item) { return {kItem, item}; }
  Row stock_row(std::uint64_t warehouse, std::uint64_t item) const { return {kStock, warehouse * items + item}; }
  Row customer_row(std::uint64_t district, std::uint64_t customer) const {
    return {kCustomer, district * customers + customer};
  }
  Row last_order_row(std::uint64_t district, std::uint64_t customer) const {
    return {kLastOrder, district * customers + customer};
  }
  Row name_row(std::uint64_t district, std::uint64_t name) const { return {kCustomerName, district * names + name}; }
  Row history_row(std::uint64_t district, std::uint64_t number) const {
    return {kHistory, district * most_histories() + number};
  }
  Row order_row(std::uint64_t district, std::uint64_t order) const {
    return {kOrder, district * most_orders() + order};
  }
  Row new_order_row(std::uint64_t district, std::uint64_t order) const {
    return {kNewOrder, district * most_orders() + order};
  }
  Row line_row(std::uint64_t district, std::uint64_t order, std::uint64_t line) const {
    return {kOrderLine, (district * most_orders() + order) * kMostLines + line};
  }

  /// All tables, in the order of their numbers. `name_bytes` are a row's of the index of names.
  std::vector<RowTable> tables(std::uint64_t name_bytes) const;
};

}  // namespace racksim::app::tpcc

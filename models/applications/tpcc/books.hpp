// All of TPC-C's rows, summed up as its consistency conditions need them: by warehouse, district, order and customer.
//
// Of large tables only those rows are read that somebody has written; what the others add is known in closed form, as
// first contents are functions of keys. A test compares both ways.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/applications/tpcc/contents.hpp"
#include "models/applications/tpcc/scale.hpp"
#include "models/applications/transactions/schema.hpp"

namespace racksim::app::tpcc {

struct Books {
  struct OfWarehouse {
    std::int64_t ytd = 0, histories = 0;  ///< amounts
  };
  struct OfDistrict {
    std::int64_t ytd = 0, histories = 0;
    std::uint64_t next_order = 0, orders = 0, new_orders = 0, lines = 0;
    std::uint64_t lines_of_orders = 0, deliveries = 0;  ///< sums of O_OL_CNT and of C_DELIVERY_CNT
    std::optional<std::uint64_t> newest_order, oldest_waiting, newest_waiting;
    auto operator<=>(const OfDistrict&) const = default;
  };
  struct OfOrder {
    std::int64_t delivered = 0;  ///< amounts of the lines with a date
    std::uint32_t carrier = 0, asked_lines = 0, lines = 0, delivered_lines = 0, customer = 0;
    bool there = false, waits = false;
  };
  struct OfCustomer {
    std::int64_t balance = 0, paid = 0, histories = 0, delivered = 0;
    std::uint32_t last_order = 0, last_order_of_index = 0;
    bool there = false;
    auto operator<=>(const OfCustomer&) const = default;
  };

  /// From all rows.
  static Books of_all(const Scale& scale, const Rows& rows);
  /// From those that somebody has written, and what the others hold.
  static Books of_changed(const Scale& scale, const Contents& contents, const Rows& rows);

  Scale scale;
  std::vector<OfWarehouse> warehouses;
  std::vector<OfDistrict> districts;
  std::vector<OfOrder> orders;        ///< by order_row's key
  std::vector<OfCustomer> customers;  ///< by customer_row's key
  std::vector<std::int64_t> stocks;   ///< by stock_row's key: S_YTD less what lines since the first orders ask for
  std::uint64_t strays = 0;           ///< rows whose columns name what there is not

 private:
  using RowBytes = std::span<const std::byte>;

  explicit Books(const Scale& given);
  void begin_with(const Contents& contents);
  /// Enters a row, or takes it out again.
  void enter(Row row, RowBytes bytes, bool in);
  void enter_stock(RowBytes row, std::int64_t sign);
  void enter_customer(RowBytes row, bool in);
  void enter_history(RowBytes row, std::int64_t sign);
  void enter_new_order(RowBytes row, bool in);
  void enter_order(RowBytes row, bool in);
  void enter_line(RowBytes row, std::int64_t sign);
  /// What can be said when all rows are there.
  void close();

  OfDistrict* district(std::uint32_t warehouse, std::uint32_t of_it);
  OfOrder* order(std::uint32_t warehouse, std::uint32_t of_it, std::uint32_t number);
  OfCustomer* customer(std::uint32_t warehouse, std::uint32_t of_it, std::uint32_t number);
  std::int64_t* stock(std::uint32_t warehouse, std::uint32_t item);
  void note_stray(std::int64_t sign) { strays += static_cast<std::uint64_t>(sign); }
};

}  // namespace racksim::app::tpcc

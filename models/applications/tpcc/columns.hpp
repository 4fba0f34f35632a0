// The columns of TPC-C's rows (standard, revision 5.11, §1.3), at fixed offsets. Rows are as long as the public code's,
// which is longer than their columns. Money is in integer cents, a share in hundredths of a percent.
//
// What the standard counts from 1 (warehouses, districts, customers, items, orders, lines) counts from 0 here. A date is
// how many transactions its terminal had ended before; carriers and dates are 0 where the standard has null.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace racksim::app::tpcc {

template <class T>
struct Column {
  std::size_t at;
};

struct Warehouse {
  static constexpr std::size_t kBytes = 140;
  static constexpr Column<std::uint32_t> id{0}, tax{4};
  static constexpr Column<std::int64_t> ytd{8};
  static constexpr std::size_t name = 16, address = 26;  // texts, to the end
};

struct District {
  static constexpr std::size_t kBytes = 156;
  static constexpr Column<std::uint32_t> id{0}, warehouse{4}, tax{8}, next_order{12};
  static constexpr Column<std::int64_t> ytd{16};
  /// Of ours: history rows have no key of their own, so a district numbers its own.
  static constexpr Column<std::uint32_t> next_history{24};
  static constexpr std::size_t name = 28, address = 38;
};

struct Customer {
  static constexpr std::size_t kBytes = 788;
  static constexpr Column<std::uint32_t> id{0}, district{4}, warehouse{8}, discount{12}, payments{16}, deliveries{20};
  static constexpr Column<std::int64_t> credit_limit{24}, balance{32}, paid{40}, since{48};
  static constexpr Column<std::array<char, 2>> credit{56}, middle{58};
  static constexpr std::size_t first = 60, last = 76, address = 92, phone = 163, data = 179;
  static constexpr std::size_t kNameBytes = 16, kAddressBytes = 71, kPhoneBytes = 16, kDataBytes = 500;
};

struct History {
  static constexpr std::size_t kBytes = 72;
  static constexpr Column<std::uint32_t> customer{0}, customer_district{4}, customer_warehouse{8}, district{12},
      warehouse{16};
  static constexpr Column<std::int64_t> date{24}, amount{32};
  static constexpr std::size_t data = 40;
};

struct NewOrder {
  static constexpr std::size_t kBytes = 12;
  static constexpr Column<std::uint32_t> order{0}, district{4}, warehouse{8};
};

struct Order {
  static constexpr std::size_t kBytes = 36;
  static constexpr Column<std::uint32_t> id{0}, customer{4}, district{8}, warehouse{12}, carrier{16}, lines{20},
      all_local{24};
  static constexpr Column<std::int64_t> entry_date{28};
};

struct OrderLine {
  static constexpr std::size_t kBytes = 100;
  static constexpr Column<std::uint32_t> order{0}, district{4}, warehouse{8}, number{12}, item{16}, supplier{20},
      quantity{24};
  static constexpr Column<std::int64_t> delivery_date{28}, amount{36};
  static constexpr std::size_t district_info = 44;
};

struct Item {
  static constexpr std::size_t kBytes = 116;
  static constexpr Column<std::uint32_t> id{0}, image{4};
  static constexpr Column<std::int64_t> price{8};
  static constexpr std::size_t name = 16, data = 40;
};

struct Stock {
  static constexpr std::size_t kBytes = 404;
  static constexpr Column<std::uint32_t> item{0}, warehouse{4}, quantity{8}, orders{12}, remote_orders{16};
  static constexpr Column<std::int64_t> ytd{20};
  static constexpr std::size_t district_info = 28, data = 268;  // of each district in its turn
  static constexpr std::size_t kDistrictInfoBytes = 24;
};

/// An entry of the index by which OrderStatus finds a customer's last order.
struct LastOrder {
  static constexpr std::size_t kBytes = 8;
  static constexpr Column<std::uint32_t> order{0};
};

/// Where a district's new-orders begin: Delivery alone reads and writes it.
struct OldestOrder {
  static constexpr std::size_t kBytes = 8;
  static constexpr Column<std::uint32_t> order{0};
};

template <class T>
T get(std::span<const std::byte> row, Column<T> column) {
  T value;
  std::memcpy(&value, row.subspan(column.at, sizeof value).data(), sizeof value);
  return value;
}

/// A row of a table.
template <class Table>
class Record {
 public:
  template <class T>
  T get(Column<T> column) const {
    T value;
    std::memcpy(&value, bytes_.data() + column.at, sizeof value);
    return value;
  }
  template <class T>
  void put(Column<T> column, T value) {
    std::memcpy(bytes_.data() + column.at, &value, sizeof value);
  }
  template <class T>
  void add(Column<T> column, T value) {
    put(column, static_cast<T>(get(column) + value));
  }
  std::span<std::byte> bytes() { return bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::array<std::byte, Table::kBytes> bytes_{};
};

}  // namespace racksim::app::tpcc

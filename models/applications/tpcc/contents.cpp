// First contents of TPC-C's tables. See contents.hpp.
#include "models/applications/tpcc/contents.hpp"

#include <algorithm>
#include <numeric>

namespace racksim::app::tpcc {

namespace {

constexpr std::int64_t kLoaded = 1;  // the date

/// A hash of a row's key and of what it is for (splitmix64's finisher).
std::uint64_t mixed(std::uint32_t table, std::uint64_t key, std::uint64_t what) {
  std::uint64_t x = key * 0x9e3779b97f4a7c15 + (std::uint64_t{table} << 32) + what * 0xd1b54a32d192ed03;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
/// A number from `low` to `high`.
std::uint64_t within(std::uint64_t hash, std::uint64_t low, std::uint64_t high) {
  return low + (hash >> 16) % (high - low + 1);
}

/// Letters from a to p, eight from each word of a simple sequence.
void put_text(Bytes bytes, std::size_t at, std::size_t length, std::uint64_t seed) {
  for (std::size_t done = 0; done < length; done += sizeof seed) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t letters = ((seed ^ (seed >> 29)) & 0x0f0f0f0f0f0f0f0f) + 0x6161616161616161;
    std::memcpy(bytes.span().data() + at + done, &letters, std::min(sizeof letters, length - done));
  }
}

template <class T, class Value>
void put(Bytes bytes, Column<T> column, const Value& value) {
  bytes.put(column.at, static_cast<T>(value));
}

}  // namespace

Contents::Contents(const Scale& scale) : scale_(scale), names_(scale.customers, scale.names) {
  // About the golden section of a circle, so that neighbours lie far apart.
  step_ = scale.customers * 618 / 1000 + 1;
  while (std::gcd(step_, scale.customers) != 1) ++step_;
  step_back_ = 1;
  while (step_back_ * step_ % scale.customers != 1 % scale.customers) ++step_back_;
}

std::uint64_t Contents::lines_of(std::uint64_t district, std::uint64_t order) const {
  return within(mixed(kOrder, scale_.order_row(district, order).key, 1), kFewestLines, kMostLines);
}

bool Contents::first(Row row, Bytes bytes) const {
  switch (row.table) {
    case kWarehouse:
      warehouse(row.key, bytes);
      return true;
    case kDistrict:
      district(row.key, bytes);
      return true;
    case kCustomer:
      customer(row.key, bytes);
      return true;
    case kHistory:
      return history(row.key, bytes);
    case kNewOrder:
      return new_order(row.key, bytes);
    case kOrder:
      return order(row.key, bytes);
    case kOrderLine:
      return order_line(row.key, bytes);
    case kItem:
      return item(row.key, bytes);
    case kStock:
      stock(row.key, bytes);
      return true;
    case kCustomerName:
      customer_name(row.key, bytes);
      return true;
    case kLastOrder:
      put(bytes, LastOrder::order, order_of(row.key / scale_.customers, row.key % scale_.customers));
      return true;
    case kOldestOrder:
      put(bytes, OldestOrder::order, scale_.delivered());
      return true;
    default:
      return false;
  }
}

void Contents::warehouse(std::uint64_t key, Bytes bytes) const {
  put(bytes, Warehouse::id, key);
  put(bytes, Warehouse::tax, within(mixed(kWarehouse, key, 0), 0, 2000));
  put(bytes, Warehouse::ytd, kFirstPayment * static_cast<std::int64_t>(scale_.customers * kDistricts));
  put_text(bytes, Warehouse::name, 10 + Customer::kAddressBytes, mixed(kWarehouse, key, 1));
}

void Contents::district(std::uint64_t key, Bytes bytes) const {
  put(bytes, District::id, key % kDistricts);
  put(bytes, District::warehouse, key / kDistricts);
  put(bytes, District::tax, within(mixed(kDistrict, key, 0), 0, 2000));
  put(bytes, District::next_order, scale_.orders);
  put(bytes, District::ytd, kFirstPayment * static_cast<std::int64_t>(scale_.customers));
  put(bytes, District::next_history, scale_.customers);
  put_text(bytes, District::name, 10 + Customer::kAddressBytes, mixed(kDistrict, key, 1));
}

void Contents::customer(std::uint64_t key, Bytes bytes) const {
  const std::uint64_t id = key % scale_.customers, district = key / scale_.customers;
  const std::uint64_t hash = mixed(kCustomer, key, 0);
  put(bytes, Customer::id, id);
  put(bytes, Customer::district, district % kDistricts);
  put(bytes, Customer::warehouse, district / kDistricts);
  put(bytes, Customer::discount, within(hash, 0, 5000));
  put(bytes, Customer::payments, 1);
  put(bytes, Customer::credit_limit, 5'000'000);
  put(bytes, Customer::balance, -kFirstPayment);
  put(bytes, Customer::paid, kFirstPayment);
  put(bytes, Customer::since, kLoaded);
  bytes.put(Customer::credit.at, std::array{hash % 10 == 0 ? 'B' : 'G', 'C'});
  bytes.put(Customer::middle.at, std::array{'O', 'E'});
  bytes.put(Customer::first, names_.first_name(id));
  bytes.put(Customer::last, last_name(names_.of(id)));
  put_text(bytes, Customer::address, Customer::kAddressBytes + Customer::kPhoneBytes + Customer::kDataBytes, hash);
}

bool Contents::history(std::uint64_t key, Bytes bytes) const {
  const std::uint64_t customer = key % scale_.most_histories(), district = key / scale_.most_histories();
  if (customer >= scale_.customers) return false;
  put(bytes, History::customer, customer);
  put(bytes, History::customer_district, district % kDistricts);
  put(bytes, History::customer_warehouse, district / kDistricts);
  put(bytes, History::district, district % kDistricts);
  put(bytes, History::warehouse, district / kDistricts);
  put(bytes, History::date, kLoaded);
  put(bytes, History::amount, kFirstPayment);
  put_text(bytes, History::data, 24, mixed(kHistory, key, 0));
  return true;
}

bool Contents::new_order(std::uint64_t key, Bytes bytes) const {
  const std::uint64_t order = key % scale_.most_orders(), district = key / scale_.most_orders();
  if (order < scale_.delivered() || order >= scale_.orders) return false;
  put(bytes, NewOrder::order, order);
  put(bytes, NewOrder::district, district % kDistricts);
  put(bytes, NewOrder::warehouse, district / kDistricts);
  return true;
}

bool Contents::order(std::uint64_t key, Bytes bytes) const {
  const std::uint64_t order = key % scale_.most_orders(), district = key / scale_.most_orders();
  if (order >= scale_.orders) return false;
  put(bytes, Order::id, order);
  put(bytes, Order::customer, customer_of(district, order));
  put(bytes, Order::district, district % kDistricts);
  put(bytes, Order::warehouse, district / kDistricts);
  put(bytes, Order::carrier, order < scale_.delivered() ? within(mixed(kOrder, key, 0), 1, 10) : 0);
  put(bytes, Order::lines, lines_of(district, order));
  put(bytes, Order::all_local, 1);
  put(bytes, Order::entry_date, kLoaded);
  return true;
}

bool Contents::order_line(std::uint64_t key, Bytes bytes) const {
  const std::uint64_t line = key % kMostLines, of_all = key / kMostLines;
  const std::uint64_t order = of_all % scale_.most_orders(), district = of_all / scale_.most_orders();
  if (order >= scale_.orders || line >= lines_of(district, order)) return false;
  const std::uint64_t hash = mixed(kOrderLine, key, 0);
  const bool delivered = order < scale_.delivered();
  put(bytes, OrderLine::order, order);
  put(bytes, OrderLine::district, district % kDistricts);
  put(bytes, OrderLine::warehouse, district / kDistricts);
  put(bytes, OrderLine::number, line);
  put(bytes, OrderLine::item, within(hash, 0, scale_.items - 1));
  put(bytes, OrderLine::supplier, district / kDistricts);
  put(bytes, OrderLine::quantity, 5);
  put(bytes, OrderLine::delivery_date, delivered ? kLoaded : 0);
  put(bytes, OrderLine::amount, delivered ? 0 : within(mixed(kOrderLine, key, 1), 1, 999'999));
  put_text(bytes, OrderLine::district_info, Stock::kDistrictInfoBytes, hash);
  return true;
}

bool Contents::item(std::uint64_t key, Bytes bytes) const {
  if (key >= scale_.items) return false;
  const std::uint64_t hash = mixed(kItem, key, 0);
  put(bytes, Item::id, key);
  put(bytes, Item::image, within(hash, 1, 10'000));
  put(bytes, Item::price, within(mixed(kItem, key, 1), 100, 10'000));
  put_text(bytes, Item::name, 24 + 50, hash);
  return true;
}

void Contents::stock(std::uint64_t key, Bytes bytes) const {
  const std::uint64_t hash = mixed(kStock, key, 0);
  put(bytes, Stock::item, key % scale_.items);
  put(bytes, Stock::warehouse, key / scale_.items);
  put(bytes, Stock::quantity, within(hash, 10, 100));
  put_text(bytes, Stock::district_info, kDistricts * Stock::kDistrictInfoBytes + 50, hash);
}

void Contents::customer_name(std::uint64_t key, Bytes bytes) const {
  const auto& customers = names_.customers(key % scale_.names);
  bytes.put(0, static_cast<std::uint32_t>(customers.size()));
  for (std::size_t i = 0; i < customers.size(); ++i) bytes.put(sizeof(std::uint32_t) * (i + 1), customers[i]);
}

}  // namespace racksim::app::tpcc

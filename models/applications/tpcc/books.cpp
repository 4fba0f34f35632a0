// The sums of TPC-C's rows. See books.hpp.
#include "models/applications/tpcc/books.hpp"

#include <algorithm>
#include <array>

#include "models/applications/tpcc/columns.hpp"

namespace racksim::app::tpcc {

namespace {
/// The tables that conditions are about.
constexpr std::array kBooked{kWarehouse, kDistrict,  kCustomer, kHistory,  kNewOrder,
                             kOrder,     kOrderLine, kStock,    kLastOrder};
}  // namespace

Books::Books(const Scale& given)
    : scale(given),
      warehouses(given.warehouses),
      districts(given.districts()),
      orders(given.districts() * given.most_orders()),
      customers(given.districts() * given.customers),
      stocks(given.warehouses * given.items) {}

Books Books::of_all(const Scale& scale, const Rows& rows) {
  Books books(scale);
  for (const TableNumber table : kBooked) {
    rows.each(table, [&](std::uint64_t key, RowBytes bytes) { books.enter({table, key}, bytes, true); });
  }
  books.close();
  return books;
}

Books Books::of_changed(const Scale& scale, const Contents& contents, const Rows& rows) {
  Books books(scale);
  books.begin_with(contents);
  std::vector<std::byte> before(Customer::kBytes);
  rows.each_changed([&](Row row, bool there, RowBytes bytes) {
    std::fill(before.begin(), before.end(), std::byte{});
    if (contents.first(row, Bytes(before))) books.enter(row, before, false);
    if (there) books.enter(row, bytes, true);
  });
  books.close();
  return books;
}

void Books::begin_with(const Contents& contents) {
  const std::int64_t paid = Contents::kFirstPayment, of_district = paid * static_cast<std::int64_t>(scale.customers);
  std::fill(warehouses.begin(), warehouses.end(),
            OfWarehouse{.ytd = of_district * static_cast<std::int64_t>(kDistricts),
                        .histories = of_district * static_cast<std::int64_t>(kDistricts)});
  for (std::uint64_t d = 0; d < districts.size(); ++d) {
    OfDistrict& here = districts[d];
    here.ytd = here.histories = of_district;
    here.next_order = here.orders = scale.orders;
    here.new_orders = scale.new_orders;
    for (std::uint64_t o = 0; o < scale.orders; ++o) {
      const bool delivered = o < scale.delivered();
      const auto lines = static_cast<std::uint32_t>(contents.lines_of(d, o));
      here.lines += lines;
      orders[scale.order_row(d, o).key] = {.carrier = delivered ? 1U : 0U,
                                           .asked_lines = lines,
                                           .lines = lines,
                                           .delivered_lines = delivered ? lines : 0,
                                           .customer = static_cast<std::uint32_t>(contents.customer_of(d, o)),
                                           .there = true,
                                           .waits = !delivered};
    }
    here.lines_of_orders = here.lines;
    for (std::uint64_t c = 0; c < scale.customers; ++c) {
      customers[scale.customer_row(d, c).key] = {
          .balance = -paid,
          .paid = paid,
          .histories = paid,
          .last_order_of_index = static_cast<std::uint32_t>(contents.order_of(d, c)),
          .there = true};
    }
  }
}

Books::OfDistrict* Books::district(std::uint32_t warehouse, std::uint32_t of_it) {
  if (warehouse >= scale.warehouses || of_it >= kDistricts) return nullptr;
  return &districts[Scale::district(warehouse, of_it)];
}
Books::OfOrder* Books::order(std::uint32_t warehouse, std::uint32_t of_it, std::uint32_t number) {
  if (warehouse >= scale.warehouses || of_it >= kDistricts || number >= scale.most_orders()) return nullptr;
  return &orders[scale.order_row(Scale::district(warehouse, of_it), number).key];
}
Books::OfCustomer* Books::customer(std::uint32_t warehouse, std::uint32_t of_it, std::uint32_t number) {
  if (warehouse >= scale.warehouses || of_it >= kDistricts || number >= scale.customers) return nullptr;
  return &customers[scale.customer_row(Scale::district(warehouse, of_it), number).key];
}
std::int64_t* Books::stock(std::uint32_t warehouse, std::uint32_t item) {
  if (warehouse >= scale.warehouses || item >= scale.items) return nullptr;
  return &stocks[scale.stock_row(warehouse, item).key];
}

void Books::enter(Row row, RowBytes bytes, bool in) {
  const std::int64_t sign = in ? 1 : -1;
  switch (row.table) {
    case kWarehouse:
      if (const auto id = get(bytes, Warehouse::id); id < scale.warehouses) {
        warehouses[id].ytd += sign * get(bytes, Warehouse::ytd);
      } else {
        note_stray(sign);
      }
      break;
    case kDistrict:
      if (OfDistrict* here = district(get(bytes, District::warehouse), get(bytes, District::id))) {
        here->ytd += sign * get(bytes, District::ytd);
        here->next_order = in ? get(bytes, District::next_order) : 0;
      } else {
        note_stray(sign);
      }
      break;
    case kStock:
      enter_stock(bytes, sign);
      break;
    case kCustomer:
      enter_customer(bytes, in);
      break;
    case kHistory:
      enter_history(bytes, sign);
      break;
    case kNewOrder:
      enter_new_order(bytes, in);
      break;
    case kOrder:
      enter_order(bytes, in);
      break;
    case kOrderLine:
      enter_line(bytes, sign);
      break;
    case kLastOrder:  // an entry has nothing but its key to say whose it is
      customers[row.key].last_order_of_index = in ? get(bytes, LastOrder::order) : 0;
      break;
    default:
      break;
  }
}

void Books::enter_stock(RowBytes row, std::int64_t sign) {
  if (std::int64_t* here = stock(get(row, Stock::warehouse), get(row, Stock::item))) {
    *here += sign * get(row, Stock::ytd);
  } else {
    note_stray(sign);
  }
}

void Books::enter_customer(RowBytes row, bool in) {
  const std::int64_t sign = in ? 1 : -1;
  const auto warehouse = get(row, Customer::warehouse), of_it = get(row, Customer::district);
  OfCustomer* const here = customer(warehouse, of_it, get(row, Customer::id));
  if (here == nullptr) return note_stray(sign);
  here->there = in;
  here->balance += sign * get(row, Customer::balance);
  here->paid += sign * get(row, Customer::paid);
  district(warehouse, of_it)->deliveries += static_cast<std::uint64_t>(sign) * get(row, Customer::deliveries);
}

void Books::enter_history(RowBytes row, std::int64_t sign) {
  const std::int64_t amount = sign * get(row, History::amount);
  const auto warehouse = get(row, History::warehouse);
  if (OfDistrict* here = district(warehouse, get(row, History::district))) {
    here->histories += amount;
    warehouses[warehouse].histories += amount;
  } else {
    note_stray(sign);
  }
  if (OfCustomer* here = customer(get(row, History::customer_warehouse), get(row, History::customer_district),
                                  get(row, History::customer))) {
    here->histories += amount;
  } else {
    note_stray(sign);
  }
}

void Books::enter_new_order(RowBytes row, bool in) {
  const auto warehouse = get(row, NewOrder::warehouse), of_it = get(row, NewOrder::district);
  OfOrder* const here = order(warehouse, of_it, get(row, NewOrder::order));
  if (here == nullptr) return note_stray(in ? 1 : -1);
  here->waits = in;
  district(warehouse, of_it)->new_orders += in ? 1 : ~std::uint64_t{0};
}

void Books::enter_order(RowBytes row, bool in) {
  const auto warehouse = get(row, Order::warehouse), of_it = get(row, Order::district);
  OfOrder* const here = order(warehouse, of_it, get(row, Order::id));
  const auto of_customer = get(row, Order::customer);
  if (here == nullptr || of_customer >= scale.customers) return note_stray(in ? 1 : -1);
  here->there = in;
  here->carrier = in ? get(row, Order::carrier) : 0;
  here->asked_lines = in ? get(row, Order::lines) : 0;
  here->customer = in ? of_customer : 0;
  OfDistrict& of_order = *district(warehouse, of_it);
  const std::uint64_t sign = in ? 1 : ~std::uint64_t{0};
  of_order.orders += sign;
  of_order.lines_of_orders += sign * get(row, Order::lines);
}

void Books::enter_line(RowBytes row, std::int64_t sign) {
  const auto warehouse = get(row, OrderLine::warehouse), of_it = get(row, OrderLine::district);
  OfOrder* const here = order(warehouse, of_it, get(row, OrderLine::order));
  if (here == nullptr) return note_stray(sign);
  const auto one = static_cast<std::uint32_t>(sign);
  here->lines += one;
  district(warehouse, of_it)->lines += static_cast<std::uint64_t>(sign);
  if (get(row, OrderLine::delivery_date) != 0) {
    here->delivered_lines += one;
    here->delivered += sign * get(row, OrderLine::amount);
  }
  if (get(row, OrderLine::order) < scale.orders) return;  // the first ones took nothing from the stocks
  if (std::int64_t* from = stock(get(row, OrderLine::supplier), get(row, OrderLine::item))) {
    *from -= sign * static_cast<std::int64_t>(get(row, OrderLine::quantity));
  } else {
    note_stray(sign);
  }
}

void Books::close() {
  for (std::uint64_t i = 0; i < orders.size(); ++i) {
    const OfOrder& here = orders[i];
    const std::uint64_t number = i % scale.most_orders(), of_district = i / scale.most_orders();
    OfDistrict& d = districts[of_district];
    if (here.waits) {
      if (!d.oldest_waiting) d.oldest_waiting = number;
      d.newest_waiting = number;
    }
    if (!here.there) continue;
    d.newest_order = number;
    OfCustomer& whose = customers[scale.customer_row(of_district, here.customer).key];
    whose.last_order = static_cast<std::uint32_t>(number);
    whose.delivered += here.delivered;
  }
}

}  // namespace racksim::app::tpcc

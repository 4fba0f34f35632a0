// TPC-C's NewOrder (standard §2.4.2), in the order of the papers' code: the wares first, the district's counter late.
#include <fmt/core.h>

#include <array>

#include "models/applications/tpcc/transactions.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::app::tpcc {

namespace {

/// Takes the ordered quantity from a stock, which is filled up before it runs out.
void take_from(Record<Stock>& stock, const NewOrderInput::Line& line, bool remote) {
  const auto quantity = static_cast<std::uint32_t>(line.quantity), there = stock.get(Stock::quantity);
  stock.put(Stock::quantity, there >= quantity + 10 ? there - quantity : there + 91 - quantity);
  stock.add(Stock::ytd, static_cast<std::int64_t>(quantity));
  stock.add(Stock::orders, 1U);
  if (remote) stock.add(Stock::remote_orders, 1U);
}

Record<OrderLine> line_of(const NewOrderInput& input, std::uint32_t order, std::uint64_t number, std::int64_t price,
                          const Record<Stock>& stock) {
  const NewOrderInput::Line& line = input.lines[number];
  Record<OrderLine> row;
  row.put(OrderLine::order, order);
  row.put(OrderLine::district, static_cast<std::uint32_t>(input.district % kDistricts));
  row.put(OrderLine::warehouse, static_cast<std::uint32_t>(input.warehouse));
  row.put(OrderLine::number, static_cast<std::uint32_t>(number));
  row.put(OrderLine::item, static_cast<std::uint32_t>(line.item));
  row.put(OrderLine::supplier, static_cast<std::uint32_t>(line.supplier));
  row.put(OrderLine::quantity, static_cast<std::uint32_t>(line.quantity));
  row.put(OrderLine::amount, price * static_cast<std::int64_t>(line.quantity));
  const std::size_t info = Stock::district_info + input.district % kDistricts * Stock::kDistrictInfoBytes;
  std::memcpy(row.bytes().data() + OrderLine::district_info, stock.bytes().data() + info, Stock::kDistrictInfoBytes);
  return row;
}

}  // namespace

sim::Task<End> new_order(const Setting& setting, Access& access, const NewOrderInput& input) {
  const Scale& scale = setting.scale;
  std::array<std::int64_t, kMostLines> prices{};
  std::array<Record<Stock>, kMostLines> stocks;
  bool all_local = true;
  for (std::uint64_t i = 0; i < input.count; ++i) {
    const NewOrderInput::Line& line = input.lines[i];
    Record<Item> item;
    if (!co_await access.read(Scale::item_row(line.item), item)) co_return End::rolled_back;
    prices[i] = item.get(Item::price);
    const Grip grip = co_await access.take(scale.stock_row(line.supplier, line.item), stocks[i]);
    const bool remote = line.supplier != input.warehouse;
    if (remote) all_local = false;
    take_from(stocks[i], line, remote);
    co_await access.write(grip, stocks[i]);
  }

  Record<Warehouse> warehouse;
  co_await access.read(Scale::warehouse_row(input.warehouse), warehouse);
  Record<District> district;
  const Grip of_district = co_await access.take(Scale::district_row(input.district), district);
  const std::uint32_t number = district.get(District::next_order);
  if (number >= scale.most_orders()) {
    throw sim::OptionError("room", fmt::format("{}, and a district that has taken so many orders", scale.room), "more");
  }
  district.put(District::next_order, number + 1);
  co_await access.write(of_district, district);
  Record<Customer> customer;
  co_await access.read(scale.customer_row(input.district, input.customer), customer);

  Record<NewOrder> waiting;
  waiting.put(NewOrder::order, number);
  waiting.put(NewOrder::district, static_cast<std::uint32_t>(input.district % kDistricts));
  waiting.put(NewOrder::warehouse, static_cast<std::uint32_t>(input.warehouse));
  co_await access.insert(scale.new_order_row(input.district, number), waiting);

  Record<Order> order;
  order.put(Order::id, number);
  order.put(Order::customer, static_cast<std::uint32_t>(input.customer));
  order.put(Order::district, static_cast<std::uint32_t>(input.district % kDistricts));
  order.put(Order::warehouse, static_cast<std::uint32_t>(input.warehouse));
  order.put(Order::lines, static_cast<std::uint32_t>(input.count));
  order.put(Order::all_local, all_local ? 1U : 0U);
  order.put(Order::entry_date, setting.date);
  co_await access.insert(scale.order_row(input.district, number), order);

  for (std::uint64_t i = 0; i < input.count; ++i) {
    const Record<OrderLine> line = line_of(input, number, i, prices[i], stocks[i]);
    co_await access.insert(scale.line_row(input.district, number, i), line);
  }
  if (setting.keeps_last_orders) {
    Record<LastOrder> last;
    const Grip grip = co_await access.take(scale.last_order_row(input.district, input.customer), last);
    last.put(LastOrder::order, number);
    co_await access.write(grip, last);
  }
  co_return End::committed;
}

}  // namespace racksim::app::tpcc

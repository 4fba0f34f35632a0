// TPC-C's Delivery (standard §2.7.4): of each district the oldest order that waits.
//
// A row of the district says where its new-orders begin, which Delivery alone reads and writes. A search for the least
// new-order would walk over all that were delivered before, and the district's own row is one that every NewOrder and
// Payment writes. If there is no new-order where they begin, there is none: its absence is read like a row.
#include <algorithm>

#include "models/applications/tpcc/transactions.hpp"

namespace racksim::app::tpcc {

namespace {

/// The sum of an order's lines, which get their date.
sim::Task<std::int64_t> deliver_lines(const Setting& setting, Access& access, std::uint64_t district,
                                      std::uint32_t order, std::uint64_t lines) {
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; i < lines; ++i) {
    Record<OrderLine> line;
    const Grip grip = co_await access.take(setting.scale.line_row(district, order, i), line);
    sum += line.get(OrderLine::amount);
    line.put(OrderLine::delivery_date, setting.date);
    co_await access.write(grip, line);
  }
  co_return sum;
}

sim::Task<void> deliver(const Setting& setting, Access& access, std::uint64_t district, std::uint32_t carrier) {
  const Scale& scale = setting.scale;
  Record<OldestOrder> oldest;
  const Grip of_oldest = co_await access.take(Scale::oldest_row(district), oldest);
  const std::uint32_t number = oldest.get(OldestOrder::order);
  if (number >= scale.most_orders()) co_return;  // as many as fit were ordered and delivered
  Record<NewOrder> waiting;
  const Grip of_waiting = co_await access.take(scale.new_order_row(district, number), waiting);
  if (!of_waiting.there) co_return;
  co_await access.erase(of_waiting);
  oldest.put(OldestOrder::order, number + 1);
  co_await access.write(of_oldest, oldest);

  Record<Order> order;
  const Grip of_order = co_await access.take(scale.order_row(district, number), order);
  if (!of_order.there) co_return;
  order.put(Order::carrier, carrier);
  co_await access.write(of_order, order);
  const std::uint64_t lines = std::min<std::uint64_t>(order.get(Order::lines), kMostLines);
  const std::int64_t sum = co_await deliver_lines(setting, access, district, number, lines);

  Record<Customer> customer;
  const Grip of_customer = co_await access.take(scale.customer_row(district, order.get(Order::customer)), customer);
  customer.add(Customer::balance, sum);
  customer.add(Customer::deliveries, 1U);
  co_await access.write(of_customer, customer);
}

}  // namespace

sim::Task<End> delivery(const Setting& setting, Access& access, const DeliveryInput& input, std::uint64_t first,
                        std::uint64_t end) {
  for (std::uint64_t district = first; district < end; ++district) {
    co_await deliver(setting, access, Scale::district(input.warehouse, district), input.carrier);
  }
  co_return End::committed;
}

}  // namespace racksim::app::tpcc

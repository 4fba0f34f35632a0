// TPC-C's OrderStatus (standard §2.6.2): a customer, his last order, and its lines.
#include <algorithm>

#include "models/applications/tpcc/transactions.hpp"

namespace racksim::app::tpcc {

sim::Task<End> order_status(const Setting& setting, Access& access, const OrderStatusInput& input) {
  const Scale& scale = setting.scale;
  const std::uint64_t district = input.customer.district;
  const std::uint64_t id = co_await find_customer(setting, access, input.customer);
  Record<Customer> customer;
  co_await access.read(scale.customer_row(district, id), customer);
  Record<LastOrder> last;
  if (!co_await access.read(scale.last_order_row(district, id), last)) co_return End::committed;
  const std::uint32_t number = last.get(LastOrder::order);
  Record<Order> order;
  if (!co_await access.read(scale.order_row(district, number), order)) co_return End::committed;
  const std::uint64_t lines = std::min<std::uint64_t>(order.get(Order::lines), kMostLines);
  for (std::uint64_t i = 0; i < lines; ++i) {
    Record<OrderLine> line;
    co_await access.read(scale.line_row(district, number, i), line);
  }
  co_return End::committed;
}

}  // namespace racksim::app::tpcc

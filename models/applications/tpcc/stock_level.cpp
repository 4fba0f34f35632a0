// TPC-C's StockLevel (standard §2.8.2): of the items in a district's last 20 orders, how many are short in its warehouse.
// The standard lets it read what others commit meanwhile; here it is as serializable as the others.
#include <algorithm>
#include <vector>

#include "models/applications/tpcc/transactions.hpp"

namespace racksim::app::tpcc {

sim::Task<End> stock_level(const Setting& setting, Access& access, const StockLevelInput& input) {
  const Scale& scale = setting.scale;
  Record<District> district;
  co_await access.read(Scale::district_row(input.district), district);
  const std::uint64_t next = district.get(District::next_order);
  const std::uint64_t first = next - std::min(next, kRecentOrders);

  std::vector<std::uint32_t> items;
  const Transaction::Visit note = [&items](std::uint64_t, std::span<const std::byte> row) {
    items.push_back(get(row, OrderLine::item));
    return true;
  };
  co_await access.scan(kOrderLine, scale.line_row(input.district, first, 0).key,
                       scale.line_row(input.district, next, 0).key, note);
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());

  std::uint64_t below = 0;  // what a terminal would show
  for (const std::uint32_t item : items) {
    Record<Stock> stock;
    co_await access.read(scale.stock_row(input.warehouse, item), stock);
    if (stock.get(Stock::quantity) < input.threshold) ++below;
  }
  static_cast<void>(below);
  co_return End::committed;
}

}  // namespace racksim::app::tpcc

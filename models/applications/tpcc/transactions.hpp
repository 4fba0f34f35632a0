// TPC-C's five transactions (standard §2.4 to §2.8), each up to its commit. What they would show on a terminal's screen
// is left out.
#pragma once

#include <cstdint>

#include "models/applications/application.hpp"
#include "models/applications/tpcc/access.hpp"
#include "models/applications/tpcc/inputs.hpp"
#include "models/applications/tpcc/scale.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::app::tpcc {

/// What they share with their terminal.
struct Setting {
  const Scale& scale;
  std::uint64_t name_bytes;  ///< of a row of the index of names
  bool keeps_last_orders;    ///< the index of last orders is kept
  std::int64_t date;
};

/// Throws sim::OptionError if the district has no room for another order.
sim::Task<End> new_order(const Setting& setting, Access& access, const NewOrderInput& input);
/// Throws sim::OptionError if the district has no room for another payment.
sim::Task<End> payment(const Setting& setting, Access& access, const PaymentInput& input);
sim::Task<End> order_status(const Setting& setting, Access& access, const OrderStatusInput& input);
/// Of the districts from `first` up to, and without, `end` of the input's warehouse.
sim::Task<End> delivery(const Setting& setting, Access& access, const DeliveryInput& input, std::uint64_t first,
                        std::uint64_t end);
sim::Task<End> stock_level(const Setting& setting, Access& access, const StockLevelInput& input);

/// The number of the customer who is meant: by last name the one in the middle, by first names (standard §2.5.2.2).
sim::Task<std::uint64_t> find_customer(const Setting& setting, Access& access, const CustomerChoice& choice);

}  // namespace racksim::app::tpcc

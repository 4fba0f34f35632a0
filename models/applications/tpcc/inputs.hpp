// What a terminal asks for: the inputs of TPC-C's transactions, drawn before their first access (standard §2.4.1, §2.5.1,
// §2.6.1, §2.7.1, §2.8.1).
//
// The items of an order differ, as in the papers' code. A remote line takes its stock, and a remote payment its customer,
// from another warehouse than the terminal's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/applications/tpcc/scale.hpp"
#include "sim/random/random.hpp"

namespace racksim::app::tpcc {

/// What inputs are drawn by, of the options.
struct Drawing {
  const Scale& scale;
  double remote_line, remote_payment;  ///< probability
  double by_name;                      ///< of a customer who is asked for by last name
  double rollback;                     ///< of a NewOrder that ends with an item that there is not
  double locality;                     ///< of an item that the terminal's last NewOrder had too
};

/// An item and where its stock is.
struct Ware {
  std::uint64_t item, supplier;
};

struct NewOrderInput {
  struct Line : Ware {
    std::uint64_t quantity;
  };
  std::uint64_t warehouse, district, customer;  // district: counted through all warehouses, here and below
  std::uint64_t count;
  std::array<Line, kMostLines> lines;
  bool rolls_back;  ///< the last item is none
};

/// A customer of a district, by number or by last name.
struct CustomerChoice {
  std::uint64_t district, customer;
  bool by_name;
  std::uint64_t name;
};

struct PaymentInput {
  std::uint64_t warehouse, district;
  CustomerChoice customer;
  std::int64_t amount;
};

struct OrderStatusInput {
  CustomerChoice customer;
};

struct DeliveryInput {
  std::uint64_t warehouse;
  std::uint32_t carrier;
};

struct StockLevelInput {
  std::uint64_t warehouse, district;
  std::uint32_t threshold;
};

/// A warehouse other than this one, all alike. There are two at least.
std::uint64_t draw_other(sim::RandomStream& random, std::uint64_t warehouses, std::uint64_t warehouse);

/// `last` are the wares of the terminal's last NewOrder.
NewOrderInput draw_new_order(const Drawing& by, std::uint64_t warehouse, const std::vector<Ware>& last,
                             sim::RandomStream& random);
PaymentInput draw_payment(const Drawing& by, std::uint64_t warehouse, sim::RandomStream& random);
OrderStatusInput draw_order_status(const Drawing& by, std::uint64_t warehouse, sim::RandomStream& random);
DeliveryInput draw_delivery(std::uint64_t warehouse, sim::RandomStream& random);
StockLevelInput draw_stock_level(std::uint64_t warehouse, sim::RandomStream& random);

}  // namespace racksim::app::tpcc

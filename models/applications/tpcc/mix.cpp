// Mixes of transactions. See mix.hpp.
#include "models/applications/tpcc/mix.hpp"

#include <numeric>

namespace racksim::app::tpcc {

std::array<std::uint64_t, kKinds> weights(Mix mix) {
  switch (mix) {  // new-order, payment, order-status, delivery, stock-level
    case Mix::standard:
      return {45, 43, 4, 4, 4};
    case Mix::orders_and_payments:
      return {45, 43, 0, 0, 0};
    case Mix::halves:
      return {1, 1, 0, 0, 0};
    case Mix::updates:
      return {1, 1, 0, 1, 0};
    case Mix::reads:
      return {0, 0, 1, 0, 1};
    case Mix::all:
      return {1, 1, 1, 1, 1};
    case Mix::new_order:
      return {1, 0, 0, 0, 0};
    case Mix::payment:
      return {0, 1, 0, 0, 0};
    case Mix::order_status:
      return {0, 0, 1, 0, 0};
    case Mix::delivery:
      return {0, 0, 0, 1, 0};
    case Mix::stock_level:
      return {0, 0, 0, 0, 1};
  }
  return {};
}

Kind draw_kind(Mix mix, sim::RandomStream& random) {
  const auto shares = weights(mix);
  std::uint64_t drawn = random.below(std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}));
  std::size_t kind = 0;
  while (drawn >= shares[kind]) drawn -= shares[kind++];
  return static_cast<Kind>(kind);
}

}  // namespace racksim::app::tpcc

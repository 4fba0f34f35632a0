// Which of TPC-C's transactions a terminal runs next (standard §5.2.3, and the mixes of papers that run parts of it).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/random/random.hpp"

namespace racksim::app::tpcc {

enum class Kind : std::uint8_t { new_order, payment, order_status, delivery, stock_level };
inline constexpr std::size_t kKinds = 5;

enum class Mix : std::uint8_t {
  standard,
  orders_and_payments,
  halves,
  updates,
  reads,
  all,
  new_order,
  payment,
  order_status,
  delivery,
  stock_level
};

/// Each kind's weight in a mix.
std::array<std::uint64_t, kKinds> weights(Mix mix);
inline bool has(Mix mix, Kind kind) {
  return weights(mix)[static_cast<std::size_t>(kind)] > 0;
}
Kind draw_kind(Mix mix, sim::RandomStream& random);

}  // namespace racksim::app::tpcc

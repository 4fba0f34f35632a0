// The orders and the hash. See provider.hpp.
#include "protocols/flowcc/rules/provider.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sim/random/random.hpp"

namespace racksim::flowcc {

namespace {

constexpr std::size_t kHashedBytes = 2 + 4;  // requester, sequence number

// A random order of all nodes, the same in every run. `number` tells several apart.
std::vector<NodeId> random_order(unsigned nodes, std::uint64_t number) {
  constexpr std::uint64_t kDraw = 0x7072'6f76'6964'6572;  // a draw of its own
  std::vector<NodeId> order(nodes);
  std::iota(order.begin(), order.end(), NodeId{0});
  for (unsigned left = nodes; left > 1; --left) {
    std::swap(order[left - 1], order[sim::keyed_draw(kDraw, number, left) % left]);
  }
  return order;
}

}  // namespace

ProviderOrders::ProviderOrders(unsigned nodes) : nodes_(nodes), crc_(kHash, kHashedBytes) {
  orders_.reserve(std::size_t{kOrders} * nodes);
  for (unsigned hash = 0; hash < kOrders && nodes > 0; ++hash) {
    const unsigned turn = hash % nodes, variant = hash / nodes;
    std::vector<NodeId> order = random_order(nodes, variant / 2);
    if (variant % 2 != 0) std::reverse(order.begin(), order.end());
    for (const NodeId node : order) orders_.push_back(static_cast<NodeId>((node + turn) % nodes));
  }
}

unsigned ProviderOrders::hash(RequesterId requester, Seq seq) const {
  std::uint32_t crc = crc_.start();
  for (unsigned i = 0; i < 2; ++i) crc ^= crc_.of(i, static_cast<std::uint8_t>(requester >> (8 - 8 * i)));
  for (unsigned i = 0; i < 4; ++i) crc ^= crc_.of(2 + i, static_cast<std::uint8_t>(seq >> (24 - 8 * i)));
  return crc & (kOrders - 1);
}

NodeId ProviderOrders::pick(Copyset holders, unsigned hash) const {
  for (const NodeId node : order(hash)) {
    if ((holders & node_bit(node)) != 0) return node;
  }
  throw std::logic_error(fmt::format("flowcc: no data provider among the holders {:#x}", holders));
}

}  // namespace racksim::flowcc

// The choice of a data provider among the holders of a block (Concordia §5.1.1, "in-network selection mechanism").
//
// The paper's switch picks a holder at random. Here a hash of requester and sequence number does, so that a
// retransmission finds the same provider while the copyset stands: a second provider would only acknowledge again what
// it has executed, and nobody would send data.
//
// The switch knows the copyset in its last stage but one and has no modulo, so one lookup must find the provider. Each
// value of the hash stands for an order of all nodes, and the first of them that holds the block provides: in TCAM a
// row for each place of each order, which asks for one bit of the copyset (hardware.md 6.2: 12,288 rows a stage; 16
// nodes take 4,096). A home agent that owns a block walks the same order.
//
// The orders are a few random ones, each turned round by every number of places, forwards and backwards: every node
// stands at each place equally often, and of two holders either comes first in half of the orders. With a number of
// nodes that is no power of two some turns are used once more than others, of 16 times at least.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "p4model/language/crc_hash.hpp"
#include "protocols/flowcc/rules/block.hpp"

namespace racksim::flowcc {

class ProviderOrders {
 public:
  /// Of 1 to 16 nodes.
  explicit ProviderOrders(unsigned nodes);

  /// The CRC that the switch's hash unit computes over requester and sequence number, cut to kHashBits.
  static constexpr p4::CrcKind kHash = p4::CrcKind::crc32;
  /// 16 turns of each of at most 16 nodes; fewer nodes have more.
  static constexpr unsigned kHashBits = 8;
  /// Orders that there are, one for each value of the hash.
  static constexpr unsigned kOrders = 1u << kHashBits;
  unsigned hash(RequesterId requester, Seq seq) const;

  /// All nodes, in the order of a hash value.
  std::span<const NodeId> order(unsigned hash) const { return {orders_.data() + hash * nodes_, nodes_}; }
  /// The first of them that is among the holders, of which there must be one.
  NodeId pick(Copyset holders, unsigned hash) const;

 private:
  unsigned nodes_;
  p4::CrcTables crc_;
  std::vector<NodeId> orders_;
};

}  // namespace racksim::flowcc

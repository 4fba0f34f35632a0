// The global latch word of a line: who holds it, in 64 bits that one RDMA atomic changes (SELCC §4.3.1, Figure 4).
// SELCC and its baseline SEL have the same.
//
// The upper 6 bits are the id of the node that holds the line Modified, the lower 58 a bitmap of the nodes that hold it
// Shared. Ids begin at 1, since 0 stands for nobody, and the reader bit of id i is bit i-1: with the paper's
// `1 << NodeID` node 58 would write into the id. So there are at most 58 compute nodes.
//
// All changes but acquiring Modified are additions: the word is the sum of what nodes have contributed, modulo 2^64. In
// between, a reader's bit that is added twice carries into its neighbour's, with the last neighbours into the id, and
// one that is taken away too early borrows from it; what each operation may add, and when, is the protocol's to say
// (selcc/frame_table.cpp).
#pragma once

#include <bit>
#include <cstdint>

#include "models/packets/rack_context.hpp"

namespace racksim::latched_memory {

using models::NodeId;

class LatchWord {
 public:
  static constexpr unsigned kReaderBits = 58;
  /// More compute nodes have no bit.
  static constexpr unsigned kMostNodes = kReaderBits;

  constexpr explicit LatchWord(std::uint64_t bits = 0) : bits_(bits) {}
  constexpr std::uint64_t bits() const { return bits_; }

  /// The contribution of a node that holds the line Modified, and of one that holds it Shared.
  static constexpr std::uint64_t modified(NodeId node) { return (std::uint64_t{node} + 1) << kReaderBits; }
  static constexpr std::uint64_t shared(NodeId node) { return std::uint64_t{1} << node; }

  // What the atomics add (§4.4). A handover from B to A adds (A - B, 0).
  static constexpr std::uint64_t hand_over(NodeId from, NodeId to) { return modified(to) - modified(from); }
  static constexpr std::uint64_t share(NodeId from, NodeId with) {
    return shared(from) + shared(with) - modified(from);
  }
  static constexpr std::uint64_t minus(std::uint64_t contribution) { return std::uint64_t{0} - contribution; }

  /// Nobody holds it.
  constexpr bool free() const { return bits_ == 0; }
  /// The id field names a node: not always one that exists.
  constexpr bool names_owner() const { return bits_ >> kReaderBits != 0; }
  /// The node that the id names.
  constexpr NodeId owner() const { return static_cast<NodeId>((bits_ >> kReaderBits) - 1); }
  constexpr std::uint64_t readers() const { return bits_ & ((std::uint64_t{1} << kReaderBits) - 1); }
  constexpr bool names(NodeId node) const {
    return (names_owner() && owner() == node) || (readers() & shared(node)) != 0;
  }
  /// Without the contributions of some nodes, given as their reader bits.
  constexpr LatchWord without(std::uint64_t nodes) const {
    const bool owned = names_owner() && owner() < kMostNodes && (nodes & shared(owner())) != 0;
    const std::uint64_t id = owned ? 0 : bits_ & ~((std::uint64_t{1} << kReaderBits) - 1);
    return LatchWord(id | (readers() & ~nodes));
  }
  /// Calls `visit(NodeId)` for each reader whose bit is set, from the lowest on.
  template <class Visit>
  constexpr void for_each_reader(Visit&& visit) const {
    for (std::uint64_t left = readers(); left != 0; left &= left - 1) {
      visit(static_cast<NodeId>(std::countr_zero(left)));
    }
  }
  /// Whether the bits of so many readers, added more than once, can make an id that nobody has put there. A node has
  /// its bit in a word once for each thread's undo and for each release that is late: fewer than 2^16 times. So the bits
  /// of N nodes stay below 2^16 × 2^N.
  static constexpr bool readers_reach_id(unsigned nodes) { return nodes + kLateBits > kReaderBits; }

  constexpr bool operator==(const LatchWord&) const = default;

 private:
  static constexpr unsigned kLateBits = 16;

  std::uint64_t bits_;
};

}  // namespace racksim::latched_memory

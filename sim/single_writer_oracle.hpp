// Single writer, multiple readers: while a node may write a block, no other node may read or write it.
//
// Judged from the permissions that nodes hold locally, at the instant they gain them. Memory: 32 bytes a block that
// somebody holds and 16 bytes a held permission, times the slack of FlatMap; nothing for a block that nobody holds.
#pragma once

#include <cstdint>

#include "sim/flat_map.hpp"
#include "sim/history.hpp"
#include "sim/oracle.hpp"

namespace racksim::sim {

/// Reads observations of kind permission and ignores all others. At most 64 nodes: a higher node number, like a
/// permission that does not exist, is a std::runtime_error.
class SingleWriterOracle final : public Oracle {
 public:
  static constexpr std::uint64_t kNodes = 64;

  SingleWriterOracle() : Oracle("single-writer") {}

  void observe(const Observation& observation) override;

  /// Blocks on which some node holds a permission.
  std::size_t held_blocks() const { return holders_.size(); }

 private:
  struct Holders {
    std::uint64_t readers = 0;  // bitmap of nodes that may read only
    std::uint64_t writers = 0;  // bitmap of nodes that may write; more than one after a violation
  };

  void report(const PermissionView& granted, const Holders& holders, std::uint64_t others, Time at);
  /// Key of granted_ for a block and node. Two pairs that collide would only confuse a time in a message.
  static std::uint64_t grant_id(std::uint64_t key, std::uint64_t node);

  FlatMap<Holders> holders_;
  FlatMap<Time> granted_;  // since when a node holds its permission, for messages
};

}  // namespace racksim::sim

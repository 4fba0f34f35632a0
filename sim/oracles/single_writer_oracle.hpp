// Single writer, multiple readers: while a node may write a block, no other node may read or write it.
//
// Judged from the permissions that nodes hold locally, at the instant they gain them. Memory: 32 bytes a block that
// somebody holds, times the slack of FlatMap (2 M blocks: 128 MiB), for each 64 nodes of which one does; nothing for a
// block that nobody holds; and 4 MiB for the times of the latest grants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/oracles/oracle.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// Reads observations of kind permission and ignores all others. At most 1,024 nodes: a higher node number, like a
/// permission that does not exist, is a std::runtime_error.
class SingleWriterOracle final : public Oracle {
 public:
  static constexpr std::uint64_t kNodes = 1024;

  SingleWriterOracle() : Oracle("single-writer", "permission") {}

  ObservedKinds kinds() const override { return {Observed::permission}; }
  void observe(const Observation& observation) override;
  /// What a node may do when the run begins.
  void initial_permission(Key key, std::uint64_t node, Permission permission) {
    apply({key, node, permission}, Time{}, 0);
  }

  /// Blocks on which some node holds a permission, for each 64 nodes.
  std::size_t held_blocks() const;

 private:
  /// Of 64 nodes.
  struct Holders {
    std::uint64_t readers = 0;  // bitmap of nodes that may read only
    std::uint64_t writers = 0;  // bitmap of nodes that may write; more than one after a violation
  };

  struct Grant {
    Key key = 0;
    std::uint64_t time_and_node = 0;  // picoseconds × kNodes + node
  };
  static constexpr std::size_t kGrants = std::size_t{1} << 18;

  void apply(const PermissionView& change, Time at, OperationId operation);
  void remember_grant(const PermissionView& granted, Time at);
  void report(const PermissionView& granted, Time at, OperationId operation);
  /// Calls `visit(first, others, holders)` for each 64 nodes, from number `first` on, of which some have what forbids the
  /// permission: a bitmap without the node that got it.
  template <class Visit>
  void visit_others(const PermissionView& granted, Visit&& visit) const;
  /// Since when a node holds its permission: "since ...", as far as the latest grants tell.
  std::string since(Key key, std::uint64_t node) const;

  std::vector<FlatMap<Holders>> holders_;  // of each 64 nodes
  // A ring, for messages alone: a table of all grants would cost a cache miss each.
  std::vector<Grant> grants_;
  std::size_t next_grant_ = 0;
};

}  // namespace racksim::sim

// The micro benchmark of Concordia §7.2, GAM §7.1 (with the parameters of its Table 3) and SELCC §7.1: every thread
// reads and writes objects of 8 bytes, one after the other, chosen by read ratio, data locality and sharing ratio.
//
// What is shared, and how much data there is, differs (`sharing_of`):
//
// * Operations (Concordia). That share of the operations goes to data that all nodes share. The paper says "the working
//   set is 8 GB, the cache size 1 GB, the shared data about 250 MB" and gives no layout. Read here as: each node's
//   share of the working set is working_set / nodes; the part of it that is private shrinks as operations move to
//   shared data, (1 - sharing_ratio) of the share; the shared data come on top, the same shared_bytes for all nodes.
//   That reading explains what the paper reports: evictions at 0 % sharing (1 GB of private data in a set-associative
//   cache of 1 GB), more at 20 %, almost none at 60 %.
// * Lines (GAM, SELCC). That share of the blocks which a node can reach is common to all nodes, and every operation
//   picks any of these blocks with the same chance. SELCC §7.1.1: "the percentage of allocated data accessible by all
//   compute nodes, while the remainder is accessed privately". GAM's Table 3 speaks of operations, but its published
//   benchmark replaces each of a thread's addresses by a common one with that probability, so that the common data grow
//   with the ratio. Each node reaches working_set / nodes at every ratio, as SELCC's scaling without sharing implies
//   (its Figure 9: 24 M lines of a node do not fit its cache at any number of nodes); shared_bytes is not read.
//
// All data are interleaved over the homes block by block, unless GAM's remote ratio says how much of a node's own data
// lies elsewhere. That it is a matter of layout follows from GAM §7.1.2: up to 50 % a node caches all its remote data
// in a cache for half its working set. Data of all nodes stay interleaved, for they cannot be local to everybody.
//
// `reach` says instead what each node reaches, whatever their number: SELCC's 24 M lines of 2 KB.
//
// Popularity (`zipf`): the line of rank r is drawn in proportion to r^-zipf. With shares of lines there is one order
// over all lines that a node can reach, with shares of operations one over the shared data and one over its own. Ranks
// are scattered by the golden section: rank r is line (r - 1) * m modulo the lines, where m is the number closest above
// 0.618 of the lines that has no divisor in common with them. So the most popular lines lie far apart, at all homes in
// turn or nearly so, and popular lines are shared or a node's own in the sharing ratio. The order is the same for all
// nodes: that of shared lines is common to them, and the lines of their own with the same number have the same rank.
//
// Other distributions (distribution.hpp) scatter their ranks likewise. With "latest" a write that does not go to the block
// of the operation before goes to the block behind the newest, of the shared data or of the node's own: so what is newest
// is common to the nodes where the data are. Lines of both in one order have no newest that all nodes would agree on.
//
// SELCC's fairness (§7.1.4, Figure 12): `one_writer` writes alone while all others read, and the sessions of the first
// `slow_nodes` compute nodes pause between two operations for `slow_pause`.
//
// GAM's workloads (§7.1) are `mode`: R/W "access", RL/WL "lock", RL+R/WL+W "lock-and-access". A read takes a shared
// lock and a write an exclusive one, of each block that it touches, and gives it back afterwards. That is one operation
// for the length of phases; the service counts, and measures, what it is asked: 1, 2 and 3 operations for an access of
// 8 bytes. `hold` makes critical sections longer. With try-locks an operation that is refused one is over. "mixed",
// which is nobody's benchmark, draws each operation: half of them accesses, the others locked ones of all kinds, atomic
// operations and fences; "tried" is the same without atomic operations, for services that lack them, or offer them on
// other words than those that are read and written (SELCC §3), and "fenced" without try-locks too.
//
// Locality (GAM, Table 3) is spatial, an operation goes to the line of the one before, or temporal: to its very object.
// GAM's benchmark warms up by a pass over the list of accesses that it then measures (`same_list`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/workloads/distribution.hpp"
#include "models/workloads/workload.hpp"

namespace racksim::models {

/// How the data lie: in blocks.
struct MicroLayout {
  std::uint64_t shared_blocks = 0;   ///< of all nodes together
  std::uint64_t private_blocks = 0;  ///< of each node
};

struct MicroOptions final : WorkloadOptions {
  enum class Mode : std::uint8_t { access, lock, lock_and_access, try_lock, try_lock_and_access, mixed, fenced, tried };
  enum class SharingOf : std::uint8_t { operations, lines };

  std::uint64_t threads = 4;
  Mode mode = Mode::access;
  double read_ratio = 0.5;
  std::uint64_t access_bytes = 8;
  double locality = 0.0, temporal_locality = 0.0;
  double sharing_ratio = 0.5;
  SharingOf sharing_of = SharingOf::operations;
  std::optional<double> remote_ratio;
  std::uint64_t working_set = std::uint64_t{8} << 30;
  std::uint64_t shared_bytes = std::uint64_t{250} * 1000 * 1000;
  double warm_passes = 3.0;
  bool same_list = false;
  double zipf = 0;
  DistributionOptions distribution;
  std::uint64_t reach = 0;
  std::uint64_t operations_per_node = 0;
  std::uint64_t slow_nodes = 0;
  sim::Duration slow_pause = sim::Duration::from_ps(1'000'000);
  sim::Duration hold{};  ///< how much longer than its access takes a session keeps a lock
  std::optional<std::uint64_t> one_writer;

  void declare(sim::Parameters& p) override;
  void check() const override;
  Footprint footprint(const RunScale& scale) const override;
  unsigned threads_per_node() const override { return static_cast<unsigned>(threads); }
  /// Accesses of several words are to be read whole.
  std::vector<std::string> oracles(std::uint64_t) const override {
    return access_bytes > 8 ? std::vector<std::string>{"one-call"} : std::vector<std::string>{};
  }
  std::uint64_t blocks_in_reach(std::uint64_t compute_nodes, std::uint64_t block_bytes) const override {
    const MicroLayout blocks = layout(compute_nodes, block_bytes);
    return blocks.shared_blocks + blocks.private_blocks;
  }
  /// `nodes` are those that compute.
  MicroLayout layout(std::uint64_t nodes, std::uint64_t block_bytes) const;
  /// Warm-up accesses of each session.
  std::uint64_t warm_rounds(const MicroLayout& layout) const;
  std::unique_ptr<Workload> build(WorkloadContext& context) const override;
};

}  // namespace racksim::models

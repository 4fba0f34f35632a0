// The micro benchmark of Concordia §7.2 (and, with other numbers, of GAM §6.1): every thread reads and writes 8-byte
// objects, one after the other, chosen by read ratio, data locality and sharing ratio.
//
// The paper says "the working set is 8 GB, the cache size 1 GB, the shared data about 250 MB" and gives no layout. Read
// here as: each node's share of the working set is working_set / nodes; the part of it that is private shrinks as
// operations move to shared data, (1 - sharing_ratio) of the share; the shared data come on top, the same for all
// nodes. That reading explains what the paper reports: evictions at 0 % sharing (1 GB of private data in a
// set-associative cache of 1 GB), more at 20 %, almost none at 60 %. All data are interleaved over the homes block by
// block.
#pragma once

#include <cstdint>
#include <memory>

#include "models/workloads/workload.hpp"

namespace racksim::models {

/// How the data lie: in blocks.
struct MicroLayout {
  std::uint64_t shared_blocks = 0;   ///< of all nodes together
  std::uint64_t private_blocks = 0;  ///< of each node
};

struct MicroOptions final : WorkloadOptions {
  std::uint64_t threads = 4;
  double read_ratio = 0.5;
  double locality = 0.0;
  double sharing_ratio = 0.5;
  std::uint64_t working_set = std::uint64_t{8} << 30;
  std::uint64_t shared_bytes = std::uint64_t{250} * 1000 * 1000;
  double warm_passes = 3.0;

  void declare(sim::Parameters& p) override;
  Footprint footprint(const RunScale& scale) const override;
  unsigned threads_per_node() const override { return static_cast<unsigned>(threads); }
  MicroLayout layout(std::uint64_t nodes, std::uint64_t block_bytes) const;
  /// Warm-up accesses of each session.
  std::uint64_t warm_rounds(const MicroLayout& layout) const;
  std::unique_ptr<Workload> build(WorkloadContext& context) const override;
};

}  // namespace racksim::models

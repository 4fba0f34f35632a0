// Memory that comes and goes while the run lasts (GAM §2.1, Malloc and Free): each session allocates pieces of random
// sizes with random hints, lets all sessions read and write in them, and frees its own again.
//
// Which piece an access goes to is drawn (distribution.hpp) among those that are live, in the order of their allocation:
// with "latest" what was allocated last is the newest, and a write inserts nothing.
//
// A session that holds as many pieces as it may, or finds no room, frees one of its own that nobody uses at this
// instant, and in whose blocks nobody has a lock. Whether an operation is one on memory, with its lock or without, an
// allocation or a free, it counts as one.
#pragma once

#include <cstdint>
#include <memory>

#include "models/workloads/distribution.hpp"
#include "models/workloads/workload.hpp"

namespace racksim::models {

struct AllocationOptions final : WorkloadOptions {
  std::uint64_t threads = 2;
  std::uint64_t smallest = 64, largest = 8192;  ///< bytes of a piece
  std::uint64_t pieces = 16;                    ///< that a session holds at most
  double hinted = 0.5;                          ///< share of allocations that say where
  std::uint64_t accesses = 4;                   ///< between two allocations or frees of a session
  double read_ratio = 0.5;
  double zipf = 0;  ///< skew of the pieces' popularity
  DistributionOptions distribution;
  double locked = 0;  ///< share of the accesses that are under the lock of their block

  void declare(sim::Parameters& p) override;
  void check() const override;
  Footprint footprint(const RunScale& scale) const override;
  unsigned threads_per_node() const override { return static_cast<unsigned>(threads); }
  std::unique_ptr<Workload> build(WorkloadContext& context) const override;
};

}  // namespace racksim::models

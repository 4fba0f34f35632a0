// Blocks of global memory spread over homes: what a workload lays its data out in.
#pragma once

#include <cstdint>
#include <vector>

#include "models/service/memory_service.hpp"

namespace racksim::models {

/// A run of memory at one home, from a block of a spread to the end of what the spread has there.
struct BlockRun {
  GlobalAddress begin;
  std::uint64_t end = 0;  ///< the address behind it
};

class BlockSpread {
 public:
  /// No blocks.
  BlockSpread() = default;
  /// Reserves `blocks` blocks, dealt out to these homes one after the other. All homes give as much, so that blocks of
  /// the same round lie at one offset if homes have the same memory in use: the last may have one that nobody uses.
  BlockSpread(MemoryService& memory, std::vector<NodeId> homes, std::uint64_t blocks, bool shared);

  std::uint64_t blocks() const { return blocks_; }
  GlobalAddress block(std::uint64_t index) const {
    return {first_[index % first_.size()].value + index / first_.size() * block_bytes_};
  }
  BlockRun run_from(std::uint64_t index) const {
    const std::size_t home = index % first_.size();
    return {{first_[home].value + index / first_.size() * block_bytes_}, end_at_[home]};
  }
  /// How much the home with the least has, of those that have any.
  std::uint64_t least_bytes() const;
  bool holds(GlobalAddress address) const;
  /// The offset at its home behind the last byte that was reserved.
  std::uint64_t end_offset() const;

 private:
  /// Of those blocks, how many lie at this home.
  std::uint64_t blocks_at(std::size_t home) const { return (blocks_ + first_.size() - 1 - home) / first_.size(); }

  std::uint64_t blocks_ = 0;
  std::uint64_t block_bytes_ = 0;
  std::vector<GlobalAddress> first_;   // by home, in the order of dealing
  std::vector<std::uint64_t> end_at_;  // the address behind what it has
};

}  // namespace racksim::models

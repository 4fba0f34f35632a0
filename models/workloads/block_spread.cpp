#include "models/workloads/block_spread.hpp"

#include <algorithm>

namespace racksim::models {

BlockSpread::BlockSpread(MemoryService& memory, std::vector<NodeId> homes, std::uint64_t blocks, bool shared)
    : blocks_(blocks), block_bytes_(memory.shape().block_bytes) {
  if (blocks == 0) return;
  const std::uint64_t rounds = (blocks + homes.size() - 1) / homes.size();
  for (const NodeId home : homes) first_.push_back(memory.reserve(rounds * block_bytes_, {home, shared}));
  for (std::size_t home = 0; home < first_.size(); ++home) {
    end_at_.push_back(first_[home].value + blocks_at(home) * block_bytes_);
  }
}

std::uint64_t BlockSpread::least_bytes() const {
  return blocks_ == 0 ? 0 : std::max<std::uint64_t>(1, blocks_ / first_.size()) * block_bytes_;
}

bool BlockSpread::holds(GlobalAddress address) const {
  for (std::size_t home = 0; home < first_.size(); ++home) {
    const std::uint64_t first = first_[home].value;
    if (address.value >= first && address.value - first < blocks_at(home) * block_bytes_) return true;
  }
  return false;
}

std::uint64_t BlockSpread::end_offset() const {
  std::uint64_t end = 0;
  for (const GlobalAddress first : first_) {
    end = std::max(end, first.offset() + (blocks_ + first_.size() - 1) / first_.size() * block_bytes_);
  }
  return end;
}

}  // namespace racksim::models

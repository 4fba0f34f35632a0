// Which block of many an access goes to: all alike, or by Zipf's law with the ranks scattered over the blocks.
//
// Rank r is block (r - 1) * m modulo their number, with m next to the golden section of it and coprime to it: a
// permutation under which blocks of neighbouring ranks lie far apart, and the first k ranks lie evenly spread for every
// k (the three-distance theorem).
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

#include "sim/random/random.hpp"
#include "sim/random/zipf.hpp"

namespace racksim::models {

class BlockPopularity {
 public:
  /// Of so many blocks, of which there may be none to draw. Skew 0: all alike.
  BlockPopularity(std::uint64_t blocks, double skew) : blocks_(blocks) {
    if (blocks == 0 || skew == 0) return;
    rank_.emplace(blocks, skew);
    stride_ = static_cast<std::uint64_t>(static_cast<double>(blocks) * 0.6180339887498949) + 1;
    while (std::gcd(stride_, blocks) != 1) ++stride_;
  }

  std::uint64_t draw(sim::RandomStream& random) const {
    return rank_ ? of_rank((*rank_)(random)) : random.below(blocks_);
  }
  /// The block of this rank, from 1 on.
  std::uint64_t of_rank(std::uint64_t rank) const {
    if (blocks_ >> 32 == 0) return (rank - 1) * stride_ % blocks_;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(rank - 1) * stride_ % blocks_);
  }

 private:
  std::uint64_t blocks_, stride_ = 1;
  std::optional<sim::Zipf> rank_;
};

}  // namespace racksim::models

// Which block of many an access goes to: by a distribution (distribution.hpp), its ranks scattered over the blocks unless
// all blocks are alike.
//
// Rank r is block (r - 1) * m modulo their number, with m next to the golden section of it and coprime to it: a
// permutation under which blocks of neighbouring ranks lie far apart, and the first k ranks lie evenly spread for every
// k (the three-distance theorem).
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

#include "models/workloads/distribution.hpp"
#include "sim/random/random.hpp"

namespace racksim::models {

class BlockPopularity {
 public:
  /// Of so many blocks, of which there may be none to draw. Skew 0 by rank: all alike.
  BlockPopularity(std::uint64_t blocks, double skew, DistributionOptions options = {}) : blocks_(blocks) {
    if (blocks == 0) return;
    using Kind = DistributionOptions::Kind;
    if (options.kind == Kind::zipf && skew == 0) options.kind = Kind::uniform;
    distribution_.emplace(blocks, skew, options);
    alike_ = options.kind == Kind::uniform;
    if (alike_) return;
    stride_ = static_cast<std::uint64_t>(static_cast<double>(blocks) * 0.6180339887498949) + 1;
    while (std::gcd(stride_, blocks) != 1) ++stride_;
  }

  std::uint64_t draw(sim::RandomStream& random, sim::Time now) const {
    return alike_ ? random.below(blocks_) : block_of(distribution_->draw(random, now));
  }
  /// As Distribution's, with the block in place of its index.
  bool inserts() const { return distribution_ && distribution_->inserts(); }
  std::uint64_t insert() { return block_of(distribution_->insert()); }
  /// The block of this rank, from 1 on, at time zero.
  std::uint64_t of_rank(std::uint64_t rank) const { return block_of(distribution_->of_rank(rank, {})); }

 private:
  std::uint64_t block_of(std::uint64_t index) const {
    if (blocks_ >> 32 == 0) return index * stride_ % blocks_;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(index) * stride_ % blocks_);
  }

  std::uint64_t blocks_, stride_ = 1;
  bool alike_ = true;  // all blocks: the usual case, in a draw and no more
  std::optional<Distribution> distribution_;
};

}  // namespace racksim::models

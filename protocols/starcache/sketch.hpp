// How a server finds its popular keys: a count-min sketch with five hash functions (Cormode and Muthukrishnan, 2005;
// StarCache §3.8) and the k keys with the largest estimates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "protocols/switch_cache/popularity.hpp"
#include "sim/random/random.hpp"

namespace racksim::starcache {

/// Estimates how often each key was counted: never below the truth, and by little above it.
class CountMinSketch {
 public:
  static constexpr unsigned kRows = 5;

  explicit CountMinSketch(std::uint64_t width) : width_(width), counters_(width * kRows) {}

  /// Counts one more; returns the new estimate.
  std::uint64_t count(sim::Key key) {
    std::uint64_t least = ~std::uint64_t{0};
    for (unsigned row = 0; row < kRows; ++row) least = std::min(least, std::uint64_t{++counters_[place(key, row)]});
    return least;
  }
  std::uint64_t estimate(sim::Key key) const {
    std::uint64_t least = ~std::uint64_t{0};
    for (unsigned row = 0; row < kRows; ++row) least = std::min(least, std::uint64_t{counters_[place(key, row)]});
    return least;
  }
  void reset() { std::fill(counters_.begin(), counters_.end(), 0); }

 private:
  std::size_t place(sim::Key key, unsigned row) const {
    constexpr std::uint64_t kFamily = 0x63'6d73;  // the seed of the hash functions
    return static_cast<std::size_t>(row * width_ + sim::keyed_draw(kFamily, key, row) % width_);
  }
  std::uint64_t width_;
  std::vector<std::uint32_t> counters_;
};

using switch_cache::hotter;
using switch_cache::Popularity;

/// The hottest keys of a round.
class TopKeys {
 public:
  TopKeys(std::uint64_t k, std::uint64_t sketch_width) : k_(k), sketch_(sketch_width) {}

  void count(sim::Key key) {
    const Popularity now{key, sketch_.count(key)};
    const auto known = std::find_if(top_.begin(), top_.end(), [&](const Popularity& p) { return p.key == key; });
    if (known != top_.end()) {
      known->count = now.count;
      return;
    }
    if (top_.size() < k_) {
      top_.push_back(now);
      return;
    }
    const auto coldest = std::max_element(top_.begin(), top_.end(), hotter);
    if (hotter(now, *coldest)) *coldest = now;
  }
  /// At most k keys counted more than `above` times, hottest first; then all counts are zero again (§3.8).
  std::vector<Popularity> take(std::uint64_t above) {
    std::vector<Popularity> result;
    for (const Popularity& p : top_) {
      if (p.count > above) result.push_back(p);
    }
    std::sort(result.begin(), result.end(), hotter);
    top_.clear();
    sketch_.reset();
    return result;
  }

 private:
  std::uint64_t k_;
  CountMinSketch sketch_;
  std::vector<Popularity> top_;
};

}  // namespace racksim::starcache

// Which of a number of things alike (keys, blocks, pieces of memory, accounts) the next access goes to, in O(1) time and
// memory: nothing is kept of any of them.
//
//   zipf      the thing of rank r in proportion to r^-skew (StarCache §5.1). Rank 1 is index 0.
//   uniform   all alike, whatever the skew.
//   hot-spot  a share of the accesses goes to a share of the things, the hot ones, all alike among them; the others share
//             the rest (YCSB's "hotspot"). The hot ones lie side by side, from index 0 on. If they move, then after each
//             interval they lie right behind where they were, in a circle: where they lie is a function of time alone.
//   latest    popularity by age, as in YCSB's workload D (Cooper et al., "Benchmarking Cloud Serving Systems with YCSB",
//             SoCC 2010): the thing that is the r-th newest in proportion to r^-skew. Rank 1 is the newest.
//
// In YCSB a write of workload D inserts a key that was not there, behind all others, and what was inserted last is the
// newest. Here their number stays, so an insertion takes the place of the oldest one: index follows on index, in a circle.
// At first the newest is the last index, as after a load in the order of the indices. It counts as inserted as soon as
// its insertion begins; in YCSB as that ends.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"
#include "sim/random/random.hpp"
#include "sim/random/zipf.hpp"

namespace racksim::models {

/// Belongs into a workload's options as the object `distribution`. The skew is the workload's own.
struct DistributionOptions {
  enum class Kind : std::uint8_t { zipf, uniform, hot_spot, latest };

  Kind kind = Kind::zipf;
  double hot_share = 0.2;     ///< of the things
  double hot_accesses = 0.8;  ///< share of the accesses that go there
  sim::Duration moves_every;  ///< 0: never

  void declare(sim::Parameters& p);
};

class Distribution {
 public:
  /// Over the indices below `count`, at least one. Skew from 0 to 2 (sim::Zipf).
  Distribution(std::uint64_t count, double skew, const DistributionOptions& options);

  std::uint64_t count() const { return count_; }
  /// The index of the next access. How many draws it takes from `random` does not depend on `now`.
  std::uint64_t draw(sim::RandomStream& random, sim::Time now) const;
  /// The index of a rank, which counts from 1, the most popular. Of those alike any has the lower rank.
  std::uint64_t of_rank(std::uint64_t rank, sim::Time now) const;

  /// Whether a write is an insertion, so that it goes to what `insert` gives and not to what was drawn.
  bool inserts() const { return options_.kind == DistributionOptions::Kind::latest; }
  /// The index behind the newest, which is the newest from now on.
  std::uint64_t insert() { return newest_ = newest_ + 1 == count_ ? 0 : newest_ + 1; }

  /// How many different indices so many accesses go to within `length`, on average or, where things move, at most.
  double expected_distinct(double accesses, sim::Duration length) const;

 private:
  std::uint64_t draw_rank(sim::RandomStream& random) const;

  std::uint64_t count_;
  double skew_;
  DistributionOptions options_;
  std::uint64_t hot_ = 0;  // how many are
  std::uint64_t newest_;
  std::optional<sim::Zipf> zipf_;
};

}  // namespace racksim::models

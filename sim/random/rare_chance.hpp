// Independent trials of one probability, drawn by the gaps between successes: a trial that fails, as nearly all do of
// what is rare, costs no draw. How many trials fail before one succeeds is geometric; trials keep no memory, so a change of
// the probability may begin a new gap.
#pragma once

#include <cstdint>

#include "sim/random/random.hpp"

namespace racksim::sim {

class RareChance {
 public:
  /// From the next trial on each succeeds with this probability: none if it is 0 or less, all from 1 on. Until it is called,
  /// none does.
  void set(double probability, RandomStream& random);
  /// Makes one trial. Draws of `random` after a success alone.
  bool happens(RandomStream& random) {
    if (failures_left_ > 0) [[likely]] {
      --failures_left_;
      return false;
    }
    failures_left_ = gap(random);
    return true;
  }
  /// How many trials to come are sure to fail. So many or fewer may be made at once, and taken back.
  std::uint64_t failures_left() const { return failures_left_; }
  void skip(std::uint64_t trials) { failures_left_ -= trials; }
  void take_back(std::uint64_t trials) { failures_left_ += trials; }

 private:
  std::uint64_t gap(RandomStream& random) const;

  static constexpr std::uint64_t kForEver = ~std::uint64_t{0};
  double failures_per_log_ = 0;             // of the chance that so many fail; 0: none does
  std::uint64_t failures_left_ = kForEver;  // before the next success
};

}  // namespace racksim::sim

#include "sim/random/rare_chance.hpp"

#include "sim/random/elementary.hpp"

namespace racksim::sim {

void RareChance::set(double probability, RandomStream& random) {
  failures_per_log_ = probability > 0 && probability < 1 ? 1 / portable_log1p(-probability) : 0;
  failures_left_ = probability > 0 ? gap(random) : kForEver;
}

// By inversion: n or more trials fail with the probability (1 - p)^n.
std::uint64_t RareChance::gap(RandomStream& random) const {
  if (failures_per_log_ == 0) return 0;
  const double failures = portable_log(1 - random.unit()) * failures_per_log_;
  return failures < 0x1p63 ? static_cast<std::uint64_t>(failures) : kForEver;
}

}  // namespace racksim::sim

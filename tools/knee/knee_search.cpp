// Bisection. See knee_search.hpp.
#include "tools/knee/knee_search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace racksim::tools {
namespace {

/// The geometric middle, above `low` where there is room. sqrt is exact to the last bit on every machine.
std::uint64_t middle(std::uint64_t low, std::uint64_t high) {
  const double exact = std::sqrt(static_cast<double>(low)) * std::sqrt(static_cast<double>(high));
  return std::max(static_cast<std::uint64_t>(exact), low + 1);
}

/// What the probes so far say within the bounds: the smallest load that fails, and the largest below it that passes.
Knee seen_so_far(const Probes& probes, const KneeBounds& bounds, double loss) {
  Knee knee;
  for (const auto& [load, probe] : probes.all()) {
    if (load < bounds.from || load > bounds.to) continue;
    const bool passes = probe.loss <= loss;
    if (!passes && !knee.fails) knee.fails = load;
    if (passes && !knee.fails) knee.passes = load;
    if (passes && knee.fails) knee.monotonic = false;
  }
  return knee;
}

}  // namespace

const Probe& Probes::at(std::uint64_t load) {
  const auto found = seen_.find(load);
  return found != seen_.end() ? found->second : seen_.emplace(load, run_(load)).first->second;
}

std::size_t loads_to_try(const KneeBounds& bounds) {
  const double range = std::log(static_cast<double>(bounds.to) / static_cast<double>(bounds.from));
  const double steps = range / std::log1p(bounds.tolerance);
  return steps > 1 ? static_cast<std::size_t>(std::ceil(std::log2(steps))) : 0;
}

Knee find_knee(Probes& probes, const KneeBounds& bounds, double loss) {
  if (bounds.from == 0 || bounds.from >= bounds.to || !(bounds.tolerance > 0)) {
    throw std::logic_error(
        fmt::format("a knee between {} and {} to within {}", bounds.from, bounds.to, bounds.tolerance));
  }
  // The bounds themselves are probed last, when the search has come to one of them: mostly it does not.
  while (true) {
    const Knee knee = seen_so_far(probes, bounds, loss);
    const std::uint64_t low = knee.passes.value_or(bounds.from), high = knee.fails.value_or(bounds.to);
    const std::uint64_t next = middle(low, high);
    const bool close = static_cast<double>(high) <= static_cast<double>(low) * (1 + bounds.tolerance);
    if (!close && next < high) {
      probes.at(next);
    } else if (!knee.passes && low == bounds.from && !probes.all().contains(low)) {
      probes.at(low);
    } else if (!knee.fails && high == bounds.to && !probes.all().contains(high)) {
      probes.at(high);
    } else {
      return knee;
    }
  }
}

}  // namespace racksim::tools

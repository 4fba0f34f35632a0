// The knee of a system under rising load: the largest load under a loss criterion, found by bisection.
//
// That is how the public artifact of StarCache measures throughput: it raises the load of its open loop and reports the
// largest one of which at most 2 % is lost.
//
// Loads are whole numbers and middles are geometric, so that a search is the same wherever it runs. Loss need not rise
// with load: the knee lies below every load that was seen to lose too much, however little a higher one loses. Probes
// serve any number of criteria: what one search has seen narrows the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace racksim::tools {

/// What a run at one load showed.
struct Probe {
  double loss = 0;             ///< share of what began in the measured time, 0 to 1
  double throughput_mops = 0;  ///< answered
};

/// All probes of one system, by load. A load is run once.
class Probes {
 public:
  using Run = std::function<Probe(std::uint64_t load)>;
  explicit Probes(Run run) : run_(std::move(run)) {}

  const Probe& at(std::uint64_t load);
  const std::map<std::uint64_t, Probe>& all() const { return seen_; }

 private:
  Run run_;
  std::map<std::uint64_t, Probe> seen_;
};

/// Where a knee is looked for, and how closely.
struct KneeBounds {
  std::uint64_t from = 0, to = 0;  ///< loads, 0 < from < to
  double tolerance = 0.01;         ///< above 0: the search ends when `passes * (1 + tolerance)` is known to lose more
};

/// So many loads a search tries, but for one more where the knee is at a bound: each halves what is left.
std::size_t loads_to_try(const KneeBounds& bounds);

struct Knee {
  std::optional<std::uint64_t> passes;  ///< the largest load found that meets the criterion; none if `from` does not
  std::optional<std::uint64_t> fails;   ///< the smallest found that does not; none if `to` meets it
  bool monotonic = true;                ///< no load above `fails` was seen to meet the criterion

  /// Both sides are known.
  bool found() const { return passes && fails; }
};

/// Looks for the largest load that loses at most the share `loss`. Throws std::logic_error for bounds that are none.
Knee find_knee(Probes& probes, const KneeBounds& bounds, double loss);

}  // namespace racksim::tools

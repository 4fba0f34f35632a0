// See distribution.hpp.
#include "models/workloads/distribution.hpp"

#include <algorithm>
#include <cmath>

namespace racksim::models {

using namespace sim::literals;
using Kind = DistributionOptions::Kind;

void DistributionOptions::declare(sim::Parameters& p) {
  p.choice("kind", kind,
           {{"zipf", Kind::zipf}, {"uniform", Kind::uniform}, {"hot-spot", Kind::hot_spot}, {"latest", Kind::latest}},
           "what is popular: by rank, in proportion to rank^-zipf; all alike; a hot share, all alike within; or the "
           "newest, in proportion to age^-zipf, where each write inserts what is then the newest (YCSB D)")
      .neutral(Kind::zipf);
  p.ratio("hot_share", hot_share, "of a hot spot: share of the keys or blocks that are hot, at least one")
      .neutral(hot_share);
  p.ratio("hot_accesses", hot_accesses, "of a hot spot: share of the accesses that go there").neutral(hot_accesses);
  p.length("moves_every", moves_every, 0_ns, 1000_s,
           "of a hot spot: time after which it lies right behind where it was; 0 for never")
      .neutral(0_ns);
}

Distribution::Distribution(std::uint64_t count, double skew, const DistributionOptions& options)
    : count_(count), skew_(skew), options_(options), newest_(count - 1) {
  if (options.kind == Kind::zipf || options.kind == Kind::latest) zipf_.emplace(count, skew);
  if (options.kind == Kind::hot_spot) {
    const auto share = std::llround(options.hot_share * static_cast<double>(count));
    hot_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(share), 1, count);
  }
}

std::uint64_t Distribution::draw(sim::RandomStream& random, sim::Time now) const {
  return of_rank(draw_rank(random), now);
}

std::uint64_t Distribution::draw_rank(sim::RandomStream& random) const {
  if (zipf_) return (*zipf_)(random);
  if (options_.kind == Kind::uniform) return random.below(count_) + 1;
  const bool is_hot = random.chance(options_.hot_accesses) || hot_ == count_;
  return is_hot ? random.below(hot_) + 1 : hot_ + random.below(count_ - hot_) + 1;
}

std::uint64_t Distribution::of_rank(std::uint64_t rank, sim::Time now) const {
  if (options_.kind == Kind::latest) return newest_ >= rank - 1 ? newest_ - (rank - 1) : newest_ + count_ - (rank - 1);
  if (options_.moves_every == sim::Duration{} || hot_ == 0 || now < sim::Time{}) return rank - 1;
  __extension__ using Wide = unsigned __int128;
  const auto moves = static_cast<std::uint64_t>((now - sim::Time{}) / options_.moves_every);
  return static_cast<std::uint64_t>((static_cast<Wide>(moves) * hot_ + (rank - 1)) % count_);
}

double Distribution::expected_distinct(double accesses, sim::Duration length) const {
  const auto all = static_cast<double>(count_);
  if (options_.kind == Kind::zipf) return sim::expected_distinct(count_, skew_, accesses);
  if (options_.kind == Kind::uniform) return sim::expected_distinct(count_, 0, accesses);
  if (options_.kind == Kind::latest) return std::min(all, accesses);
  const bool moves = options_.moves_every > sim::Duration{};
  const double places = moves ? length.seconds() / options_.moves_every.seconds() + 1 : 1;
  const double hot = sim::expected_distinct(hot_, 0, accesses * options_.hot_accesses / places) * places;
  const double cold = hot_ == count_ ? 0
                                     : sim::expected_distinct(moves ? count_ : count_ - hot_, 0,
                                                              accesses * (1 - options_.hot_accesses));
  return std::min(all, hot + cold);
}

}  // namespace racksim::models

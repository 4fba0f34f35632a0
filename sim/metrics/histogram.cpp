#include "sim/metrics/histogram.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace racksim::sim {

Histogram::Bucket Histogram::bounds_of(std::size_t bucket) {
  // bucket = shift * 128 + mantissa with the mantissa in [128, 256), or in [0, 256) where shift is 0.
  const auto octave = bucket / kPerOctave;
  const auto shift = octave == 0 ? 0 : octave - 1;
  const std::uint64_t mantissa = bucket - shift * kPerOctave;
  const std::uint64_t width = std::uint64_t{1} << shift;
  const auto duration = [](std::uint64_t ps) { return Duration::from_ps(static_cast<std::int64_t>(ps)); };
  return {duration(mantissa * width), duration((mantissa + 1) * width), 0};
}

void Histogram::refuse(Duration d) {
  throw std::runtime_error(fmt::format("a histogram was given a negative duration: {} ps", d.ps()));
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Histogram Histogram::since(const Histogram& earlier) const {
  Histogram result;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    const std::uint64_t count = buckets_[i] - earlier.buckets_[i];
    if (count == 0) continue;
    result.buckets_[i] = count;
    const Bucket bounds = bounds_of(i);
    result.min_ = std::min(result.min_, std::max(bounds.from, min_));
    result.max_ = std::min(bounds.until - Duration::from_ps(1), max_);
  }
  result.count_ = count_ - earlier.count_;
  result.sum_ = sum_ - earlier.sum_;
  return result;
}

Duration Histogram::mean() const {
  if (count_ == 0) return Duration();
  return Duration::from_ps(static_cast<std::int64_t>((sum_ + count_ / 2) / count_));
}

Duration Histogram::percentile(double percent) const {
  if (!(percent >= 0 && percent <= 100)) {
    throw std::runtime_error(fmt::format("a percentile lies between 0 and 100, got {}", percent));
  }
  if (count_ == 0) return Duration();
  // In whole hundred-millionths, so that 99.9 % of 1000 is 999 and not a hair more.
  constexpr std::uint64_t kWhole = 100'000'000;
  const auto share = static_cast<std::uint64_t>(std::llround(percent * 1e6));
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>((Sum{count_} * share + kWhole - 1) / kWhole));
  if (rank == 1) return min_;
  if (rank == count_) return max_;
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while ((seen += buckets_[bucket]) < rank) ++bucket;
  const Bucket bounds = bounds_of(bucket);
  return std::clamp(bounds.from + (bounds.until - bounds.from) / 2, min_, max_);
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> result;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (buckets_[i] == 0) continue;
    result.push_back(bounds_of(i));
    result.back().count = buckets_[i];
  }
  return result;
}

}  // namespace racksim::sim

// Latency histogram with bounded relative error, in the manner of HdrHistogram.
//
// Every power of two is cut into 128 equal buckets, so a value is known to within 1/128 of itself at any magnitude, and
// values below 256 ps are exact. Recording is a shift and an increment; the 58 KB of buckets are allocated once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/kernel/time.hpp"

namespace racksim::sim {

/// Counts durations. Count, mean, minimum and maximum are exact; percentiles are off by at most 1/128.
class Histogram {
 public:
  Histogram() : buckets_(kBuckets) {}

  /// Adds one duration. A negative one is a std::runtime_error: a latency that ends before it begins is a bug.
  void record(Duration d) {
    if (d.ps() < 0) refuse(d);
    const auto ps = static_cast<std::uint64_t>(d.ps());
    ++buckets_[bucket_of(ps)];
    ++count_;
    sum_ += ps;
    if (d < min_) min_ = d;
    if (d > max_) max_ = d;
  }

  /// Adds all that the other one has counted.
  void merge(const Histogram& other);

  /// Those of this one that `earlier`, a copy of it from before, does not know. Least and most are then known to within
  /// 1/128, as percentiles are.
  Histogram since(const Histogram& earlier) const;

  /// Forgets everything.
  void clear() { *this = Histogram(); }

  std::uint64_t count() const { return count_; }

  /// The exact mean, rounded to the nearest picosecond; 0 when empty, as are the following.
  Duration mean() const;
  Duration min() const { return count_ == 0 ? Duration() : min_; }
  Duration max() const { return max_; }

  /// The duration that `percent` (0 to 100, read to a millionth) of the records do not exceed: nearest rank, so 50 is
  /// the lower median. Within 1/128 of the true one; the lowest and the highest rank are exact.
  Duration percentile(double percent) const;

  /// Durations from `from` up to `until`, which is not one of them, and how many.
  struct Bucket {
    Duration from, until;
    std::uint64_t count = 0;
  };
  /// Those buckets that have counted something, in the order of their durations.
  std::vector<Bucket> buckets() const;

 private:
  static constexpr int kBits = 7;
  static constexpr std::uint64_t kPerOctave = std::uint64_t{1} << kBits;
  // The octaves from 2^7 to 2^62, after the values below 2^7, which have a bucket each.
  static constexpr std::size_t kBuckets = (63 - kBits + 1) * kPerOctave;

  static constexpr std::size_t bucket_of(std::uint64_t ps) {
    const int shift = ps < kPerOctave ? 0 : std::bit_width(ps) - 1 - kBits;
    return static_cast<std::size_t>(shift) * kPerOctave + static_cast<std::size_t>(ps >> shift);
  }
  static Bucket bounds_of(std::size_t bucket);
  [[noreturn]] static void refuse(Duration d);

  __extension__ using Sum = unsigned __int128;

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  Sum sum_ = 0;
  Duration min_ = Duration::max();
  Duration max_;
};

}  // namespace racksim::sim

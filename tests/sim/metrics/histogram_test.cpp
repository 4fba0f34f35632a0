// The histogram against sorted vectors of the same durations.
#include "sim/metrics/histogram.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "sim/random/random.hpp"

namespace histogram_test {

using namespace racksim::sim;

namespace {

/// The nearest-rank percentile of a sorted vector; the share is a fraction of whole numbers, so nothing rounds.
std::int64_t exact_percentile(const std::vector<std::int64_t>& sorted, std::uint64_t part, std::uint64_t whole) {
  const auto rank = std::max<std::uint64_t>(1, (sorted.size() * part + whole - 1) / whole);
  return sorted[rank - 1];
}

}  // namespace

TEST_CASE("percentiles are within 1/128 of those of the sorted durations, at every magnitude") {
  RandomStream random(11, "histogram");
  for (const int octaves : {4, 10, 30, 62}) {
    Histogram histogram;
    std::vector<std::int64_t> durations;
    for (int i = 0; i < 20'001; ++i) {
      const auto top = std::uint64_t{1} << (1 + random.below(static_cast<std::uint64_t>(octaves)));
      durations.push_back(static_cast<std::int64_t>(random.below(top)));
      histogram.record(Duration::from_ps(durations.back()));
    }
    std::sort(durations.begin(), durations.end());
    for (std::uint64_t permille = 0; permille <= 1000; ++permille) {
      const auto expected = exact_percentile(durations, permille, 1000);
      const auto actual = histogram.percentile(static_cast<double>(permille) / 10).ps();
      INFO("permille " << permille << ", octaves " << octaves);
      REQUIRE(std::abs(actual - expected) <= expected / 128);
    }
    CHECK(histogram.min().ps() == durations.front());
    CHECK(histogram.max().ps() == durations.back());
    CHECK(histogram.percentile(100) == histogram.max());
  }
}

TEST_CASE("durations below 256 ps are exact") {
  for (std::int64_t ps = 0; ps < 256; ++ps) {
    Histogram histogram;
    for (const auto around : {std::int64_t{0}, ps, std::int64_t{1'000'000}})
      histogram.record(Duration::from_ps(around));
    REQUIRE(histogram.percentile(50).ps() == ps);
  }
}

TEST_CASE("percentile takes the nearest rank without rounding up by a hair") {
  Histogram histogram;
  for (std::int64_t ps = 1; ps <= 100; ++ps) histogram.record(Duration::from_ps(ps));
  CHECK(histogram.percentile(0).ps() == 1);
  CHECK(histogram.percentile(1).ps() == 1);
  CHECK(histogram.percentile(1.000001).ps() == 2);
  CHECK(histogram.percentile(50).ps() == 50);
  CHECK(histogram.percentile(99).ps() == 99);
  CHECK(histogram.percentile(99.9).ps() == 100);
  CHECK_THROWS_WITH(histogram.percentile(101), Catch::Contains("101"));
}

TEST_CASE("the mean is exact even where a 64-bit sum would overflow") {
  Histogram histogram;
  for (int i = 0; i < 3; ++i) histogram.record(Duration::max());
  histogram.record(Duration::max() - 4_ps);
  CHECK(histogram.mean() == Duration::max() - 1_ps);
  CHECK(histogram.max() == Duration::max());

  Histogram halves;
  halves.record(1_ps);
  halves.record(2_ps);
  CHECK(halves.mean() == 2_ps);
}

TEST_CASE("merging counts what both have counted") {
  RandomStream random(11, "merge");
  Histogram left, right, both;
  for (int i = 0; i < 1000; ++i) {
    const auto d = random.exponential(3_us);
    (i % 3 == 0 ? left : right).record(d);
    both.record(d);
  }
  left.merge(right);
  left.merge(Histogram());
  CHECK(left.count() == 1000);
  CHECK(left.mean() == both.mean());
  CHECK(left.min() == both.min());
  CHECK(left.max() == both.max());
  for (const double p : {1.0, 50.0, 95.0, 99.9}) CHECK(left.percentile(p) == both.percentile(p));
  left.clear();
  CHECK(left.count() == 0);
}

TEST_CASE("buckets hold all that was recorded, next to each other or further apart, each within 1/128 of itself") {
  RandomStream random(12, "buckets");
  Histogram histogram;
  std::map<std::int64_t, std::uint64_t> recorded;
  for (int i = 0; i < 2000; ++i) {
    const auto d = random.exponential(2_us);
    histogram.record(d);
    ++recorded[d.ps()];
  }
  std::uint64_t count = 0;
  Duration reached;
  for (const Histogram::Bucket& bucket : histogram.buckets()) {
    REQUIRE(bucket.from >= reached);
    REQUIRE(bucket.until > bucket.from);
    REQUIRE((bucket.until - bucket.from).ps() <= std::max<std::int64_t>(1, bucket.from.ps() / 128));
    std::uint64_t within = 0;
    for (auto d = recorded.lower_bound(bucket.from.ps()); d != recorded.lower_bound(bucket.until.ps()); ++d) {
      within += d->second;
    }
    REQUIRE(bucket.count == within);
    count += bucket.count;
    reached = bucket.until;
  }
  CHECK(count == 2000);
  CHECK(Histogram().buckets().empty());
}

TEST_CASE("what was recorded since an earlier look is as if it had been recorded alone") {
  RandomStream random(13, "since");
  Histogram histogram, later;
  histogram.record(1_ns);
  histogram.record(9_ms);
  const Histogram earlier = histogram;
  for (int i = 0; i < 1000; ++i) {
    const auto d = random.exponential(3_us) + 10_ns;
    histogram.record(d);
    later.record(d);
  }
  const Histogram since = histogram.since(earlier);
  CHECK(since.count() == 1000);
  CHECK(since.mean() == later.mean());
  for (const double p : {50.0, 95.0, 99.9}) CHECK(since.percentile(p) == later.percentile(p));
  for (const double p : {0.0, 100.0}) {
    CHECK(since.percentile(p).ns() == Approx(later.percentile(p).ns()).epsilon(1.0 / 128));
  }
  CHECK(histogram.since(histogram).count() == 0);
  CHECK(histogram.since(histogram).max() == 0_ps);
}

TEST_CASE("an empty histogram reports zeros, and a negative duration is refused") {
  Histogram histogram;
  CHECK(histogram.count() == 0);
  CHECK(histogram.mean() == 0_ps);
  CHECK(histogram.min() == 0_ps);
  CHECK(histogram.max() == 0_ps);
  CHECK(histogram.percentile(99) == 0_ps);
  CHECK_THROWS_WITH(histogram.record(-(5_ps)), Catch::Contains("-5 ps"));
}

}  // namespace histogram_test

// The key-value workload at the size of the ccKVS paper (§7, §8.1): 250 M keys of 8 bytes, values of 40 bytes to 1 KB,
// and what the hottest 250,000 of them, a cache, are asked for.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

#include "tests/models/workloads/driven_store.hpp"

namespace many_keys_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;

namespace {

constexpr std::uint64_t kKeys = 250'000'000, kCached = 250'000;

/// The sum of r^-skew for r from 1 to n: the first terms, and the rest by Euler and Maclaurin.
double harmonic(std::uint64_t n, double skew) {
  constexpr std::uint64_t kFirst = 1000;
  double sum = 0;
  for (std::uint64_t r = 1; r < kFirst; ++r) sum += std::pow(static_cast<double>(r), -skew);
  const double a = static_cast<double>(kFirst), b = static_cast<double>(n);
  const auto f = [&](double x) { return std::pow(x, -skew); };
  const double integral = skew == 1 ? std::log(b / a) : (std::pow(b, 1 - skew) - std::pow(a, 1 - skew)) / (1 - skew);
  return sum + integral + (f(a) + f(b)) / 2 + skew * (f(a) / a - f(b) / b) / 12;
}

KeyValueOptions cckvs(double skew) {
  KeyValueOptions options;
  options.keys = kKeys;
  options.zipf = skew;
  options.key_bytes = 8;
  options.small_value = 40;
  options.large_value = 1024;
  options.small_share = 1;
  options.preload = kCached;
  options.loop = KeyValueOptions::Loop::closed;
  options.window = 100;
  return options;
}

}  // namespace

TEST_CASE("A cache of a thousandth of 250 M keys is asked for what the exact mass of Zipf says, and so is key 1") {
  struct Skew {
    double skew, published;  // the closed form of the hit ratio, in percent
  };
  for (const Skew& c : {Skew{0.9, 42.2}, Skew{0.99, 63.0}, Skew{1.01, 67.5}, Skew{0, 0.1}}) {
    INFO("skew " << c.skew);
    const double all = harmonic(kKeys, c.skew), cached = harmonic(kCached, c.skew) / all;
    CHECK(100 * cached == Approx(c.published).margin(0.05));
    Driven t(cckvs(c.skew));
    t.workload->warm_up();
    CHECK(t.store.preloaded.size() == kCached);
    CHECK(t.store.preloaded.back() == kCached - 1);
    t.store.delay = 1_us;
    t.run(300_us);
    const double n = count_of(t.store.asked.size());
    REQUIRE(n > 300'000);
    double hits = 0, hottest = 0;
    for (const auto& asked : t.store.asked) {
      hits += asked.key < kCached;
      hottest += asked.key == 0;
      REQUIRE(asked.key < kKeys);
    }
    CHECK(std::abs(hits / n - cached) < 4 * std::sqrt(cached * (1 - cached) / n));
    const double one = 1 / all;
    CHECK(std::abs(hottest / n - one) < 4 * std::sqrt(one * (1 - one) / n));
  }
}

TEST_CASE("Of 128 shards the one with key 1 is asked for 6.8 times as much as the mean", "[off:cckvs-fig1-7x]") {
  constexpr double kShards = 128;
  const auto hottest_over_mean = [](std::uint64_t keys) {
    const double one = 1 / harmonic(keys, 0.99);
    return kShards * one + (1 - one);  // the other keys are spread evenly
  };
  CHECK(hottest_over_mean(kKeys) == Approx(6.8).margin(0.05));
  CHECK(hottest_over_mean(100'000'000) > 7);  // more than 7, as printed, takes fewer keys
}

TEST_CASE("Keys of 8 bytes with values of 40 bytes to 1 KB are told to the store, of one size or of two") {
  for (const std::uint64_t bytes : {40, 256, 1024}) {
    auto options = cckvs(0.99);
    options.small_value = bytes;
    Driven t(options);
    CHECK(t.store.sizes.key_bytes == 8);
    for (std::uint64_t key = 0; key < 100; ++key) CHECK(t.store.sizes.value_bytes(sim::Key(key)) == bytes);
  }
}

}  // namespace many_keys_test

// Count-min sketch and top-k against exact counts (Cormode and Muthukrishnan, 2005; StarCache §3.8).
#include "protocols/starcache/sketch.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "sim/random/zipf.hpp"

namespace sketch_test {

using namespace racksim;
using namespace racksim::starcache;

namespace {

std::vector<Popularity> exact_order(const std::map<std::uint64_t, std::uint64_t>& counts) {
  std::vector<Popularity> all;
  for (const auto& [key, count] : counts) all.push_back({sim::Key{key}, count});
  std::sort(all.begin(), all.end(), hotter);
  return all;
}

}  // namespace

TEST_CASE("the sketch never estimates too little, and its estimates only grow") {
  sim::RandomStream random(1, "sketch");
  CountMinSketch sketch(32);  // far too few counters, so that most collide
  std::map<std::uint64_t, std::uint64_t> exact;
  for (int i = 0; i < 5'000; ++i) {
    const sim::Key key{random.below(300)};
    const std::uint64_t before = sketch.estimate(key);
    const std::uint64_t now = sketch.count(key);
    ++exact[key];
    REQUIRE(now > before);
    REQUIRE(now == sketch.estimate(key));
    REQUIRE(now >= exact[key]);
  }
  for (const auto& [key, count] : exact) CHECK(sketch.estimate(sim::Key{key}) >= count);
}

TEST_CASE("the sketch errs by no more than its theorem says") {
  // Each estimate is above the truth by more than e/width of all counts with probability at most e^-rows: here 0.7 %.
  constexpr std::uint64_t kWidth = 256, kTotal = 100'000;
  const double bound = 2.718281828 / kWidth * kTotal;
  std::uint64_t keys = 0, beyond = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    sim::RandomStream random(seed, "sketch");
    const sim::Zipf zipf(5'000, 0.9);
    CountMinSketch sketch(kWidth);
    std::map<std::uint64_t, std::uint64_t> exact;
    for (std::uint64_t i = 0; i < kTotal; ++i) {
      const std::uint64_t key = zipf(random) * seed * 1'000'003;
      sketch.count(sim::Key{key});
      ++exact[key];
    }
    for (const auto& [key, count] : exact) {
      ++keys;
      beyond += static_cast<double>(sketch.estimate(sim::Key{key}) - count) > bound;
    }
  }
  CHECK(static_cast<double>(beyond) <= 0.0068 * static_cast<double>(keys));
}

TEST_CASE("a sketch with room for all keys is exact, and empty after a reset") {
  CountMinSketch sketch(65'536);
  for (std::uint64_t key = 0; key < 50; ++key) {
    for (std::uint64_t i = 0; i <= key; ++i) sketch.count(sim::Key{key});
  }
  for (std::uint64_t key = 0; key < 50; ++key) CHECK(sketch.estimate(sim::Key{key}) == key + 1);
  CHECK(sketch.estimate(1'000'000) == 0);
  sketch.reset();
  for (std::uint64_t key = 0; key < 50; ++key) CHECK(sketch.estimate(sim::Key{key}) == 0);
}

TEST_CASE("the hottest keys are those of an exact count, in its order, with its counts, when the input is skewed") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    sim::RandomStream random(seed, "top");
    const sim::Zipf zipf(10'000, 1.2);
    TopKeys top(10, 65'536);
    std::map<std::uint64_t, std::uint64_t> exact;
    for (int i = 0; i < 50'000; ++i) {
      const std::uint64_t key = zipf(random);
      top.count(sim::Key{key});
      ++exact[key];
    }
    auto expected = exact_order(exact);
    expected.resize(10);
    INFO("seed " << seed);
    CHECK(top.take(0) == expected);
  }
}

TEST_CASE("the hottest keys of a small sketch are most of those of an exact count") {
  sim::RandomStream random(1, "top");
  const sim::Zipf zipf(10'000, 1.2);
  TopKeys top(10, 256);
  std::map<std::uint64_t, std::uint64_t> exact;
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t key = zipf(random);
    top.count(sim::Key{key});
    ++exact[key];
  }
  auto expected = exact_order(exact);
  expected.resize(10);
  const auto found = top.take(0);
  const auto common = std::count_if(expected.begin(), expected.end(), [&](const Popularity& p) {
    return std::any_of(found.begin(), found.end(), [&](const Popularity& f) { return f.key == p.key; });
  });
  CHECK(common >= 8);
}

TEST_CASE(
    "only keys above the threshold are reported, hottest first, of equals the smaller key, and counts begin anew") {
  TopKeys top(3, 65'536);
  for (int i = 0; i < 5; ++i) top.count(20);
  for (int i = 0; i < 5; ++i) top.count(10);
  for (int i = 0; i < 3; ++i) top.count(30);
  top.count(40);
  CHECK(top.take(3) == std::vector<Popularity>{{10, 5}, {20, 5}});
  CHECK(top.take(0).empty());
  top.count(30);
  CHECK(top.take(0) == std::vector<Popularity>{{30, 1}});
}

}  // namespace sketch_test

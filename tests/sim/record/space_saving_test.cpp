// The space-saving sketch against exact counts and the guarantees of its paper (Metwally et al., ICDT 2005, §3).
#include "sim/record/space_saving.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "sim/random/random.hpp"
#include "sim/random/zipf.hpp"

namespace space_saving_test {

using namespace racksim;
using sim::SpaceSaving;

namespace {

/// A stream of keys of Zipf popularity, in the sketch and counted exactly.
struct Stream {
  Stream(std::size_t counters, std::uint64_t keys, double skew, std::uint64_t length) : sketch(counters) {
    sim::RandomStream random(7, "stream");
    const sim::Zipf popularity(keys, skew);
    for (std::uint64_t i = 0; i < length; ++i) {
      const sim::Key key(popularity(random));
      sketch.add(key);
      ++exact[key];
    }
  }
  SpaceSaving sketch;
  std::map<std::uint64_t, std::uint64_t> exact;
};

}  // namespace

TEST_CASE("with a counter for every key the counts are exact") {
  const Stream stream(100, 100, 0.9, 20'000);
  CHECK(stream.sketch.counters().size() == stream.exact.size());
  for (const auto& [key, count] : stream.exact) {
    REQUIRE(stream.sketch.find(sim::Key(key)) != nullptr);
    CHECK(stream.sketch.find(sim::Key(key))->count == count);
    CHECK(stream.sketch.find(sim::Key(key))->error == 0);
  }
}

TEST_CASE(
    "with few counters each count is an upper bound, less its error a lower one, and all frequent keys have one") {
  const auto counters = GENERATE(1u, 7u, 64u, 300u);
  const double skew = GENERATE(0.0, 0.99, 1.5);
  constexpr std::uint64_t kLength = 50'000;
  const Stream stream(counters, 5000, skew, kLength);
  CHECK(stream.sketch.counters().size() == counters);
  const auto& all = stream.sketch.counters();
  // What has come is spread over the counters, so that the smallest has no more than a share of it (Lemma 3.3).
  CHECK(std::accumulate(all.begin(), all.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const auto& one) { return sum + one.count; }) == kLength);
  std::uint64_t wrong = 0;
  for (const SpaceSaving::Counter& one : all) {
    const std::uint64_t exact = stream.exact.at(one.key);
    if (one.count < exact || one.at_least() > exact || one.error > kLength / counters) ++wrong;
  }
  CHECK(wrong == 0);
  for (const auto& [key, count] : stream.exact) {
    if (count > kLength / counters) CHECK(stream.sketch.find(sim::Key(key)) != nullptr);
  }
}

TEST_CASE("a key without a counter takes over the smallest, with its count as its own doubt") {
  SpaceSaving sketch(2);
  for (const std::uint64_t key : {1u, 1u, 1u, 2u, 2u, 3u}) sketch.add(sim::Key(key));
  CHECK(sketch.find(sim::Key(2u)) == nullptr);
  REQUIRE(sketch.find(sim::Key(3u)) != nullptr);
  CHECK(sketch.find(sim::Key(3u))->count == 3);
  CHECK(sketch.find(sim::Key(3u))->error == 2);
  CHECK(sketch.find(sim::Key(1u))->at_least() == 3);
  sketch.clear();
  CHECK(sketch.find(sim::Key(1u)) == nullptr);
}

}  // namespace space_saving_test

// Random streams: known answers of the generator and of each kind of draw, independence of names, uniformity.
#include "sim/random/random.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "tests/sim/random/chi_square.hpp"

namespace random_test {

using namespace racksim::sim;
using racksim::tests::chi_square;
using racksim::tests::chi_square_limit;
using Words = std::array<std::uint32_t, 4>;

TEST_CASE("Philox4x32-10 gives the known answers of Random123") {
  constexpr std::uint32_t kOnes = 0xffffffff;
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("names are hashed with FNV-1a") {
  CHECK(name_hash("") == 0xcbf29ce484222325);
  CHECK(name_hash("a") == 0xaf63dc4c8601ec8c);
  CHECK(name_hash("foobar") == 0x85944171f73967e8);
}

// The numbers below were computed outside this project, by a Python script with its own Philox and FNV-1a on integers:
// block i of stream (42, "node3/workload") is Philox(counter = i + 2^64 * FNV-1a(name), key = 42), read as two 64-bit
// words with the low half first; x below n is x * n >> 64; unit is (x >> 11) / 2^53; an exponential draw is
// -math.log1p(-unit) * mean.
TEST_CASE("a stream's first draws are known") {
  const std::vector<std::uint64_t> expected{0x8afb2d4e860589b1, 0x4a2e4889c3bb60ba, 0xb3aad8d4c070e16c,
                                            0x4f404af5acfa6d8d, 0x481a208e2b5f2328, 0x71d6169ba2ee591c};
  RandomStream words(42, "node3/workload");
  for (const auto word : expected) CHECK(words.next() == word);

  RandomStream bounded(42, "node3/workload");
  for (const std::uint64_t n : {542, 289, 701, 309, 281, 444}) CHECK(bounded.below(1000) == n);

  RandomStream units(42, "node3/workload");
  for (const double u : {0x1.15f65a9d0c0b1p-1, 0x1.28b922270eed8p-2, 0x1.6755b1a980e1cp-1, 0x1.3d012bd6b3e9ap-2,
                         0x1.20688238ad7c8p-2, 0x1.c7585a6e8bb96p-2}) {
    CHECK(units.unit() == u);
  }

  RandomStream lengths(42, "node3/workload");
  for (const int ps : {782'842, 342'165, 1'210'077, 370'448, 330'797, 588'198}) {
    CHECK(lengths.exponential(1_us).ps() == ps);
  }
}

TEST_CASE("a keyed draw depends on its key alone") {
  CHECK(keyed_draw(42, 0, 0) == 0x62e021a14803e711);
  CHECK(keyed_draw(42, 7, 9) == 0xa9083152afa6ab8b);
  CHECK(keyed_draw(42, 0x8000000000000005, 0x10000000000) == 0x4c7e481e18708b6c);
}

TEST_CASE("streams of different seeds or names differ, and one does not disturb another") {
  std::set<std::uint64_t> first;
  for (const auto* name : {"node0/workload", "node1/workload", "node0/workloae", ""}) {
    for (const std::uint64_t seed : {0, 1, 2, 1 << 20}) first.insert(RandomStream(seed, name).next());
  }
  CHECK(first.size() == 16);

  RandomStream alone(5, "a"), accompanied(5, "a"), other(5, "b");
  for (int i = 0; i < 100; ++i) {
    (void)other.next();
    CHECK(alone.next() == accompanied.next());
  }
}

TEST_CASE("below is uniform where a plain product would be biased") {
  // 2^64 is 4/3 of n: without rejection some thirds of the range would come up twice as often as others.
  const std::uint64_t n = std::uint64_t{3} << 62;
  RandomStream random(7, "below");
  std::vector<std::uint64_t> thirds(3), low_bits(3);
  for (int i = 0; i < 100'000; ++i) {
    const auto draw = random.below(n);
    REQUIRE(draw < n);
    ++thirds[draw >> 62];
    ++low_bits[draw % 3];
  }
  CHECK(chi_square(thirds, {1. / 3, 1. / 3, 1. / 3}) < chi_square_limit(2));
  CHECK(chi_square(low_bits, {1. / 3, 1. / 3, 1. / 3}) < chi_square_limit(2));

  std::vector<std::uint64_t> faces(6);
  for (int i = 0; i < 600'000; ++i) ++faces[random.below(6)];
  CHECK(chi_square(faces, std::vector<double>(6, 1. / 6)) < chi_square_limit(5));
  CHECK(random.below(1) == 0);
}

TEST_CASE("chance follows its probability and takes one draw always") {
  RandomStream random(7, "chance"), reference(7, "chance");
  std::vector<std::uint64_t> outcomes(2);
  for (int i = 0; i < 200'000; ++i) ++outcomes[random.chance(0.01)];
  CHECK(chi_square(outcomes, {0.99, 0.01}) < chi_square_limit(1));
  for (int i = 0; i < 200'000; ++i) (void)reference.next();
  CHECK_FALSE(random.chance(0));
  CHECK(random.chance(1));
  (void)reference.next(), (void)reference.next();
  CHECK(random.next() == reference.next());
}

TEST_CASE("exponential lengths follow the distribution") {
  // Ten bins of equal probability: their borders are the deciles -ln(1 - i/10) of the mean.
  RandomStream random(7, "exponential");
  std::vector<std::uint64_t> bins(10);
  for (int i = 0; i < 200'000; ++i) {
    const double share = 1 - std::exp(-random.exponential(1_ms).seconds() / 1e-3);
    ++bins[std::min<std::size_t>(9, static_cast<std::size_t>(share * 10))];
  }
  CHECK(chi_square(bins, std::vector<double>(10, 0.1)) < chi_square_limit(9));
}

TEST_CASE("exponential lengths do not overflow") {
  RandomStream random(7, "long");
  for (int i = 0; i < 1000; ++i) REQUIRE(random.exponential(Duration::max()).ps() >= 0);
  CHECK(random.exponential(0_ps) == 0_ps);
}

}  // namespace random_test

// The 128-bit sum and the mixing of its items.
#include "sim/run_hash.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <set>
#include <string>

using namespace racksim::sim;

TEST_CASE("the sum carries into the upper half and wraps around") {
  RunHash hash{1, ~std::uint64_t{0}};
  hash += RunHash{0, 1};
  CHECK(hash == RunHash{2, 0});
  hash += RunHash{~std::uint64_t{0}, 5};
  CHECK(hash == RunHash{1, 5});
  CHECK(hash.hex() == "00000000000000010000000000000005");
}

TEST_CASE("every bit of every word flips about half of the result") {
  const auto mix = [](int word, int bit) {
    HashMixer mixer(3);
    for (int i = 0; i < 6; ++i) mixer.add((i == word ? std::uint64_t{1} << bit : 0) ^ static_cast<std::uint64_t>(i));
    return mixer.finish();
  };
  const auto base = mix(-1, 0);
  double flipped = 0;
  for (int word = 0; word < 6; ++word) {
    for (int bit = 0; bit < 64; ++bit) {
      const auto other = mix(word, bit);
      const int distance = std::popcount(base.high ^ other.high) + std::popcount(base.low ^ other.low);
      INFO("word " << word << ", bit " << bit);
      CHECK(distance > 30);  // six standard deviations below the mean of 64
      CHECK(distance < 98);
      flipped += distance;
    }
  }
  // 384 distances of mean 64 and standard deviation 5.66: their mean is within 1.2 of 64.
  CHECK(flipped / 384 == Approx(64).margin(1.2));
}

TEST_CASE("small items, swapped words and texts with zero bytes do not collide") {
  std::set<std::string> seen;
  for (std::uint64_t a = 0; a < 64; ++a) {
    for (std::uint64_t b = 0; b < 64; ++b) {
      HashMixer mixer(0);
      mixer.add(a);
      mixer.add(b);
      seen.insert(mixer.finish().hex());
    }
  }
  for (std::size_t zeros = 0; zeros < 20; ++zeros) {
    HashMixer mixer(1);
    mixer.add(std::string(zeros, '\0'));
    seen.insert(mixer.finish().hex());
  }
  CHECK(seen.size() == 64 * 64 + 20);
}

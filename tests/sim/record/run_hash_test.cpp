// The 128-bit sum and the mixing of its items.
#include "sim/record/run_hash.hpp"

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace run_hash_test {

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
    const auto value = [&](int i) { return (i == word ? std::uint64_t{1} << bit : 0) ^ static_cast<std::uint64_t>(i); };
    for (int i = 0; i < 4; i += 2) mixer.add(value(i), value(i + 1));
    mixer.add(value(4));
    mixer.add(value(5));
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
      HashMixer pair(0);
      pair.add(a, b);
      seen.insert(pair.finish().hex());
    }
  }
  for (std::size_t zeros = 0; zeros < 20; ++zeros) {
    HashMixer mixer(1);
    mixer.add(std::string(zeros, '\0'));
    seen.insert(mixer.finish().hex());
  }
  CHECK(seen.size() == 2 * 64 * 64 + 20);
}

TEST_CASE("a long text is not forgotten: whichever byte of it changes, the mix does, and all its bits are spread") {
  // A configuration's canonical text has tens of kilobytes.
  std::string text(64 * 1024, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i * i % 23);
  const auto mix = [&] {
    HashMixer mixer(5);
    mixer.add(std::uint64_t{42});
    mixer.add(text);
    return mixer.finish();
  };
  const RunHash base = mix();
  std::set<std::string> seen{base.hex()};
  double flipped = 0;
  int changes = 0;
  for (std::size_t at = 0; at < text.size(); at = at < 64 ? at + 1 : at + 509) {
    text[at] ^= 1;
    const RunHash other = mix();
    text[at] ^= 1;
    seen.insert(other.hex());
    flipped += std::popcount(base.high ^ other.high) + std::popcount(base.low ^ other.low);
    ++changes;
  }
  CHECK(seen.size() == static_cast<std::size_t>(changes) + 1);
  CHECK(flipped / changes == Approx(64).margin(3));
}

TEST_CASE("long sequences of equal words, zeros too, never fall into a state that stays") {
  for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    std::set<std::string> seen;
    HashMixer mixer(0);
    for (int i = 0; i < 20'000; ++i) {
      mixer.add(word);
      seen.insert(mixer.finish().hex());
    }
    CHECK(seen.size() == 20'000);
  }
}

TEST_CASE("what neighbouring numbers mix to is evenly spread, wherever one looks") {
  // Samplers take a few bits of a mix: every six of them must take each of their 64 values about equally often.
  constexpr int kNumbers = 1 << 14;
  for (const int shift : {0, 3, 12, 40}) {
    std::vector<RunHash> mixes;
    for (std::uint64_t number = 0; number < kNumbers; ++number) {
      HashMixer mixer(0);
      mixer.add(number << shift);
      mixes.push_back(mixer.finish());
    }
    for (int top = 0; top < 59; ++top) {
      for (const bool upper : {false, true}) {
        std::array<int, 64> count{};
        for (const RunHash& mix : mixes) ++count[(upper ? mix.high : mix.low) >> top & 63];
        double chi_square = 0;
        for (const int n : count) chi_square += std::pow(n - kNumbers / 64.0, 2) / (kNumbers / 64.0);
        INFO("shift " << shift << ", bits from " << top << (upper ? " of the upper half" : " of the lower half"));
        CHECK(chi_square < 130);  // 63 degrees of freedom: six standard deviations of 11.2 above the mean
      }
    }
  }
}

}  // namespace run_hash_test

// Key hashes and the servers that they lead to (StarCache §3.2, §3.3, §3.6).
#include "protocols/store/key_hash.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <vector>

namespace key_hash_test {

using namespace racksim::store;
using racksim::sim::Key;

TEST_CASE("a key hash keeps no more bits than it is asked for") {
  for (const unsigned bits : {1u, 5u, 63u, 64u, 65u, 100u, 127u}) {
    std::uint64_t high = 0, low = 0;
    for (std::uint64_t key = 0; key < 500; ++key) {
      const KeyHash hash = key_hash(Key{key}, bits);
      high |= hash.high;
      low |= hash.low;
    }
    INFO(bits << " bits");
    CHECK(low == (bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1));
    CHECK(high == (bits <= 64 ? 0 : (std::uint64_t{1} << (bits - 64)) - 1));
  }
}

TEST_CASE("fewer bits are the low bits of more") {
  for (std::uint64_t key = 0; key < 100; ++key) {
    const KeyHash all = key_hash(Key{key}, 128);
    CHECK(key_hash(Key{key}, 64) == KeyHash{0, all.low});
    CHECK(key_hash(Key{key}, 8) == KeyHash{0, all.low & 0xff});
    CHECK(key_hash(Key{key}, 72) == KeyHash{all.high & 0xff, all.low});
  }
}

TEST_CASE("full hashes of a hundred thousand neighbouring keys differ, in either half alone too") {
  std::set<std::uint64_t> high, low;
  constexpr std::uint64_t kKeys = 100'000;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const KeyHash hash = key_hash(Key{key}, 128);
    high.insert(hash.high);
    low.insert(hash.low);
  }
  CHECK(high.size() == kKeys);
  CHECK(low.size() == kKeys);
}

TEST_CASE("hashes of few bits are spread evenly, and so are the servers of keys") {
  constexpr std::uint64_t kKeys = 32'000;
  std::vector<double> cells(32), servers(36);
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    ++cells[key_hash(Key{key}, 5).low];
    ++servers[server_of(key_hash(Key{key}, 128), 36)];
  }
  // A multinomial count stays within five standard deviations of its mean.
  for (const auto& counts : {cells, servers}) {
    const double mean = static_cast<double>(kKeys) / static_cast<double>(counts.size());
    for (const double count : counts) CHECK(std::abs(count - mean) < 5 * std::sqrt(mean));
  }
}

TEST_CASE("keys that collide have the same server") {
  for (std::uint64_t a = 0; a < 60; ++a) {
    for (std::uint64_t b = 0; b < a; ++b) {
      if (key_hash(Key{a}, 3) == key_hash(Key{b}, 3))
        CHECK(server_of(key_hash(Key{a}, 3), 7) == server_of(key_hash(Key{b}, 3), 7));
    }
  }
}

}  // namespace key_hash_test

// The order of writes at a server, rules (i) to (iii) of write_order.hpp: the repaired form of StarCache §3.7
// and NetCache §4.3.
#include "protocols/switch_cache/write_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "sim/random/random.hpp"

namespace write_order_test {

using namespace racksim;
using namespace racksim::switch_cache;
using store::KeyHash;

namespace {
constexpr KeyHash kKey{1, 2}, kOther{1, 3};
constexpr store::Versions kVersions(32);
}  // namespace

TEST_CASE("a key that was never cached admits writes without a version") {
  WriteOrder order(kVersions);
  CHECK(order.admits(kKey, 0));
  order.executed(kKey, 0);
  CHECK(order.admits(kKey, 0));
}

TEST_CASE("rule (i): a write below the largest version seen is refused, the same version is not") {
  WriteOrder order(kVersions);
  order.executed(kKey, 7);
  CHECK_FALSE(order.admits(kKey, 6));
  CHECK(order.admits(kKey, 7));
  CHECK(order.admits(kKey, 8));
  order.executed(kKey, 5);  // a fetch may come late: it lowers nothing
  CHECK_FALSE(order.admits(kKey, 6));
  CHECK(order.newest(kKey) == 7);
  CHECK(order.newest(kOther) == 0);
}

TEST_CASE("rule (ii): a write without a version is refused while the key may be cached") {
  WriteOrder order(kVersions);
  order.executed(kKey, 7);
  CHECK_FALSE(order.admits(kKey, 0));
  order.executed(kKey, 9);
  CHECK_FALSE(order.admits(kKey, 0));
}

TEST_CASE("rule (iii): after an eviction writes without a version are admitted, until the key is fetched again") {
  WriteOrder order(kVersions);
  order.executed(kKey, 7);
  order.evicted(kKey, 8);
  CHECK(order.admits(kKey, 0));
  CHECK_FALSE(order.admits(kKey, 6));  // its reply could still be taken for a newer one's
  order.executed(kKey, 9);
  CHECK_FALSE(order.admits(kKey, 0));
  order.evicted(kKey, 8);  // a copy of the old news
  CHECK_FALSE(order.admits(kKey, 0));
  order.evicted(kKey, 9);
  CHECK(order.admits(kKey, 0));
}

TEST_CASE("after an eviction writes from before it are refused, whether or not a write or fetch has reached the key") {
  WriteOrder order(kVersions);
  order.evicted(kKey, 8);
  CHECK(order.admits(kKey, 0));
  CHECK(order.admits(kKey, 8));
  CHECK_FALSE(order.admits(kKey, 7));
  order.executed(kKey, 8);  // its insertion is over all the same
  CHECK(order.admits(kKey, 0));
}

TEST_CASE("keys with different hashes do not share a state") {
  WriteOrder order(kVersions);
  order.executed(kKey, 7);
  CHECK(order.admits(kOther, 0));
  CHECK(order.admits(kOther, 1));
  order.evicted(kOther, 7);
  CHECK_FALSE(order.admits(kKey, 0));
}

TEST_CASE("the rules agree with a reference that keeps all it was told") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::RandomStream random(seed, "write-order");
    WriteOrder order(kVersions);
    std::map<int, std::vector<std::uint64_t>> executed, evicted;
    const auto most = [](const std::vector<std::uint64_t>& of) {
      std::uint64_t largest = 0;
      for (const std::uint64_t n : of) largest = n > largest ? n : largest;
      return largest;
    };
    for (int step = 0; step < 500; ++step) {
      const int key = static_cast<int>(random.below(3));
      const KeyHash hash{0, static_cast<std::uint64_t>(key)};
      const std::uint64_t version = random.below(30);
      switch (random.below(12)) {
        case 0:
          order.evicted(hash, store::Version{version});
          evicted[key].push_back(version);
          break;
        case 2:
          order.executed(hash, store::Version{version});
          executed[key].push_back(version);
          break;
        default:
          break;
      }
      const std::uint64_t newest = std::max(most(executed[key]), most(evicted[key]));
      const bool expected = version == 0 ? most(executed[key]) <= most(evicted[key]) : version >= newest;
      REQUIRE(order.admits(hash, store::Version{version}) == expected);
      REQUIRE(order.admits(hash, 0) == (most(executed[key]) <= most(evicted[key])));
    }
  }
}

TEST_CASE("with versions of 4 bits the rules decide as with ones that never wrap, while nothing is 8 versions late") {
  // A naive comparison, which takes the numbers as they are, does not.
  const bool serial = GENERATE(true, false);
  const store::Versions few(4, serial);
  bool agree = true;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::RandomStream random(seed, "write-order");
    WriteOrder wrapping(few), endless(kVersions);
    std::uint64_t given = 8;
    for (int step = 0; step < 500; ++step) {
      given += random.below(3);
      // What arrives was given out lately, and so was the newest that the server knows.
      const std::uint64_t version = given - random.below(4);
      const std::uint64_t wrapped = few.ahead(0, version);
      agree = agree &&
              wrapping.admits(kKey, store::Version{wrapped}) == endless.admits(kKey, store::Version{version}) &&
              wrapping.admits(kKey, 0) == endless.admits(kKey, 0);
      if (random.below(8) == 0) {
        wrapping.evicted(kKey, few.ahead(0, given));
        endless.evicted(kKey, store::Version{given});
      } else {
        wrapping.executed(kKey, store::Version{wrapped});
        endless.executed(kKey, store::Version{version});
      }
    }
  }
  CHECK(agree == serial);
}

TEST_CASE("the place of a version is how many were given out with it, however often four bits have gone round") {
  const store::Versions few(4);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::RandomStream random(seed, "write-order");
    WriteOrder order(few);
    std::uint64_t given = 1;
    order.executed(kKey, few.ahead(0, given));
    for (int step = 0; step < 500; ++step) {
      const std::uint64_t ahead = given + random.below(8), behind = given - std::min(given - 1, random.below(8));
      REQUIRE(order.place_of(kKey, few.ahead(0, ahead)) == static_cast<std::int64_t>(ahead));
      REQUIRE(order.place_of(kKey, few.ahead(0, behind)) == static_cast<std::int64_t>(behind));
      given = ahead;
      if (random.chance(0.3)) {
        order.evicted(kKey, few.ahead(0, given));
      } else {
        order.executed(kKey, few.ahead(0, given));
      }
    }
  }
}

TEST_CASE("a key is taken for cached from its first version until its removal is told") {
  WriteOrder order(kVersions);
  const auto of = [&](bool cached) { return order.taken_for_cached([&](KeyHash) { return cached; }); };
  CHECK(of(false) == 0);
  order.executed({1, 2}, 5);
  CHECK(of(false) == 1);
  CHECK(of(true) == 0);
  order.evicted({1, 2}, 6);
  CHECK(of(false) == 0);
  order.executed({1, 2}, 6);  // a write of before
  CHECK(of(false) == 0);
  order.executed({1, 2}, 7);
  CHECK(of(false) == 1);
}

}  // namespace write_order_test

// The flat map behaves like std::map, whatever the ids and however often they come and go.
#include "sim/record/flat_map.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>

#include "sim/random/random.hpp"

using namespace racksim::sim;

TEST_CASE("an empty flat map finds and erases nothing") {
  FlatMap<int> map;
  CHECK(map.find(0) == nullptr);
  CHECK_FALSE(map.erase(0));
  CHECK_FALSE(map.erase(~std::uint64_t{0}));
  CHECK(map.size() == 0);
}

TEST_CASE("the id of all ones is an id like any other") {
  FlatMap<int> map;
  constexpr auto kOnes = ~std::uint64_t{0};
  CHECK(map.find(kOnes) == nullptr);
  map[kOnes] = 7;
  REQUIRE(map.find(kOnes) != nullptr);
  CHECK(*map.find(kOnes) == 7);
  CHECK(map.size() == 1);
  CHECK(map.erase(kOnes));
  CHECK(map.find(kOnes) == nullptr);
  CHECK(map[kOnes] == 0);
}

TEST_CASE("a visit of a flat map sees each entry once") {
  FlatMap<int> map;
  std::map<std::uint64_t, int> expected;
  for (std::uint64_t id = 0; id < 1000; id += 7) expected[id] = map[id] = static_cast<int>(id) + 1;
  expected[~std::uint64_t{0}] = map[~std::uint64_t{0}] = 5;
  map.erase(14);
  expected.erase(14);
  std::map<std::uint64_t, int> seen;
  map.for_each([&](std::uint64_t id, int value) { CHECK(seen.emplace(id, value).second); });
  CHECK(seen == expected);
}

TEST_CASE("a flat map agrees with std::map over random insertions, changes and erasures") {
  // Few ids make long clusters that wrap around the end; ids of aligned blocks and of all sizes hash apart.
  for (const auto& [ids, stride] :
       {std::pair<std::uint64_t, std::uint64_t>{12, 1}, {200, 1}, {5'000, 4096}, {5'000, std::uint64_t{1} << 50}}) {
    RandomStream random(ids, "flat_map");
    FlatMap<std::uint64_t> map;
    std::map<std::uint64_t, std::uint64_t> reference;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      const auto pick = random.below(ids + 1);
      const auto id = pick == ids ? ~std::uint64_t{0} : pick * stride;
      if (random.chance(0.5)) {
        map[id] = i;
        reference[id] = i;
      } else {
        REQUIRE(map.erase(id) == (reference.erase(id) == 1));
      }
      REQUIRE(map.size() == reference.size());
      const auto looked_up = random.below(ids) * stride;
      const auto* found = map.find(looked_up);
      const auto expected = reference.find(looked_up);
      REQUIRE((found != nullptr) == (expected != reference.end()));
      if (found != nullptr) REQUIRE(*found == expected->second);
    }
    for (const auto& [id, value] : reference) {
      REQUIRE(map.find(id) != nullptr);
      REQUIRE(*map.find(id) == value);
    }
  }
}

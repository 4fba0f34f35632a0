// The flat map behaves like std::map, whatever the ids and however often they come and go.
#include "sim/record/flat_map.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/random/random.hpp"

namespace flat_map_test {

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

TEST_CASE("flat maps of one history are visited in one order") {
  const auto order = [] {
    RandomStream random(3, "flat_map");
    FlatMap<int> map;
    for (int i = 0; i < 10'000; ++i) {
      const auto id = random.below(500) * 4096;
      if (random.chance(0.5)) {
        map[id] = i;
      } else {
        map.erase(id);
      }
    }
    std::vector<std::pair<std::uint64_t, int>> visited;
    map.for_each([&](std::uint64_t id, int value) { visited.emplace_back(id, value); });
    return visited;
  };
  const auto first = order();
  CHECK(first.size() > 100);
  CHECK(order() == first);
}

TEST_CASE("a window of ids that moves on does not make a flat map grow") {
  // As of operations under way: were room that erased entries had lost until the map is laid anew, it would move.
  constexpr std::uint64_t kWindow = 100;
  FlatMap<std::uint64_t> map;
  auto lowest = ~std::uintptr_t{0}, highest = std::uintptr_t{0};
  for (std::uint64_t id = 0; id < 100'000; ++id) {
    if (id >= kWindow) map.erase(id - kWindow);
    map[id] = id;
    if (id < kWindow) continue;
    const auto place = reinterpret_cast<std::uintptr_t>(map.find(id));
    lowest = std::min(lowest, place);
    highest = std::max(highest, place);
  }
  // Everything was in one array: at most 3/4 full, a power of two, 24 bytes an entry.
  CHECK(highest - lowest < std::uintptr_t{256} * 24);
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

}  // namespace flat_map_test

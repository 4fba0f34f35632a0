// The store of states, against a map.
#include "sim/exploration/state_store.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "sim/random/random.hpp"

namespace state_store_test {

using namespace racksim::sim;

TEST_CASE("states are numbered in the order in which they come, each once") {
  StateStore store;
  std::map<std::string, std::uint32_t> reference;
  RandomStream random(7, "states");
  for (int i = 0; i < 50'000; ++i) {
    std::string encoding(random.below(6), '\0');
    for (char& c : encoding) c = static_cast<char>(random.below(5));
    const auto [place, is_new] = reference.try_emplace(encoding, static_cast<std::uint32_t>(reference.size()));
    const auto [number, added] = store.add(encoding);
    REQUIRE(number == place->second);
    REQUIRE(added == is_new);
  }
  CHECK(store.size() == reference.size());
  for (const auto& [encoding, number] : reference) REQUIRE(store.state(number) == encoding);
}

TEST_CASE("long states fill one block of memory after the other") {
  StateStore store;
  for (int i = 0; i < 200; ++i) store.add(std::string(60'000, 'a') + std::to_string(i));
  for (std::uint32_t i = 0; i < 200; ++i) REQUIRE(store.state(i) == std::string(60'000, 'a') + std::to_string(i));
  CHECK(store.bytes() >= 200 * 60'000);
  CHECK_THROWS_AS(store.add(std::string(70'000, 'a')), std::length_error);
}

}  // namespace state_store_test

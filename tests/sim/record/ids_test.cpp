// Numbers of different kinds.
#include "sim/record/ids.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <concepts>
#include <cstdint>
#include <map>
#include <type_traits>
#include <unordered_map>

namespace ids_test {

using namespace racksim::sim;

namespace {
template <class From, class To>
constexpr bool becomes = std::is_convertible_v<From, To>;
template <class To, class From>
constexpr bool can_be_made_from = std::is_constructible_v<To, From>;
}  // namespace

TEST_CASE("a number of one kind does not stand for one of another, not even when told to") {
  STATIC_REQUIRE_FALSE(becomes<Key, Value>);
  STATIC_REQUIRE_FALSE(becomes<Value, Key>);
  STATIC_REQUIRE_FALSE(becomes<OperationId, Key>);
  STATIC_REQUIRE_FALSE(can_be_made_from<Key, Value>);
  STATIC_REQUIRE_FALSE(std::is_assignable_v<Key&, Value>);
}

TEST_CASE("a plain number becomes one of a kind only when told to") {
  STATIC_REQUIRE_FALSE(becomes<std::uint64_t, Key>);
  STATIC_REQUIRE_FALSE(std::is_assignable_v<Key&, std::uint64_t>);
  STATIC_REQUIRE(can_be_made_from<Key, std::uint64_t>);
  const std::uint64_t number = 0x3000000001;
  CHECK(Key{number} == number);
}

TEST_CASE("a literal is a number of the kind that is expected, and such a number is a plain one where that is") {
  const Key key = 7;
  const std::uint64_t plain = key;
  CHECK(plain == 7);
  CHECK(key + 1 == 8);
  CHECK(Key{} == 0);
}

TEST_CASE("numbers of a kind are printed, ordered and hashed as plain ones") {
  CHECK(fmt::format("{} {}", Key{12u}, Value{255u}) == "12 255");
  const std::map<Key, int> ordered{{Key{9u}, 1}, {Key{10u}, 2}, {Key{2u}, 0}};
  int place = 0;
  for (const auto& [key, expected] : ordered) CHECK(place++ == expected);
  const std::unordered_map<Key, int> hashed{{Key{3u}, 4}};
  CHECK(hashed.at(3) == 4);
}

}  // namespace ids_test

#include "tools/bench/rounds.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

namespace rounds_test {

using namespace racksim::tools;

TEST_CASE("the middle of an odd number of values is one of them, of an even number between two") {
  const auto odd = spread_of({5, 1, 3});
  CHECK(odd.median == 3);
  CHECK(odd.low == 1);
  CHECK(odd.high == 5);
  CHECK(spread_of({4, 1, 2, 9}).median == 3);
  CHECK_THROWS_AS(spread_of({}), std::logic_error);
}

TEST_CASE("ratios are taken round by round, so that a machine's slow spells cancel out") {
  const auto ratio = ratio_of({10, 1, 100}, {5, 0.5, 50});
  CHECK(ratio.median == 2);
  CHECK(ratio.low == 2);
  CHECK(ratio.high == 2);
}

TEST_CASE("contestants take turns, after one round each that is not measured") {
  std::string order;
  const auto contestant = [&](char name) { return [&order, name]() -> std::uint64_t { return order += name, 1; }; };
  const auto rates = take_turns({contestant('a'), contestant('b')}, 3);
  CHECK(order == "abababab");
  REQUIRE(rates.size() == 2);
  CHECK(rates[0].size() == 3);
}

TEST_CASE("a number that is measured in another process arrives to its last bit") {
  for (const double number : {1.0 / 3, 1e-300 / 3, 1e300 / 3}) {
    CHECK(measured_apart([number] { return number; }) == number);
  }
  CHECK_THROWS_WITH(measured_apart([]() -> double { throw std::runtime_error("no luck"); }), "no luck");
}

}  // namespace rounds_test

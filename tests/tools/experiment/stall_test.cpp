// Who waits for whom: the circle among waits, and the lines that people read.
#include "tools/experiment/stall.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace stall_test {

using namespace racksim;
using namespace racksim::tools;
using Strings = std::vector<std::string>;

TEST_CASE("those who wait in a circle are named in its order, and those who only wait for it are not") {
  auto found = stall_of({{.who = "d", .whom = "a", .why = "1"},
                         {.who = "a", .whom = "b", .why = "2"},
                         {.who = "b", .whom = "c", .why = "3"},
                         {.who = "c", .whom = "a", .why = "4"},
                         {.who = "e", .whom = "", .why = "5"}});
  REQUIRE(found.circle.size() == 3);
  std::rotate(found.circle.begin(), std::find(found.circle.begin(), found.circle.end(), "a"), found.circle.end());
  CHECK(found.circle == Strings{"a", "b", "c"});
}

TEST_CASE("without a circle there are only the waits, of which the first ones are printed") {
  const auto found = stall_of({{.who = "a", .whom = "b", .why = "lock"}, {.who = "b", .whom = "", .why = "busy"}});
  CHECK(found.circle.empty());
  CHECK(lines_of(found, 2) == Strings{"a waits for b: lock", "b: busy"});
  CHECK(lines_of(found, 1) == Strings{"a waits for b: lock", "and more"});
  CHECK(lines_of({}, 5).empty());
}

}  // namespace stall_test

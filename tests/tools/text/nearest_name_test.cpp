// Suggestions for mistyped names.
#include "tools/text/nearest_name.hpp"

#include <catch2/catch.hpp>

namespace nearest_name_test {

using namespace racksim::tools;

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps of neighbours") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("saturday", "sunday") == 3);
  CHECK(edit_distance("workload", "workolad") == 1);
  // The textbook difference to the unrestricted distance, which is 2: no piece is edited twice.
  CHECK(edit_distance("ca", "abc") == 3);
}

TEST_CASE("the nearest name is suggested only if it is near") {
  const std::vector<std::string> names{"flowcc", "starcache", "selcc", "gam", "cckvs"};
  CHECK(nearest_name("flowc", names) == "flowcc");
  CHECK(nearest_name("starcahce", names) == "starcache");
  CHECK(nearest_name("FLOWCC", names).empty());
  CHECK(nearest_name("memcached", names).empty());
  CHECK(nearest_name("x", names).empty());
  CHECK(nearest_name(std::string(1'000'000, 'a'), names).empty());
  CHECK(nearest_name("gam", {}).empty());
}

TEST_CASE("names are listed as in a sentence") {
  CHECK(one_of({"a"}) == "\"a\"");
  CHECK(one_of({"a", "b", "c"}) == "\"a\", \"b\" or \"c\"");
  CHECK(one_of({}) == "nothing (none is known)");
}

}  // namespace nearest_name_test

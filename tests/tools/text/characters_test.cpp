#include "tools/text/characters.hpp"

#include <catch2/catch.hpp>

namespace characters_test {

using racksim::tools::characters_in;

TEST_CASE("characters of UTF-8 are counted, whatever bytes they take") {
  CHECK(characters_in("") == 0);
  CHECK(characters_in("3.6") == 3);
  CHECK(characters_in("§3.6 → µs") == 9);
}

}  // namespace characters_test

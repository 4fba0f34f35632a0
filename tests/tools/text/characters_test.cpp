#include "tools/text/characters.hpp"

#include <catch2/catch.hpp>

using racksim::tools::characters_in;

TEST_CASE("characters of UTF-8 are counted, whatever bytes they take") {
  CHECK(characters_in("") == 0);
  CHECK(characters_in("3.6") == 3);
  CHECK(characters_in("§3.6 → µs") == 9);
}

// Series as lines of text.
#include "tools/report/sparkline.hpp"

#include <catch2/catch.hpp>

namespace sparkline_test {

using namespace racksim::tools;

TEST_CASE("a bar has as many eighths as its value has of the largest, one at least, and a point where there is none") {
  CHECK(sparkline({0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, std::nullopt}, 0, 10) == "|▁▁▂▃▄▅▆▇█.|");
  CHECK(sparkline({8.0, 7.4, 7.6}, 0, 3) == "|█▇█|");  // the nearest
}

TEST_CASE("strokes stand before the values at which the marked part begins and ends") {
  CHECK(sparkline({2.0, 2.0, 2.0}, 1, 2) == "█|█|█");
  CHECK(sparkline({2.0}, 1, 1) == "█||");
  CHECK(sparkline({}, 0, 0) == "||");
}

TEST_CASE("a series of nothing but zeros is flat") {
  CHECK(sparkline({0.0, 0.0}, 0, 2) == "|▁▁|");
}

}  // namespace sparkline_test

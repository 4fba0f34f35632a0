// Changes as people read them.
#include "tools/experiment/metric_change.hpp"

#include <catch2/catch.hpp>
#include <limits>

namespace metric_change_test {

using namespace racksim::tools;

TEST_CASE("a change is told in per cent of the size of the old value") {
  CHECK(change_per_cent(200, 150) == -25);
  CHECK(change_per_cent(-200, -150) == 25);
  CHECK(change_per_cent(0, 0) == 0);
  CHECK(change_per_cent(0, -1) == -std::numeric_limits<double>::infinity());
  CHECK(change_text(8, 9) == "+12.5 %");
  CHECK(change_text(1000, 999) == "-0.1 %");
  CHECK(change_text(1e6, 1e6 + 12) == "+0.0012 %");
  CHECK(change_text(3, 3) == "unchanged");
  CHECK(change_text(0, 3) == "was 0");
}

}  // namespace metric_change_test

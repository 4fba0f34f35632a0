// Intervals as people read them.
#include "tools/seeds/interval_text.hpp"

#include <catch2/catch.hpp>

namespace interval_text_test {

using namespace racksim::tools;

namespace {

MeanInterval interval(double mean, double half_width, double least, double most) {
  return {.count = 5, .mean = mean, .least = least, .most = most, .half_width = half_width};
}

}  // namespace

TEST_CASE("a mean has as many digits as its interval leaves a meaning") {
  CHECK(interval_text(interval(3.14159, 0.0123, 3, 4)) == "3.142 ± 0.012");
  CHECK(interval_text(interval(123456.7, 890.1, 1, 2)) == "123457 ± 890");
  CHECK(interval_text(interval(0.000123456, 0.00000123, 0, 1)) == "0.0001235 ± 0.0000012");
  CHECK(interval_text(interval(-0.0001, 0.15, -1, 1)) == "0.00 ± 0.15");
  CHECK(spread_text(interval(3.14159, 0.0123, 3.1, 3.2)) == "3.100 .. 3.200");
  CHECK(share_text(interval(200, 5, 1, 2)) == "2.5 %");
}

TEST_CASE("equal values, and one alone, are told for what they are") {
  const MeanInterval equal{.count = 3, .mean = 0.25, .least = 0.25, .most = 0.25, .half_width = 0};
  CHECK(interval_text(equal) == "0.25 ± 0 (equal)");
  CHECK(spread_text(equal) == "0.25 .. 0.25");
  CHECK(share_text(equal) == "0 %");
  const MeanInterval one{.count = 1, .mean = 3.5, .least = 3.5, .most = 3.5, .half_width = {}};
  CHECK(interval_text(one) == "3.5 (one value)");
  CHECK(share_text(one) == "-");
}

TEST_CASE("an interval around nothing has no share") {
  CHECK(share_text(interval(0, 1, -1, 1)) == "-");
  CHECK(interval_text(MeanInterval{.count = 2, .half_width = 0}) == "0 ± 0 (equal)");
}

TEST_CASE("what pairs show is told with how probable it is by chance") {
  const auto pairs = [](double least, double most) {
    return PairedComparison{.difference = {.count = 3, .mean = 1, .least = least, .most = most, .half_width = 1},
                            .probability = 0.01};
  };
  CHECK(finding_text(pairs(1, 2), 0.05) == "differs, p 0.05");
  CHECK(finding_text(pairs(1, 2), 0.0501) == "not told, p 0.05");
  CHECK(finding_text(pairs(1, 1), 0.0) == "differs, p 0");
  CHECK(finding_text(pairs(0, 0), std::nullopt) == "equal");
  CHECK(finding_text(pairs(1, 1), std::nullopt) == "one pair");
}

}  // namespace interval_text_test

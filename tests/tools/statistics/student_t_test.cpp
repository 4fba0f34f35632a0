// Student's t against the printed table, and against the closed form that four degrees of freedom have.
#include "tools/statistics/student_t.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace student_t_test {

using namespace racksim::tools;

TEST_CASE("Student's quantiles are those of the printed table") {
  struct Row {
    std::size_t degrees;
    double at_95, at_975, at_995;
  };
  const Row row = GENERATE(Row{1, 6.314, 12.706, 63.657}, Row{2, 2.920, 4.303, 9.925}, Row{4, 2.132, 2.776, 4.604},
                           Row{9, 1.833, 2.262, 3.250}, Row{30, 1.697, 2.042, 2.750}, Row{120, 1.658, 1.980, 2.617});
  CHECK(student_quantile(0.95, row.degrees) == Approx(row.at_95).margin(0.0005));
  CHECK(student_quantile(0.975, row.degrees) == Approx(row.at_975).margin(0.0005));
  CHECK(student_quantile(0.995, row.degrees) == Approx(row.at_995).margin(0.0005));
  CHECK(student_quantile(0.025, row.degrees) == Approx(-row.at_975).margin(0.0005));
}

TEST_CASE("the two-sided probability is that of the closed form") {
  const double t = GENERATE(0.0, 0.5, 1.0, 2.776, 8.0, -2.0);
  const double size = std::abs(t), inside = 1 + t * t / 4;
  const double below = 0.5 + 3.0 / 8 * size / std::sqrt(inside) * (1 - t * t / inside / 12);
  CHECK(student_two_sided(t, 4) == Approx(2 * (1 - below)).margin(1e-12));
}

TEST_CASE("what is infinitely far out has no probability") {
  CHECK(student_two_sided(std::numeric_limits<double>::infinity(), 3) == 0);
}

TEST_CASE("no degree of freedom and no probability are refused") {
  CHECK_THROWS_AS(student_quantile(0.975, 0), std::logic_error);
  CHECK_THROWS_AS(student_two_sided(1, 0), std::logic_error);
  CHECK_THROWS_AS(student_quantile(1, 4), std::logic_error);
  CHECK_THROWS_AS(student_quantile(0, 4), std::logic_error);
  CHECK_THROWS_AS(student_quantile(std::nan(""), 4), std::logic_error);
}

}  // namespace student_t_test

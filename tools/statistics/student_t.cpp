// The only source that includes Boost's distributions: they take seconds to compile. See student_t.hpp.
#include "tools/statistics/student_t.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <stdexcept>

namespace racksim::tools {
namespace {

// Within double: what Boost prepares in long double valgrind, which has none, takes for an overflow.
using StudentT =
    boost::math::students_t_distribution<double,
                                         boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

StudentT distribution(std::size_t degrees) {
  if (degrees == 0) throw std::logic_error("Student's t without a degree of freedom");
  return StudentT(static_cast<double>(degrees));
}

}  // namespace

double student_quantile(double probability, std::size_t degrees) {
  if (!(probability > 0 && probability < 1)) throw std::logic_error("a quantile of Student's t outside of (0, 1)");
  return boost::math::quantile(distribution(degrees), probability);
}

double student_two_sided(double t, std::size_t degrees) {
  const auto of = distribution(degrees);
  if (std::isinf(t)) return 0;
  return 2 * boost::math::cdf(boost::math::complement(of, std::abs(t)));
}

}  // namespace racksim::tools

// The only source that includes Boost's distributions: they take seconds to compile. See student_t.hpp.
#include "tools/statistics/student_t.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <stdexcept>

namespace racksim::tools {
namespace {

boost::math::students_t distribution(std::size_t degrees) {
  if (degrees == 0) throw std::logic_error("Student's t without a degree of freedom");
  return boost::math::students_t(static_cast<double>(degrees));
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

// Student's t, by which the mean of a few independent values is judged.
#pragma once

#include <cstddef>

namespace racksim::tools {

/// What Student's t with so many degrees of freedom (at least 1) stays below with this probability (above 0, below 1).
/// Throws std::logic_error for others.
double student_quantile(double probability, std::size_t degrees);

/// The probability that the absolute value of Student's t is as large as `t` or larger. 0 for an infinity.
double student_two_sided(double t, std::size_t degrees);

}  // namespace racksim::tools

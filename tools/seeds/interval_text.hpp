// Means and their intervals as people read them: no more digits than the interval leaves a meaning.
#pragma once

#include <optional>
#include <string>

#include "tools/statistics/mean_interval.hpp"
#include "tools/statistics/paired_comparison.hpp"

namespace racksim::tools {

/// Decimals by which a half-width shows two digits that mean something, at most nine; without one, or with none, those
/// by which `value` shows six.
int decimals_for(double value, const std::optional<double>& half_width);

/// "3.142 ± 0.012", "3.142 ± 0 (equal)" of several that are the same, "3.14159 (one value)" of one alone.
std::string interval_text(const MeanInterval& interval);
/// "3.12 .. 3.16", with the mean's decimals.
std::string spread_text(const MeanInterval& interval);
/// The half-width as a share, "0.38 %"; "-" where there is none.
std::string share_text(const MeanInterval& interval);
/// What pairs show: "equal", "one pair", "differs, p 0.012", or "not told, p 0.3". `corrected` is their probability, by
/// Holm's correction where several are judged together; none of a single pair.
std::string finding_text(const PairedComparison& pairs, const std::optional<double>& corrected);

}  // namespace racksim::tools

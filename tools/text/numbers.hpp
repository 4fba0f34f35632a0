// Numbers as people read them: at most four significant digits, never an exponent.
#pragma once

#include <string>

namespace racksim::tools {

/// Whole from 1,000 on, four significant digits below, without zeros at the end.
std::string shown_number(double value);
/// The same with a unit that leaves fewer than four digits before the point: "341 ns", "3.25 us", "1.5 s".
std::string shown_duration(double ns);
/// Of a share: "29.6 %".
std::string shown_percent(double share);

}  // namespace racksim::tools

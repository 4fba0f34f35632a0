// Numbers as people read them: at most four significant digits, never an exponent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace racksim::tools {

/// Whole from 1,000 on, four significant digits below, without zeros at the end.
std::string shown_number(double value);
/// The same with a unit that leaves fewer than four digits before the point: "341 ns", "3.25 us", "1.5 s".
std::string shown_duration(double ns);
/// Of a share: "29.6 %".
std::string shown_percent(double share);
/// "1 result", "2 results".
std::string counted(std::uint64_t number, std::string_view what);

}  // namespace racksim::tools

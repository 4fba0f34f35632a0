// Claims that nothing speaks for or against: of values that are not there, or that no run could have made other.
#pragma once

#include <string>

#include "tools/figure/figure_claim.hpp"

namespace racksim::tools {

/// Why a claim cannot be judged by these values: a point without a value, or 0 of 0. Empty if it can.
std::string why_nothing_was_read(const Claim& claim, const FigureAxes& axes, const FigureValues& values);

/// Why a claim that holds shows nothing: both sides of it are 0, or it compares points of a series that the sweep does
/// not touch, whose runs are the same to the last bit. Empty if it shows something.
std::string why_it_holds_of_nothing(const Claim& claim, const FigureAxes& axes, const FigureValues& values);

}  // namespace racksim::tools

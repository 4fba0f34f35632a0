// How much room a text takes in a picture, before anything has drawn it: the widths of DejaVu Sans, which is the font of
// all plots and wider than most that a viewer might take instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace racksim::tools {

/// The size of all texts, and the height of a line of them, in points.
inline constexpr double kTextSize = 8, kLineHeight = 10;

/// The width of one line, in points. Characters beyond ASCII count as the widest.
double text_width(std::string_view text);

/// The text in lines that are no wider, broken at spaces, and within a word only where the word alone is too wide. At
/// least one line.
std::vector<std::string> wrapped(std::string_view text, double width);

/// The width of the widest line.
double widest(const std::vector<std::string>& lines);

}  // namespace racksim::tools

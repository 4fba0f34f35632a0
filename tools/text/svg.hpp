// What the pictures that are written as SVG share.
#pragma once

#include <array>
#include <string>

namespace racksim::tools {

/// Colours for lines that have to be told apart, dark enough for text.
inline constexpr std::array kSvgColours{"#1f5fa8", "#2a7d46", "#7d4aa0", "#9a5b12",
                                        "#0f7c80", "#6b6b1e", "#555555", "#a03f74"};
inline constexpr const char* kSvgPaper = "#fdfdfb";
inline constexpr const char* kSvgGrey = "#666";

/// Text as the content of an element or an attribute.
std::string svg_escaped(const std::string& text);

}  // namespace racksim::tools

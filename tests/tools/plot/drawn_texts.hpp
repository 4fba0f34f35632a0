// The texts of a picture that gnuplot drew as SVG, each with the box that it fills.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "tools/plot/text_width.hpp"

namespace racksim::tools::testing {

struct DrawnText {
  std::string text;
  double left = 0, top = 0, right = 0, bottom = 0;
};

/// A number that follows a word in a text.
inline double number_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + word.size(), nullptr);
}

inline std::string unescaped(std::string text) {
  for (const auto& [code, character] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&apos;", "'"}, {"&amp;", "&"}}) {
    for (std::size_t at = 0; (at = text.find(code, at)) != std::string::npos; ++at)
      text.replace(at, std::string(code).size(), character);
  }
  return text;
}

/// Widths are those of DejaVu Sans (tools/plot/text_width.hpp); above the line letters reach 0.76 of the size, below it
/// 0.24.
inline std::vector<DrawnText> drawn_texts(const std::string& svg) {
  std::vector<DrawnText> texts;
  for (std::size_t at = 0; (at = svg.find("<text>", at)) != std::string::npos; ++at) {
    const std::size_t begin = svg.rfind("<g transform=", at);
    const std::string group = svg.substr(begin, svg.find('>', begin) - begin);
    double x = 0, y = 0;
    if (std::sscanf(group.c_str(), "<g transform=\"translate(%lf,%lf)", &x, &y) != 2) continue;
    DrawnText drawn;
    drawn.text = unescaped(svg.substr(at + 6, svg.find("</text>", at) - at - 6));
    const double size = number_after(group, "font-size=\"");
    const double width = text_width(drawn.text) * size / kTextSize;
    const double before = group.find("\"middle\"") != std::string::npos ? width / 2
                          : group.find("\"end\"") != std::string::npos  ? width
                                                                        : 0;
    if (group.find("rotate(-90)") != std::string::npos || group.find("rotate(-90.0)") != std::string::npos) {
      drawn = {drawn.text, x - 0.76 * size, y + before - width, x + 0.24 * size, y + before};
    } else {
      drawn = {drawn.text, x - before, y - 0.76 * size, x - before + width, y + 0.24 * size};
    }
    if (drawn.text.find_first_not_of(' ') != std::string::npos) texts.push_back(drawn);
  }
  return texts;
}

/// What is wrong with the places of texts: one that leaves the canvas, or two that share more than a hair. Empty if all
/// is well.
inline std::string misplaced(const std::vector<DrawnText>& texts, double width, double height) {
  constexpr double kHair = 0.2;
  std::string wrong;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const DrawnText& a = texts[i];
    if (a.left < -kHair || a.top < -kHair || a.right > width + kHair || a.bottom > height + kHair)
      wrong += a.text + " leaves the canvas\n";
    for (std::size_t j = 0; j < i; ++j) {
      const DrawnText& b = texts[j];
      if (a.left + kHair < b.right && b.left + kHair < a.right && a.top + kHair < b.bottom && b.top + kHair < a.bottom)
        wrong += a.text + " lies on " + b.text + "\n";
    }
  }
  return wrong;
}

inline std::string misplaced(const std::string& svg) {
  return misplaced(drawn_texts(svg), number_after(svg, "<svg \n width=\""), number_after(svg, "\" height=\""));
}

}  // namespace racksim::tools::testing

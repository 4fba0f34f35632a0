// The advance widths of DejaVu Sans. See text_width.hpp.
#include "tools/plot/text_width.hpp"

#include <algorithm>
#include <array>

#include "tools/text/printable.hpp"

namespace racksim::tools {
namespace {

/// Of the characters from the space to the tilde, in thousandths of the size, as the font's table has them.
constexpr std::array<int, 95> kAdvances{318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
                                        636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
                                        1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
                                        603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
                                        500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
                                        635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};
constexpr int kWidest = 1000;

/// Bytes of the character that a text begins with; of what is none, one.
std::size_t bytes_of_first(std::string_view text) {
  const auto character = first_character(text);
  return character ? character->bytes : 1;
}

}  // namespace

double text_width(std::string_view text) {
  int thousandths = 0;
  while (!text.empty()) {
    const std::size_t bytes = bytes_of_first(text);
    const auto index = static_cast<std::size_t>(static_cast<unsigned char>(text[0])) - ' ';
    thousandths += bytes == 1 && index < kAdvances.size() ? kAdvances[index] : kWidest;
    text.remove_prefix(bytes);
  }
  return thousandths * kTextSize / 1000;
}

std::vector<std::string> wrapped(std::string_view text, double width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string longer = lines.back().empty() ? std::string(word) : lines.back() + " " + std::string(word);
    if (text_width(longer) <= width) {
      lines.back() = longer;
      continue;
    }
    if (!lines.back().empty()) lines.emplace_back();
    while (!word.empty()) {
      const std::string_view character = word.substr(0, bytes_of_first(word));
      if (!lines.back().empty() && text_width(lines.back() + std::string(character)) > width) lines.emplace_back();
      lines.back() += character;
      word.remove_prefix(character.size());
    }
  }
  return lines;
}

double widest(const std::vector<std::string>& lines) {
  double width = 0;
  for (const std::string& line : lines) width = std::max(width, text_width(line));
  return width;
}

}  // namespace racksim::tools

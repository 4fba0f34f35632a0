// Widths as the tables of DejaVu Sans have them, and where lines break.
#include "tools/plot/text_width.hpp"

#include <catch2/catch.hpp>

namespace text_width_test {

using namespace racksim::tools;
using Lines = std::vector<std::string>;

TEST_CASE("a text is as wide as the font's table says, and an unknown character as the widest") {
  CHECK(text_width("") == 0);
  CHECK(text_width("0123456789") ==
        Approx(10 * 1303.0 / 2048 * kTextSize).epsilon(0.001));  // all digits are 1303 units
  CHECK(text_width("W") == Approx(2025.0 / 2048 * kTextSize).epsilon(0.001));
  CHECK(text_width("i") == Approx(569.0 / 2048 * kTextSize).epsilon(0.002));
  CHECK(text_width("\u00b5s") == Approx(kTextSize + text_width("s")));
  CHECK(text_width("\xff") == kTextSize);
}

TEST_CASE("lines break at spaces, and within a word only if it is too wide alone") {
  CHECK(wrapped("one two three", 1000) == Lines{"one two three"});
  CHECK(wrapped("one two three", text_width("one two") + 0.01) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", text_width("one two") - 0.01) == Lines{"one", "two", "three"});
  CHECK(wrapped("ab 0123456789", text_width("01234")) == Lines{"ab", "01234", "56789"});
  CHECK(wrapped("", 10) == Lines{""});
  CHECK(widest(wrapped("one two three", text_width("one two") + 0.01)) == text_width("one two"));
}

TEST_CASE("however narrow a column, lines end and no character is lost") {
  const std::string text = "GAM's evictions of \u00b5-lines, per\u00a0second (operations)";
  for (double width = 0; width < 200; width += 3) {
    std::string all;
    for (const std::string& line : wrapped(text, width)) {
      if (width > kTextSize) CHECK(text_width(line) <= width);
      all += line;
    }
    std::string expected = text;
    std::erase(expected, ' ');
    std::erase(all, ' ');
    CHECK(all == expected);
  }
}

}  // namespace text_width_test

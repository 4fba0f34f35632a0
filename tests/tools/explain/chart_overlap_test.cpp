// Charts of real runs, dense ones among them: no text lies on a stroke, a symbol or another text.
#include <algorithm>
#include <array>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"

namespace chart_overlap_test {

using namespace racksim::tools::testing;
using boost::property_tree::ptree;

namespace {

struct Rectangle {
  double left, top, right, bottom;
  std::string what;
  bool holds(double x, double y) const { return left < x && x < right && top < y && y < bottom; }
};

struct Picture {
  std::vector<Rectangle> texts, symbols;
  std::vector<std::array<double, 4>> strokes;
};

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

double number(const ptree& element, const char* attribute) {
  return element.get<double>(std::string("<xmlattr>.") + attribute);
}

// What the font makes of a text: DejaVu Sans Mono at 11 pixels has characters of 0.602 x 11 pixels; capitals and
// brackets rise 8.4 above the line, tails hang 2.6 below.
Picture picture_of(const std::string& svg) {
  std::istringstream in(svg);
  ptree document;
  boost::property_tree::read_xml(in, document);
  Picture picture;
  for (const auto& [name, element] : document.get_child("svg")) {
    if (name == "text") {
      const auto what = element.get_value<std::string>();
      const double x = number(element, "x"), y = number(element, "y");
      picture.texts.push_back({x, y - 8.4, x + 6.622 * static_cast<double>(characters(what)), y + 2.6, what});
    } else if (name == "line" && element.get("<xmlattr>.class", "") != "lifeline") {
      picture.strokes.push_back(
          {number(element, "x1"), number(element, "y1"), number(element, "x2"), number(element, "y2")});
    } else if (name == "circle") {
      const double x = number(element, "cx"), y = number(element, "cy"), r = number(element, "r");
      picture.symbols.push_back({x - r, y - r, x + r, y + r, "symbol"});
    } else if (name == "polygon") {  // an arrow's tip: its three sides are strokes
      std::istringstream points(element.get<std::string>("<xmlattr>.points"));
      std::array<std::array<double, 2>, 3> corners{};
      char comma = 0;
      for (auto& corner : corners) points >> corner[0] >> comma >> corner[1];
      for (std::size_t i = 0; i < 3; ++i) {
        const auto &a = corners[i], &b = corners[(i + 1) % 3];
        picture.strokes.push_back({a[0], a[1], b[0], b[1]});
      }
    }
  }
  return picture;
}

// Pairs that lie on each other. Strokes are followed in steps of half a pixel, which no text is too small for.
std::vector<std::string> overlaps(const Picture& picture) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < picture.texts.size(); ++i) {
    const Rectangle& text = picture.texts[i];
    const auto on = [&](const Rectangle& other) {
      if (text.left < other.right && other.left < text.right && text.top < other.bottom && other.top < text.bottom) {
        found.push_back(text.what + " | " + other.what);
      }
    };
    for (std::size_t j = i + 1; j < picture.texts.size(); ++j) on(picture.texts[j]);
    for (const Rectangle& symbol : picture.symbols) on(symbol);
    for (const auto& [x1, y1, x2, y2] : picture.strokes) {
      if (std::max(y1, y2) < text.top || std::min(y1, y2) > text.bottom) continue;
      const double steps = std::ceil(2 * std::hypot(x2 - x1, y2 - y1));
      for (double step = 0; step <= steps; ++step) {
        const double part = steps == 0 ? 0 : step / steps;
        if (!text.holds(x1 + (x2 - x1) * part, y1 + (y2 - y1) * part)) continue;
        found.push_back(text.what + " | a stroke");
        break;
      }
    }
  }
  return found;
}

// The lines between the parties' names and the legend in which a text stands among the lifelines.
std::vector<std::string> mixed_lines(const std::string& chart) {
  std::vector<std::u32string> lines;
  std::istringstream in(chart);
  for (std::string line; std::getline(in, line);) {
    std::u32string wide;
    for (std::size_t i = 0; i < line.size();) {
      const auto byte = static_cast<unsigned char>(line[i]);
      const std::size_t length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      char32_t c = length == 1 ? byte : byte & (0xff >> (length + 1));
      for (std::size_t k = 1; k < length; ++k) c = c << 6 | (static_cast<unsigned char>(line[i + k]) & 0x3f);
      wide += c;
      i += length;
    }
    lines.push_back(wide);
  }
  const auto head = std::find_if(lines.begin(), lines.end(),
                                 [](const auto& line) { return line.find(U"time in ns") != std::u32string::npos; });
  if (head == lines.end()) return {"no chart"};
  constexpr std::size_t kTime = 15;
  const std::size_t last = head->find_first_not_of(U"│ ", kTime);  // where the last party's name begins
  const auto parties = static_cast<std::size_t>(std::count(head->begin(), head->end(), U'│')) + 1;
  const std::size_t spacing = parties > 1 ? (last - kTime) / (parties - 1) : 9;
  const std::u32string drawing = U" │├┤─┼▶◀✗○↺▼▲◆■↻●═╪┆";
  std::vector<std::string> found;
  for (auto line = head + 1; line != lines.end() && !line->empty() && !line->starts_with(U"  A = "); ++line) {
    if (line->size() <= last) continue;
    for (std::size_t i = kTime; i < kTime + parties * spacing && i < line->size(); ++i) {
      if (drawing.find((*line)[i]) == std::u32string::npos) {
        found.push_back("line " + std::to_string(line - lines.begin() + 1));
        break;
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("no text of a chart lies on an arrow, a symbol or another text", "[explain]") {
  const std::string arguments = GENERATE(
      // What is around a violation, with gaps.
      "regress/flowcc/mechanisms.json/without-scoreboard",
      "regress/flowcc/mechanisms.json/slow-agent-without-scoreboard",
      "regress/flowcc/mechanisms.json/without-check-table", "regress/starcache/mechanisms.json/without-invalidation",
      // 400 events one after the other, of many parties, with losses, duplicates and packets that overtake.
      "regress/flowcc/shipped.json/harsh --key 0 --from 0ns", "regress/flowcc/shipped.json/16-nodes --key 0 --from 0ns",
      "fuzz/starcache.json --key 0 --from 0ns", "fuzz/netcache.json --key 0 --from 0ns",
      "fuzz/nocache.json --key 0 --from 100us", "faults/switch-restart.json --key 0 --from 0ns");
  CAPTURE(arguments);
  const TemporaryFolder folder;
  const auto outcome = run_racksim(
      folder, "explain " + racksim::places::source_folder() + "/scenarios/" + arguments + " --svg chart.svg");
  REQUIRE(outcome.status == 0);
  const Picture picture = picture_of(content(folder.path() / "chart.svg"));
  CHECK(picture.strokes.size() >= 20);
  CHECK(picture.texts.size() >= 40);
  CHECK(overlaps(picture) == std::vector<std::string>{});
  CHECK(mixed_lines(outcome.out) == std::vector<std::string>{});
}

}  // namespace chart_overlap_test

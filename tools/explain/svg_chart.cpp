// The chart as SVG. See chart.hpp.
//
// Every instant at which a message sets out or something happens has a height of its own, so that arrows slope from
// sending to receiving and cross when one message overtakes another. A text stands beside its arrow or symbol where it
// lies on no other stroke and no other text; if there is no such place, it stands in the margin at the right, at the
// height of its row, and says between whom. Texts are set in a font of fixed width, so that their widths are known.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sim/oracles/oracle.hpp"
#include "tools/explain/chart.hpp"
#include "tools/explain/label_places.hpp"
#include "tools/text/characters.hpp"
#include "tools/text/svg.hpp"

namespace racksim::tools::explain {
namespace {

constexpr double kLeft = 120, kSpacing = 200, kTop = 30, kLine = 16;
constexpr double kRow = 20,
                 kSending = 6;       // heights of an instant with a text, and of one where something only sets out
constexpr double kCharacter = 6.65;  // width of a character: 0.6 of the font's size in common fonts, a little more
constexpr double kAscent = 9, kDescent = 3, kSymbol = 5, kLoop = 16;
constexpr const char* kLoss = "#c0261c";

/// In columns of the font.
double width_of(const std::string& text) {
  return kCharacter * static_cast<double>(characters_in(text));
}

class Drawing {
 public:
  Drawing(const Chart& chart, const std::vector<std::string>& title)
      : chart_(chart), edge_(kLeft + kSpacing * static_cast<double>(chart.parties.size())), places_(0) {
    y_ = kTop;
    for (const std::string& line : title) heading(line, "#222", true);
    y_ += kLine * 1.5;
    head_ = y_;
    lay_out();
  }

  std::string finish() {
    lifelines();
    for (std::size_t i = 0; i < chart_.rows.size(); ++i) shape(chart_.rows[i], rows_[i]);
    for (std::size_t i = 0; i < chart_.rows.size(); ++i) label(chart_.rows[i], rows_[i]);
    y_ = end_ + 2 * kLine;
    for (const LegendEntry& entry : chart_.legend) {
      heading(entry.letter + " = " + entry.text, colour(entry.letter), entry.accused);
    }
    if (!chart_.registers.empty()) {
      y_ += kLine;
      heading("Registers of the switch, before and after what is shown:", "#222", false);
    }
    for (const RegisterChange& r : chart_.registers) {
      heading(
          fmt::format("{}  {}: {}{}", r.name, r.meaning, r.before, r.changed() ? "  →  " + r.after : " (unchanged)"),
          "#222", r.changed());
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"11\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"{2}\"/>\n{3}</svg>\n",
        std::max(edge_ + 60, widest_), y_ + kLine, kSvgPaper, out_);
  }

 private:
  /// Where a row is drawn: its end, and where its message set out.
  struct Heights {
    double at = 0, sent = 0;
  };

  // Instants in their order, each with its height; what happens at one picosecond still has a row of its own.
  void lay_out() {
    std::multimap<std::pair<sim::Time, int>, std::pair<std::size_t, bool>> instants;  // -> row, is its end
    sim::Time previous;
    for (std::size_t i = 0; i < chart_.rows.size(); ++i) {
      const Row& row = chart_.rows[i];
      const sim::Time at = row.left_out > 0 ? previous : row.event.at;
      previous = at;
      instants.emplace(std::pair(at, 1), std::pair(i, true));
      if (row.left_out == 0 && !row.event.to.empty() && row.event.sent < at) {
        instants.emplace(std::pair(row.event.sent, 2), std::pair(i, false));
      }
    }
    rows_.resize(chart_.rows.size());
    double y = head_ + kLine;
    for (const auto& [when, what] : instants) {
      const auto [row, is_end] = what;
      y += is_end ? kRow : kSending;
      (is_end ? rows_[row].at : rows_[row].sent) = y;
    }
    for (Heights& heights : rows_) {
      if (heights.sent == 0) heights.sent = heights.at;
    }
    end_ = y + kRow;
  }

  double x(const std::string& party) const {
    return kLeft + kSpacing * (static_cast<double>(chart_.column(party)) + 0.5);
  }
  const char* colour(const std::string& letter) const {
    const auto found = std::find_if(chart_.legend.begin(), chart_.legend.end(),
                                    [&](const LegendEntry& entry) { return entry.letter == letter; });
    const auto number = static_cast<std::size_t>(found - chart_.legend.begin());
    return found == chart_.legend.end() ? "#222" : kSvgColours[number % kSvgColours.size()];
  }
  const char* colour_of(const Event& event) const {
    if (event.type == Event::Type::lost || event.type == Event::Type::fault) return kLoss;
    const auto found = chart_.letters.find(event.operation);
    return found == chart_.letters.end() ? "#222" : colour(found->second);
  }

  // What is drawn. A stroke and a symbol leave no place for a label.

  void text(double left, double baseline, const std::string& what, const std::string& attributes) {
    out_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", left, baseline, attributes, svg_escaped(what));
    widest_ = std::max(widest_, left + width_of(what) + 16);
  }
  void heading(const std::string& what, const char* fill, bool bold) {
    text(16, y_, what, fmt::format("fill=\"{}\"{}", fill, bold ? " font-weight=\"bold\"" : ""));
    y_ += kLine;
  }
  void stroke(Point from, Point to, const std::string& attributes) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", from.x, from.y, to.x,
                        to.y, attributes);
    places_.block(Segment{from, to});
  }
  void block_around(Point at) { places_.block(Box{at.x - kSymbol, at.y - kSymbol, at.x + kSymbol, at.y + kSymbol}); }
  void circle(Point at, const std::string& attributes) {
    out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" {}/>\n", at.x, at.y, attributes);
    block_around(at);
  }
  void cross(Point at) {
    const std::string attributes = fmt::format("class=\"cross\" stroke=\"{}\" stroke-width=\"2.5\"", kLoss);
    stroke({at.x - 5, at.y - 5}, {at.x + 5, at.y + 5}, attributes);
    stroke({at.x - 5, at.y + 5}, {at.x + 5, at.y - 5}, attributes);
  }
  /// The tip of an arrow that comes along from `from`; hollow if it does not arrive.
  void tip(Point from, Point at, const char* ink, bool hollow = false) {
    const double length = std::hypot(at.x - from.x, at.y - from.y);
    const Point along{9 * (at.x - from.x) / length, 9 * (at.y - from.y) / length};
    const Point back{at.x - along.x, at.y - along.y}, side{-along.y * 4 / 9, along.x * 4 / 9};
    const std::array corners{at, Point{back.x + side.x, back.y + side.y}, Point{back.x - side.x, back.y - side.y}};
    const std::string attributes =
        hollow ? fmt::format("fill=\"{}\" stroke=\"{}\"", kSvgPaper, ink) : fmt::format("fill=\"{}\"", ink);
    out_ += fmt::format("<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" {}/>\n", corners[0].x,
                        corners[0].y, corners[1].x, corners[1].y, corners[2].x, corners[2].y, attributes);
    const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x});
    const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y});
    places_.block(Box{left, top, right, bottom});
  }

  void lifelines() {
    text(16, head_, "time in ns", fmt::format("fill=\"{}\"", kSvgGrey));
    for (const std::string& party : chart_.parties) {
      const double at = x(party), half = std::max(42.0, width_of(party) / 2 + 6);
      // Labels may cross a lifeline, which is thin and pale, as everything else does.
      out_ += fmt::format(
          "<line class=\"lifeline\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#b8b8b0\"/>\n"
          "<rect x=\"{3:.1f}\" y=\"{4:.1f}\" width=\"{5:.1f}\" height=\"20\" rx=\"3\" fill=\"#eef2f6\" "
          "stroke=\"#8a97a5\"/>\n",
          at, head_ + 8, end_, at - half, head_ - 12, 2 * half);
      places_.block(Box{at - half, head_ - 12, at + half, head_ + 8});
      text(at - width_of(party) / 2, head_ + 2, party, "font-weight=\"bold\"");
    }
  }

  void shape(const Row& row, const Heights& heights) {
    if (row.left_out > 0) {
      return stroke({kLeft, heights.at - 4}, {edge_, heights.at - 4},
                    "class=\"gap\" stroke=\"#999\" stroke-dasharray=\"2 6\"");
    }
    const Event& event = row.event;
    const std::string time = sim::printed(event.at);
    const std::string in_ns = time.substr(0, time.size() - 3);
    text(16, heights.at + 4, in_ns, fmt::format("fill=\"{}\"", kSvgGrey));
    places_.block(box_at(0, heights.at + 4, 16 + width_of(in_ns)));
    const char* ink = colour_of(event);
    if (event.type == Event::Type::fault) {
      return stroke({kLeft, heights.at}, {edge_, heights.at},
                    fmt::format("class=\"fault\" stroke=\"{}\" stroke-dasharray=\"8 4\"", ink));
    }
    const Point at{x(event.from), heights.at};
    if (event.to.empty()) {
      return event.type == Event::Type::lost ? cross(at) : circle(at, fmt::format("fill=\"{}\"", ink));
    }
    arrow(event, {{at.x, heights.sent}, {x(event.to), heights.at}}, ink);
    if (row.sent_before) circle({at.x, heights.sent}, fmt::format("fill=\"{}\" stroke=\"{}\"", kSvgPaper, ink));
  }

  void arrow(const Event& event, const Segment& way, const char* ink) {
    const bool lost = event.type == Event::Type::lost, under_way = event.type == Event::Type::under_way;
    const std::string attributes = fmt::format("class=\"arrow\" stroke=\"{}\" stroke-width=\"1.5\"{}", ink,
                                               lost || under_way ? " stroke-dasharray=\"5 3\"" : "");
    if (way.a.x == way.b.x) {  // to whom it came from: out and back
      const Point out{way.a.x + kLoop, way.a.y}, back{way.b.x + kLoop, way.b.y};
      stroke(way.a, out, attributes);
      if (under_way) return;
      stroke(out, back, attributes);
      if (lost) return cross(back);
      stroke(back, way.b, attributes);
      return tip(back, way.b, ink);
    }
    const double part = lost || under_way ? 0.75 : 1;
    const Point end{way.a.x + (way.b.x - way.a.x) * part, way.a.y + (way.b.y - way.a.y) * part};
    stroke(way.a, end, attributes);
    lost ? cross(end) : tip(way.a, end, ink, under_way);
  }

  // Labels.

  static Box box_at(double left, double baseline, double width) {
    return {left, baseline - kAscent, left + width, baseline + kDescent};
  }

  /// Places over and under an arrow where its own stroke passes by, the middle first.
  static std::vector<Box> places_along(const Segment& way, double width) {
    std::vector<Box> places;
    const double least = std::min(way.a.x, way.b.x), most = std::max(way.a.x, way.b.x);
    const auto y_at = [&](double at_x) {
      return way.a.y + (way.b.y - way.a.y) * (std::clamp(at_x, least, most) - way.a.x) / (way.b.x - way.a.x);
    };
    for (const double part : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) {
      const double left = way.a.x + (way.b.x - way.a.x) * part - width / 2;
      const double y1 = y_at(left), y2 = y_at(left + width);
      places.push_back(box_at(left, std::min(y1, y2) - kDescent - 1, width));
      places.push_back(box_at(left, std::max(y1, y2) + kAscent + 1, width));
    }
    return places;
  }

  void label(const Row& row, const Heights& heights) {
    if (row.left_out > 0) {
      const std::string what = fmt::format("{} events left out", row.left_out);
      return place(what, what, kSvgGrey, heights, {box_at(kLeft + 8, heights.at + 8, width_of(what))});
    }
    const Event& event = row.event;
    const std::string what = chart_.text_of(event);
    const double width = width_of(what);
    if (event.type == Event::Type::fault) {
      return place(what, what, kLoss, heights, {box_at(kLeft + 8, heights.at - 4, width)});
    }
    const double from = x(event.from), to = event.to.empty() ? from : x(event.to);
    std::vector<Box> places;
    if (from != to) places = places_along({{from, heights.sent}, {to, heights.at}}, width);
    // At another height than its row's a label in the margin would be in the way of another's.
    std::erase_if(places, [this](const Box& box) { return box.right > edge_; });
    const double right = std::max(from, to) + (from == to && !event.to.empty() ? kLoop : kSymbol) + 3;
    places.push_back(box_at(right, heights.at + 4, width));
    places.push_back(box_at(std::min(from, to) - kSymbol - 3 - width, heights.at + 4, width));
    const std::string who = event.to.empty() ? event.from : event.from + " → " + event.to;
    place(what, who + ":  " + what, colour_of(event), heights, places);
  }

  /// The label at one of the places, or else in the margin, where each row has a height of its own.
  void place(const std::string& what, const std::string& in_margin, const char* fill, const Heights& heights,
             const std::vector<Box>& places) {
    const auto free = places_.take(places);
    const Box box = free ? *free : box_at(edge_ + 8, heights.at + 4, width_of(in_margin));
    text(box.left, box.bottom - kDescent, free ? what : in_margin,
         fmt::format("class=\"label\" fill=\"{}\" stroke=\"{}\" stroke-width=\"3\" paint-order=\"stroke\"", fill,
                     kSvgPaper));
  }

  const Chart& chart_;
  const double edge_;  // the right end of the columns, where the margin begins
  LabelPlaces places_;
  std::vector<Heights> rows_;
  std::string out_;
  double y_ = 0, head_ = 0, end_ = 0, widest_ = 0;
};

}  // namespace

std::string svg_chart(const Chart& chart, const std::vector<std::string>& title) {
  return Drawing(chart, title).finish();
}

}  // namespace racksim::tools::explain

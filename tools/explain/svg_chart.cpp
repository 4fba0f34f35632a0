// The chart as SVG. See chart.hpp.
//
// Every instant at which a message sets out or something happens has a height of its own, so that arrows slope from
// sending to receiving and cross when one message overtakes another. Texts look for a free place along their arrow.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "sim/oracle.hpp"
#include "tools/explain/chart.hpp"

namespace racksim::tools::explain {
namespace {

constexpr double kLeft = 120, kSpacing = 200, kTop = 30, kLine = 16;
constexpr double kRow = 20,
                 kSending = 6;      // heights of an instant with a text, and of one where something only sets out
constexpr double kCharacter = 6.1;  // width of a character of the texts, about
constexpr std::array kColours{"#1f5fa8", "#2a7d46", "#7d4aa0", "#9a5b12", "#0f7c80", "#6b6b1e", "#555555", "#a03f74"};
constexpr const char* kLoss = "#c0261c";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

struct Box {
  double left, top, right, bottom;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

class Drawing {
 public:
  Drawing(const Chart& chart, const std::vector<std::string>& title) : chart_(chart) {
    y_ = kTop;
    for (const std::string& line : title) {
      text(16, y_, line, "font-weight=\"bold\"");
      widest_ = std::max(widest_, 32 + kCharacter * 1.15 * static_cast<double>(line.size()));
      y_ += kLine;
    }
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
      foot(entry.letter + " = " + entry.text, colour(entry.letter), entry.accused);
    }
    if (!chart_.registers.empty()) {
      y_ += kLine;
      foot("Registers of the switch, before and after what is shown:", "#222", false);
    }
    for (const RegisterChange& r : chart_.registers) {
      foot(fmt::format("{}  {}: {}{}", r.name, r.meaning, r.before, r.changed() ? "  →  " + r.after : " (unchanged)"),
           "#222", r.changed());
    }
    const double columns = kLeft + kSpacing * static_cast<double>(chart_.parties.size()) + 60;
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"11\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fdfdfb\"/>\n{2}</svg>\n",
        std::max(columns, widest_), y_ + kLine, out_);
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
    return found == chart_.legend.end() ? "#222" : kColours[number % kColours.size()];
  }
  const char* colour_of(const Event& event) const {
    if (event.kind == Event::Kind::lost) return kLoss;
    const auto found = chart_.letters.find(event.operation);
    return found == chart_.letters.end() ? "#222" : colour(found->second);
  }

  void text(double left, double baseline, const std::string& what, const std::string& attributes) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", left, baseline, attributes, escaped(what));
  }
  void line(double x1, double y1, double x2, double y2, const std::string& attributes) {
    out_ +=
        fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, attributes);
  }
  void foot(const std::string& what, const char* fill, bool bold) {
    text(16, y_, what, fmt::format("fill=\"{}\"{}", fill, bold ? " font-weight=\"bold\"" : ""));
    widest_ = std::max(widest_, 32 + kCharacter * 1.15 * static_cast<double>(what.size()));
    y_ += kLine;
  }
  void cross(double at_x, double at_y) {
    const std::string attributes = fmt::format("stroke=\"{}\" stroke-width=\"2.5\"", kLoss);
    line(at_x - 5, at_y - 5, at_x + 5, at_y + 5, attributes);
    line(at_x - 5, at_y + 5, at_x + 5, at_y - 5, attributes);
  }

  void lifelines() {
    text(16, head_, "time in ns", "fill=\"#666\"");
    for (const std::string& party : chart_.parties) {
      const double at = x(party);
      line(at, head_ + 8, at, end_, "stroke=\"#b8b8b0\"");
      out_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"84\" height=\"20\" rx=\"3\" fill=\"#eef2f6\" stroke=\"#8a97a5\"/>\n",
          at - 42, head_ - 12);
      text(at, head_ + 2, party, "text-anchor=\"middle\" font-weight=\"bold\"");
    }
  }

  void shape(const Row& row, const Heights& heights) {
    if (row.left_out > 0) {
      line(kLeft, heights.at - 4, kLeft + kSpacing * static_cast<double>(chart_.parties.size()), heights.at - 4,
           "stroke=\"#999\" stroke-dasharray=\"2 6\"");
      return;
    }
    const Event& event = row.event;
    text(16, heights.at + 4, sim::printed(event.at).substr(0, sim::printed(event.at).size() - 3), "fill=\"#666\"");
    if (event.kind == Event::Kind::fault) {
      line(kLeft, heights.at, kLeft + kSpacing * static_cast<double>(chart_.parties.size()), heights.at,
           fmt::format("stroke=\"{}\" stroke-dasharray=\"8 4\"", kLoss));
      return;
    }
    const char* stroke = colour_of(event);
    if (event.to.empty()) {
      if (event.kind == Event::Kind::lost) return cross(x(event.from), heights.at);
      out_ +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x(event.from), heights.at, stroke);
      return;
    }
    arrow(event, heights, stroke);
  }

  void arrow(const Event& event, const Heights& heights, const char* stroke) {
    const double x1 = x(event.from), y1 = heights.sent, x2 = x(event.to), y2 = heights.at;
    const bool lost = event.kind == Event::Kind::lost;
    const double part = lost ? 0.75 : 1;
    const double end_x = x1 + (x2 - x1) * part, end_y = y1 + (y2 - y1) * part;
    line(x1, y1, end_x, end_y,
         fmt::format("stroke=\"{}\" stroke-width=\"1.5\"{}", stroke, lost ? " stroke-dasharray=\"5 3\"" : ""));
    if (lost) return cross(end_x, end_y);
    const double tip = x2 > x1 ? -9 : 9;
    const double rise = x2 == x1 ? 0 : (y2 - y1) / (x2 - x1) * tip;
    out_ += fmt::format("<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" fill=\"{}\"/>\n", x2, y2,
                        x2 + tip, y2 + rise - 4, x2 + tip, y2 + rise + 4, stroke);
  }

  // Tries places along the arrow, or beside the lifeline, and takes the first where no other text stands.
  void label(const Row& row, const Heights& heights) {
    if (row.left_out > 0) {
      place(fmt::format("{} events left out", row.left_out), "#666", {{kLeft + 8, heights.at}});
      return;
    }
    const Event& event = row.event;
    const std::string what = chart_.text_of(event);
    const double width = kCharacter * static_cast<double>(what.size());
    if (event.kind == Event::Kind::fault) return place(what, kLoss, {{kLeft + 8, heights.at - 4}});
    std::vector<std::pair<double, double>> places;
    if (event.to.empty()) {
      const double beside = x(event.from);
      places = {{beside + 8, heights.at + 4}, {beside - 8 - width, heights.at + 4}};
    } else {
      const double x1 = x(event.from), x2 = x(event.to);
      for (const double part : {0.5, 0.35, 0.65, 0.2, 0.8, 0.45, 0.55}) {
        const double y = heights.sent + (heights.at - heights.sent) * part;
        places.emplace_back(x1 + (x2 - x1) * part - width / 2, y - 3);
      }
      places.emplace_back(std::max(x1, x2) + 8, heights.at + 4);
    }
    place(what, colour_of(event), places);
  }
  void place(const std::string& what, const char* fill, const std::vector<std::pair<double, double>>& places) {
    const double width = kCharacter * static_cast<double>(what.size());
    const auto box = [&](const std::pair<double, double>& at) {
      return Box{at.first, at.second - 9, at.first + width, at.second + 2};
    };
    auto chosen = std::find_if(places.begin(), places.end(), [&](const auto& at) {
      return at.first > kLeft - 20 &&
             std::none_of(taken_.begin(), taken_.end(), [&](const Box& other) { return other.meets(box(at)); });
    });
    if (chosen == places.end()) chosen = places.begin();
    taken_.push_back(box(*chosen));
    widest_ = std::max(widest_, chosen->first + width + 20);
    text(chosen->first, chosen->second, what,
         fmt::format("fill=\"{}\" stroke=\"#fdfdfb\" stroke-width=\"3\" paint-order=\"stroke\"", fill));
  }

  const Chart& chart_;
  std::vector<Heights> rows_;
  std::vector<Box> taken_;
  std::string out_;
  double y_ = 0, head_ = 0, end_ = 0, widest_ = 0;
};

}  // namespace

std::string svg_chart(const Chart& chart, const std::vector<std::string>& title) {
  return Drawing(chart, title).finish();
}

}  // namespace racksim::tools::explain

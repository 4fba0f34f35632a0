// The chart for a terminal. See chart.hpp.
#include <fmt/core.h>

#include <algorithm>

#include "sim/oracles/oracle.hpp"
#include "tools/explain/chart.hpp"

namespace racksim::tools::explain {
namespace {

constexpr std::size_t kTimeColumn = 15;  // "10160600.000  "
constexpr std::size_t kLeastText = 40;   // columns for an event's text, as long as columns can be made narrower
constexpr std::size_t kNarrowest = 3, kWidest = 9;

/// One line of the drawing: a symbol per column, of one to three bytes each.
class Canvas {
 public:
  Canvas(std::size_t parties, std::size_t spacing) : cells_(parties * spacing, " "), spacing_(spacing) {
    for (std::size_t i = 0; i < parties; ++i) at(i) = "│";
  }
  std::string& at(std::size_t party) { return cells_[party * spacing_]; }

  /// From one lifeline to another; a lost message and one under way end before they get there, and one that was
  /// `sent_before` begins with a ring.
  void arrow(std::size_t from, std::size_t to, Event::Type type, bool sent_before) {
    const bool lost = type == Event::Type::lost, under_way = type == Event::Type::under_way;
    if (from == to) {
      at(from) = lost ? "✗" : under_way ? "…" : "↺";
      return;
    }
    const bool right = from < to;
    const std::size_t begin = std::min(from, to) * spacing_, end = std::max(from, to) * spacing_;
    for (std::size_t i = begin + 1; i < end; ++i) cells_[i] = cells_[i] == "│" ? "┼" : "─";
    at(from) = sent_before ? "○" : right ? "├" : "┤";
    if (lost || under_way) {
      cells_[right ? end - 1 : begin + 1] = lost ? "✗" : right ? "▷" : "◁";
    } else {
      at(to) = right ? "▶" : "◀";
    }
  }
  void across() {
    for (auto& cell : cells_) cell = cell == "│" ? "╪" : "═";
  }
  std::string text() const {
    std::string line;
    for (const auto& cell : cells_) line += cell;
    return line;
  }

 private:
  std::vector<std::string> cells_;
  std::size_t spacing_;
};

const char* symbol(Event::Type type) {
  switch (type) {
    case Event::Type::begun:
      return "▼";
    case Event::Type::ended:
      return "▲";
    case Event::Type::permission:
      return "◆";
    case Event::Type::switch_state:
      return "■";
    case Event::Type::second_pass:
      return "↻";
    case Event::Type::lost:
      return "✗";
    default:
      return "●";
  }
}

std::string time_text(sim::Time at) {
  const std::string text = sim::printed(at);
  return text.substr(0, text.size() - 3);  // the column's head says ns
}

/// Breaks a text at spaces into lines of at most `width` bytes where that can be done.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (text.size() - begin > width) {
    std::size_t end = text.rfind(' ', begin + width);
    if (end == std::string::npos || end <= begin) end = text.find(' ', begin + width);
    if (end == std::string::npos) break;
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  lines.push_back(text.substr(begin));
  return lines;
}

void trim(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
  line += '\n';
}

}  // namespace

std::string text_chart(const Chart& chart, std::size_t width) {
  const std::size_t parties = chart.parties.size();
  if (parties == 0) return "nothing happened to this key in the window\n";
  const std::size_t room = width > kTimeColumn + kLeastText ? width - kTimeColumn - kLeastText : 0;
  const std::size_t spacing = std::clamp(room / parties, kNarrowest, kWidest);
  const std::size_t text_width = std::max(kLeastText, width - std::min(width, kTimeColumn + parties * spacing)) - 1;

  std::string out;
  // The parties' names, each on a line of its own above its lifeline.
  for (std::size_t i = 0; i < parties; ++i) {
    std::string line = fmt::format("{:>{}}  ", i + 1 == parties ? "time in ns" : "", kTimeColumn - 2);
    for (std::size_t j = 0; j < i; ++j) line += "│" + std::string(spacing - 1, ' ');
    out += line + chart.parties[i] + '\n';
  }
  for (const Row& row : chart.rows) {
    if (row.left_out > 0) {
      std::string line(kTimeColumn, ' ');
      for (std::size_t i = 0; i < parties; ++i) line += "┆" + std::string(spacing - 1, ' ');
      out += line + fmt::format(" ... {} events left out ...\n", row.left_out);
      continue;
    }
    const Event& event = row.event;
    Canvas canvas(parties, spacing);
    if (event.type == Event::Type::fault) {
      canvas.across();
    } else if (event.to.empty()) {
      canvas.at(chart.column(event.from)) = symbol(event.type);
    } else {
      canvas.arrow(chart.column(event.from), chart.column(event.to), event.type, row.sent_before);
    }
    bool first = true;
    for (const auto& part : wrapped(chart.text_of(event), text_width)) {
      std::string line = fmt::format("{:>{}}  ", first ? time_text(event.at) : "", kTimeColumn - 2);
      line += (first ? canvas : Canvas(parties, spacing)).text() + ' ' + part;
      trim(line);
      out += line;
      first = false;
    }
  }
  for (const LegendEntry& entry : chart.legend) {
    out += fmt::format("  {} = {}{}\n", entry.letter, entry.text, entry.accused ? "  <- named by the violation" : "");
  }
  return out;
}

std::string text_registers(const Chart& chart) {
  std::size_t name = 8, meaning = 0, before = 6;
  for (const RegisterChange& r : chart.registers) {
    name = std::max(name, r.name.size());
    meaning = std::max(meaning, r.meaning.size());
    before = std::max(before, r.before.size());
  }
  if (chart.registers.empty()) return {};
  std::string out = fmt::format("  {:<{}}  {:<{}}  {:<{}}    after\n", "register", name, "", meaning, "before", before);
  for (const RegisterChange& r : chart.registers) {
    out += fmt::format("  {:<{}}  {:<{}}  {:<{}}  {} {}\n", r.name, name, r.meaning, meaning, r.before, before,
                       r.changed() ? "→" : " ", r.after);
  }
  return out;
}

}  // namespace racksim::tools::explain

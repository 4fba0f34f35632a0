// Which part of a history is shown, and how parties and operations are called: what both drawings have in common.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/explain/history.hpp"

namespace racksim::tools::explain {

/// How much to show.
struct Extract {
  std::optional<std::size_t> last;    ///< the last so many events
  std::optional<sim::Time> from, to;  ///< the events of a window; elided in the middle beyond kMostInWindow
  /// Without either: so many events before and after each turn of the history, the last ones, and what faults name.
  /// In every case also what set out before the extract's end and is under way.
  static constexpr std::size_t kBefore = 16, kAfter = 22, kEnd = 12;
  static constexpr std::size_t kMostInWindow = 400;
};

/// A row of a chart: an event, or a number of events that are left out.
struct Row {
  Event event;
  std::uint64_t left_out = 0;  ///< if not 0, there is no event
  bool sent_before = false;    ///< a message that set out before the window began
};

/// An operation's line under the chart.
struct LegendEntry {
  std::string letter;
  std::string text;
  bool accused = false;
};

/// A register before and after what the chart shows.
struct RegisterChange {
  std::string name, meaning, before, after;
  bool changed() const { return before != after; }
};

/// What is drawn.
struct Chart {
  std::vector<std::string> parties;  ///< left to right: who begins operations, the switch, its controller, the others
  std::vector<Row> rows;
  std::map<std::uint64_t, std::string> letters;  ///< of operations, A to Z, then AA...
  std::vector<LegendEntry> legend;
  std::vector<RegisterChange> registers;

  std::size_t column(const std::string& party) const;
  /// The event's text with its note and its operation's letter: "READ-MISS seq 3 [A]".
  std::string text_of(const Event& event) const;
};

/// Selects the events, marks messages that others overtook and those that set out before the window (or before the
/// first event shown, if earlier ones are not), and names what is left. `until` is the violation's instant, at which
/// registers are read; `before` they are read just before the first event shown.
Chart make_chart(const History& history, const Extract& extract, sim::Time until);

/// The chart for a terminal of `width` columns: one column per party, one row per event, texts at the right.
std::string text_chart(const Chart& chart, std::size_t width = 120);

/// The table of registers before and after; empty when there are none.
std::string text_registers(const Chart& chart);

/// The chart as a self-contained SVG document. Rows follow each other at equal distances, so time is not to scale;
/// every row tells its time. `title` goes on top, line by line.
std::string svg_chart(const Chart& chart, const std::vector<std::string>& title);

}  // namespace racksim::tools::explain

// Selecting events and naming things. See chart.hpp.
#include "tools/explain/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "sim/oracle.hpp"

namespace racksim::tools::explain {

std::uint64_t Register::value_at(sim::Time when) const {
  std::uint64_t value = initial;
  for (const auto& [at, written] : writes) {
    if (at <= when) value = written;
  }
  return value;
}

std::string Register::printed(std::uint64_t value) const {
  return print == nullptr ? fmt::format("{}", value) : print(value);
}

namespace {

// Appends events [begin, end) as rows, with the gap of the history if it lies among them.
void append(std::vector<Row>& rows, const History& history, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (history.gap > 0 && i == history.gap_at && i > begin) rows.push_back({{}, history.gap});
    rows.push_back({history.events[i], 0});
  }
}

void append_elided(std::vector<Row>& rows, const History& history, std::size_t begin, std::size_t end, std::size_t head,
                   std::size_t tail) {
  const bool gap_inside = history.gap > 0 && history.gap_at > begin && history.gap_at < end;
  if (end - begin <= head + tail) return append(rows, history, begin, end);
  append(rows, history, begin, begin + head);
  rows.push_back({{}, end - begin - head - tail + (gap_inside ? history.gap : 0)});
  append(rows, history, end - tail, end);
}

std::vector<Row> extracted(const History& history, const Extract& extract) {
  std::vector<Row> rows;
  const std::size_t count = history.events.size();
  if (extract.from || extract.to) {
    std::size_t begin = 0, end = count;
    while (begin < count && extract.from && history.events[begin].at < *extract.from) ++begin;
    while (end > begin && extract.to && history.events[end - 1].at > *extract.to) --end;
    append_elided(rows, history, begin, end, Extract::kMostInWindow / 2, Extract::kMostInWindow / 2);
    return rows;
  }
  const std::size_t most = extract.last.value_or(Extract::kPrelude + Extract::kBeginning + Extract::kEnd);
  if (extract.last || !history.has_focus) {
    append(rows, history, count - std::min(most, count), count);
    return rows;
  }
  const std::size_t begin = history.focus - std::min(Extract::kPrelude, history.focus);
  append_elided(rows, history, begin, count, history.focus - begin + Extract::kBeginning, Extract::kEnd);
  return rows;
}

// A message that set out earlier than another between the same parties, and was taken later.
void mark_overtaken(std::vector<Row>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Event& late = rows[i].event;
    if (late.kind != Event::Kind::message) continue;
    const auto overtook = [&](const Row& row) {
      return row.left_out == 0 && row.event.kind == Event::Kind::message && row.event.from == late.from &&
             row.event.to == late.to && row.event.sent > late.sent;
    };
    const auto number = std::count_if(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(i), overtook);
    if (number == 0) continue;
    if (!late.note.empty()) late.note += ", ";
    late.note += fmt::format("overtaken by {}", number);
  }
}

// 0 is A, 25 is Z, 26 is AA.
std::string letter(std::size_t number) {
  std::string text;
  for (std::size_t n = number + 1; n > 0; n = (n - 1) / 26) text.insert(0, 1, static_cast<char>('A' + (n - 1) % 26));
  return text;
}

std::vector<std::string> parties_of(const std::vector<Row>& rows, const History& history) {
  std::set<std::string> present;
  for (const Row& row : rows) {
    for (const auto& party : {row.event.from, row.event.to}) {
      if (!party.empty()) present.insert(party);
    }
  }
  const auto side = [&](const std::string& party) {
    const auto& sessions = history.sessions;
    if (std::find(sessions.begin(), sessions.end(), party) != sessions.end()) return 0;
    return party == "switch" ? 1 : 2;
  };
  std::vector<std::string> parties(present.begin(), present.end());
  // By length first, so that n2 stands before n10.
  std::sort(parties.begin(), parties.end(), [&](const auto& a, const auto& b) {
    const auto node_digits = [](const std::string& party) { return std::min(party.find('.'), party.size()); };
    return std::tuple(side(a), node_digits(a), a) < std::tuple(side(b), node_digits(b), b);
  });
  return parties;
}

}  // namespace

std::size_t Chart::column(const std::string& party) const {
  return static_cast<std::size_t>(std::find(parties.begin(), parties.end(), party) - parties.begin());
}

std::string Chart::text_of(const Event& event) const {
  std::string text = event.text;
  if (!event.note.empty()) text += fmt::format(" ({})", event.note);
  if (const auto found = letters.find(event.operation); found != letters.end()) text += " [" + found->second + "]";
  return text;
}

Chart make_chart(const History& history, const Extract& extract, sim::Time until) {
  Chart chart;
  chart.rows = extracted(history, extract);
  mark_overtaken(chart.rows);
  chart.parties = parties_of(chart.rows, history);
  for (const Row& row : chart.rows) {
    const auto found = history.operations.find(row.event.operation);
    if (row.left_out > 0 || found == history.operations.end() || chart.letters.contains(found->first)) continue;
    const std::string name = letter(chart.letters.size());
    chart.letters[found->first] = name;
    chart.legend.push_back({name, found->second.text, found->second.accused});
  }
  if (chart.rows.empty()) return chart;
  const sim::Time before = chart.rows.front().event.at - sim::Duration::from_ps(1);
  const sim::Time after = extract.to ? std::min(*extract.to, until) : until;
  for (const Register& r : history.registers) {
    if (!r.party.empty() && chart.column(r.party) == chart.parties.size()) continue;
    chart.registers.push_back({r.name, r.meaning, r.printed(r.value_at(before)), r.printed(r.value_at(after))});
  }
  return chart;
}

}  // namespace racksim::tools::explain

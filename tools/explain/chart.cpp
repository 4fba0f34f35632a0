// Selecting events and naming things. See chart.hpp.
#include "tools/explain/chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "models/rack/explanation.hpp"
#include "sim/oracles/oracle.hpp"

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

/// Events from one number to before another.
struct Span {
  std::size_t begin, end;
};

// The events of the spans, which lie in their order and may overlap, with how many are left out between them.
std::vector<Row> rows_of(const History& history, const std::vector<Span>& spans) {
  std::vector<Row> rows;
  std::size_t next = spans.front().begin;
  const auto leave_out = [&](std::size_t until) {
    const bool over_gap = history.gap > 0 && next <= history.gap_at && history.gap_at <= until;
    const std::uint64_t number = until - next + (over_gap && !rows.empty() ? history.gap : 0);
    if (number > 0 && !rows.empty()) rows.push_back({{}, number});
    next = until;
  };
  for (const Span& span : spans) {
    if (span.begin > next) leave_out(span.begin);
    for (; next < span.end; ++next) {
      if (history.gap > 0 && next == history.gap_at && !rows.empty() && rows.back().left_out == 0) leave_out(next);
      rows.push_back({history.events[next], 0});
    }
  }
  return rows;
}

std::vector<Row> extracted(const History& history, const Extract& extract) {
  const std::size_t count = history.events.size();
  std::size_t begin = 0, end = count;
  while (begin < count && extract.from && history.events[begin].at < *extract.from) ++begin;
  while (end > begin && extract.to && history.events[end - 1].at > *extract.to) --end;
  std::vector<Span> spans;
  if (extract.from || extract.to) {
    const std::size_t half = Extract::kMostInWindow / 2;
    if (end - begin <= 2 * half) {
      spans = {{begin, end}};
    } else {
      spans = {{begin, begin + half}, {end - half, end}};
    }
  } else if (extract.last) {
    spans = {{count - std::min(*extract.last, count), count}};
  } else {
    for (const std::size_t turn : history.turns) {
      spans.push_back({turn - std::min(turn, Extract::kBefore), std::min(turn + Extract::kAfter, count)});
    }
    const std::size_t ending = spans.empty() ? Extract::kBefore + Extract::kAfter + Extract::kEnd : Extract::kEnd;
    spans.push_back({count - std::min(ending, count), count});
  }
  const bool shows_named = !extract.last;
  for (std::size_t i = 0; i < end; ++i) {
    const Event& event = history.events[i];
    if (event.type == Event::Type::under_way || (shows_named && event.named && i >= begin)) spans.push_back({i, i + 1});
  }
  // A turn among the last events does not reach back behind them.
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  return rows_of(history, spans);
}

// A message that set out earlier than another between the same parties, and was taken later or not at all.
void mark_overtaken(std::vector<Row>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Event& late = rows[i].event;
    const bool under_way = late.type == Event::Type::under_way;
    if (late.type != Event::Type::message && !under_way) continue;
    const auto overtook = [&](const Row& row) {
      return row.left_out == 0 && row.event.type == Event::Type::message && row.event.from == late.from &&
             row.event.to == late.to && row.event.sent > late.sent;
    };
    const auto end = under_way ? rows.end() : rows.begin() + static_cast<std::ptrdiff_t>(i);
    const auto number = std::count_if(rows.begin(), end, overtook);
    if (number == 0) continue;
    late.add_note(fmt::format("overtaken by {}", number));
  }
}

// An arrow that comes from above the first row must not look as if it began with it. What is under way has the row of its
// departure.
void mark_sent_before(std::vector<Row>& rows, sim::Time window) {
  for (Row& row : rows) {
    if (row.left_out > 0 || row.event.to.empty() || row.event.sent >= window) continue;
    if (row.event.type == Event::Type::under_way) continue;
    row.sent_before = true;
    row.event.add_note("sent before, at " + sim::printed(row.event.sent));
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
    const auto is_one_of = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), party) != names.end();
    };
    if (is_one_of(history.sessions)) return 0;
    return is_one_of(history.switches) ? 1 : party == models::kControllerParty ? 2 : 3;
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
  const auto first_shown = chart.rows.empty() ? sim::Time{} : chart.rows.front().event.at;
  const bool from_the_start = chart.rows.empty() || first_shown == history.events.front().at;
  mark_sent_before(chart.rows, extract.from ? *extract.from : from_the_start ? sim::Time{} : first_shown);
  chart.parties = parties_of(chart.rows, history);
  for (const Row& row : chart.rows) {
    const auto found = history.operations.find(row.event.operation);
    if (row.left_out > 0 || found == history.operations.end() || chart.letters.contains(found->first)) continue;
    const std::string name = letter(chart.letters.size());
    chart.letters[found->first] = name;
    chart.legend.push_back({name, found->second.text, found->second.accused});
  }
  if (chart.rows.empty()) return chart;
  const sim::Time begin = std::max(chart.rows.front().event.at, extract.from.value_or(sim::Time{}));
  const sim::Time before = begin - sim::Duration::from_ps(1);
  const sim::Time after = extract.to ? std::min(*extract.to, until) : until;
  for (const Register& r : history.registers) {
    if (!r.party.empty() && chart.column(r.party) == chart.parties.size()) continue;
    chart.registers.push_back({r.name, r.meaning, r.printed(r.value_at(before)), r.printed(r.value_at(after))});
  }
  return chart;
}

}  // namespace racksim::tools::explain

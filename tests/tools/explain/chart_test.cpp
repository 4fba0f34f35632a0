// Charts of small histories made by hand: every character of the text, and the structure of the SVG.
#include "tools/explain/chart.hpp"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <catch2/catch.hpp>
#include <sstream>

namespace chart_test {

using namespace racksim;
using namespace racksim::tools::explain;
using namespace sim::literals;
using Type = Event::Type;

namespace {

sim::Time at(sim::Duration since_start) {
  return sim::Time{} + since_start;
}

Event local(Type kind, sim::Duration when, const char* party, const char* text, std::uint64_t operation = 0) {
  return {kind, at(when), at(when), party, "", text, "", operation};
}

Event message(sim::Duration sent, sim::Duration taken, const char* from, const char* to, const char* text,
              std::uint64_t operation = 0) {
  return {Type::message, at(taken), at(sent), from, to, text, "", operation};
}

// A write whose first request is lost, and which takes the lock with the second.
History small_history() {
  History history;
  history.sessions = {"n0.t1"};
  history.events.push_back(local(Type::begun, 1_ns, "n0.t1", "write begins", 42));
  Event lost = message(2_ns, 3_ns, "n0.t1", "switch", "WRITE seq 1", 42);
  lost.type = Type::lost;
  lost.note = "lost: loss";
  history.events.push_back(lost);
  history.events.push_back(local(Type::fault, 4_ns, "", "fault 0 (noise) ends"));
  history.events.push_back(message(5_ns, 6_ns, "n0.t1", "switch", "WRITE seq 1 again", 42));
  history.events.push_back(local(Type::switch_state, 7_ns, "switch", "LOCK[3] 0 → 1"));
  history.events.push_back(message(8_ns, 9_ns, "switch", "n1.cache", "WRITE seq 1"));
  history.events.push_back(message(9_ns, 10_ns, "switch", "n0.t1", "ACK", 42));
  history.operations[42] = {"write n0.t1 #42", true};
  Register lock{"LOCK[3]", "lock", "", nullptr, 0, {{at(7_ns), 1}, {at(90_ns), 5}}};
  Register other{"SCORE[9]", "score", "n9.t9", nullptr, 0, {}};
  history.registers = {lock, other};
  return history;
}

// A history of so many permission events, one each nanosecond.
History long_history(std::size_t events) {
  History history;
  for (std::size_t i = 0; i < events; ++i) {
    const auto text = std::to_string(i);
    history.events.push_back(local(Type::permission, static_cast<std::int64_t>(i) * 1_ns, "n0", text.c_str()));
  }
  return history;
}

// The texts of a chart's rows; "+3" for three events left out.
std::string shown(const Chart& chart) {
  std::string text;
  for (const Row& row : chart.rows) {
    text += (text.empty() ? "" : " ") + (row.left_out > 0 ? "+" + std::to_string(row.left_out) : row.event.text);
  }
  return text;
}

std::string numbers(std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += (i == begin ? "" : " ") + std::to_string(i);
  return text;
}

}  // namespace

TEST_CASE("a small history gives exactly this chart", "[explain]") {
  const Chart chart = make_chart(small_history(), {}, at(20_ns));
  CHECK(text_chart(chart) ==
        "               n0.t1\n"
        "               │        switch\n"
        "   time in ns  │        │        n1.cache\n"
        "        1.000  ▼        │        │         write begins [A]\n"
        "        3.000  ├───────✗│        │         WRITE seq 1 (lost: loss) [A]\n"
        "        4.000  ╪════════╪════════╪════════ fault 0 (noise) ends\n"
        "        6.000  ├────────▶        │         WRITE seq 1 again [A]\n"
        "        7.000  │        ■        │         LOCK[3] 0 → 1\n"
        "        9.000  │        ├────────▶         WRITE seq 1\n"
        "       10.000  ◀────────┤        │         ACK [A]\n"
        "  A = write n0.t1 #42  <- named by the violation\n");
}

TEST_CASE("registers are shown as they were before the first event and at the violation", "[explain]") {
  const Chart chart = make_chart(small_history(), {}, at(20_ns));
  // The write at 90 ns came later, and the party of the other register takes no part.
  REQUIRE(chart.registers.size() == 1);
  CHECK(chart.registers[0].before == "0");
  CHECK(chart.registers[0].after == "1");
  CHECK(text_registers(chart) ==
        "  register        before    after\n"
        "  LOCK[3]   lock  0       → 1\n");
}

TEST_CASE("an arrow passes the lifelines between its ends", "[explain]") {
  History history;
  history.events = {local(Type::ended, 1_ns, "n1.t0", "x"), message(1_ns, 2_ns, "switch", "n0.t0", "y")};
  history.sessions = {"n0.t0", "n1.t0"};
  CHECK_THAT(text_chart(make_chart(history, {}, at(5_ns))),
             Catch::Contains("        2.000  ◀────────┼────────┤         y\n"));
}

TEST_CASE("long texts continue on lines of their own", "[explain]") {
  History history;
  history.events = {
      local(Type::switch_state, 1_ns, "switch", "one two three four five six seven eight nine ten eleven")};
  CHECK(text_chart(make_chart(history, {}, at(5_ns)), 66) ==
        "   time in ns  switch\n"
        "        1.000  ■         one two three four five six seven eight\n"
        "               │         nine ten eleven\n");
}

TEST_CASE("a message that a later one has overtaken says so", "[explain]") {
  History history;
  history.events = {message(2_ns, 5_ns, "n0", "switch", "second"), message(3_ns, 6_ns, "n0", "switch", "third"),
                    message(1_ns, 7_ns, "n0", "switch", "first"), message(1_ns, 8_ns, "n1", "switch", "other")};
  const Chart chart = make_chart(history, {}, at(9_ns));
  CHECK(chart.text_of(chart.rows[0].event) == "second");
  CHECK(chart.text_of(chart.rows[2].event) == "first (overtaken by 2)");
  CHECK(chart.text_of(chart.rows[3].event) == "other");
}

TEST_CASE("parties stand in one order: sessions by node, the switch, the others by node", "[explain]") {
  History history;
  history.sessions = {"n10.t0", "n2.t0"};
  history.events = {message(1_ns, 2_ns, "n10.t0", "switch", ""), message(1_ns, 2_ns, "switch", "n10.home", ""),
                    message(1_ns, 2_ns, "switch", "n2.home", ""), message(1_ns, 2_ns, "n2.t0", "switch", "")};
  CHECK(make_chart(history, {}, at(5_ns)).parties ==
        std::vector<std::string>{"n2.t0", "n10.t0", "switch", "n2.home", "n10.home"});
}

TEST_CASE("of a long history the chart shows what is around its turns and its end", "[explain]") {
  History history = long_history(200);
  const std::size_t before = Extract::kBefore, after = Extract::kAfter, end = Extract::kEnd;
  CHECK(shown(make_chart(history, {}, sim::Time::max())) == numbers(200 - before - after - end, 200));
  history.turns = {5, 100};
  CHECK(shown(make_chart(history, {}, sim::Time::max())) ==
        numbers(0, 5 + after) + " +" + std::to_string(100 - before - 5 - after) + " " +
            numbers(100 - before, 100 + after) + " +" + std::to_string(200 - end - 100 - after) + " " +
            numbers(200 - end, 200));
  history.turns = {195, 198};
  CHECK(shown(make_chart(history, {}, sim::Time::max())) == numbers(195 - before, 200));
}

TEST_CASE("a message that was sent before the window says so and begins with a ring", "[explain]") {
  History history;
  history.events = {local(Type::begun, 1_ns, "n0", "early"), message(2_ns, 9_ns, "n0", "switch", "late"),
                    message(8_ns, 10_ns, "n0", "switch", "in time"), message(1_ns, 11_ns, "switch", "n0", "later")};
  history.events.back().type = Type::lost;
  history.events.back().note = "lost: loss";
  history.sessions = {"n0"};
  Extract window;
  window.from = at(5_ns);
  Chart chart = make_chart(history, window, sim::Time::max());
  CHECK(text_chart(chart) ==
        "               n0\n"
        "   time in ns  │        switch\n"
        "        9.000  ○────────▶         late (sent before, at 2.000 ns)\n"
        "       10.000  ├────────▶         in time\n"
        "       11.000  │✗───────○         later (lost: loss, sent before, at 1.000 ns)\n");
  const std::string svg = svg_chart(chart, {});
  const auto rings = [&] {
    std::size_t number = 0;
    for (auto found = svg.find("<circle"); found != std::string::npos; found = svg.find("<circle", found + 1)) ++number;
    return number;
  };
  CHECK(rings() == 2);
  // Without a window the first event shown is where the chart begins, unless there is none before it.
  Extract last;
  last.last = 2;
  chart = make_chart(history, last, sim::Time::max());
  CHECK(chart.rows[0].sent_before);  // it set out at 8 ns, and the chart begins at 10 ns
  chart = make_chart(history, {}, sim::Time::max());
  CHECK(std::none_of(chart.rows.begin(), chart.rows.end(), [](const Row& row) { return row.sent_before; }));
}

TEST_CASE("a message under way stands at its departure, and those that overtook it are counted", "[explain]") {
  History history;
  history.sessions = {"n0.t1"};
  history.events = {local(Type::begun, 1_ns, "n0.t1", "write begins"),
                    message(2_ns, 2_ns, "n0.t1", "switch", "INVALIDATE"), message(3_ns, 4_ns, "n0.t1", "switch", "ACK"),
                    message(5_ns, 5_ns, "switch", "n0.t1", "DATA"), message(6_ns, 6_ns, "switch", "switch", "ROUND")};
  for (const std::size_t i : {1U, 3U, 4U}) history.events[i].type = Type::under_way;
  history.events[1].note = "held back, under way";
  const Chart chart = make_chart(history, {}, at(9_ns));
  CHECK(text_chart(chart) ==
        "               n0.t1\n"
        "   time in ns  │        switch\n"
        "        1.000  ▼        │         write begins\n"
        "        2.000  ├───────▷│         INVALIDATE (held back, under way, overtaken by 1)\n"
        "        4.000  ├────────▶         ACK\n"
        "        5.000  │◁───────┤         DATA\n"
        "        6.000  │        …         ROUND\n");
  const std::string svg = svg_chart(chart, {});
  // A hollow tip for each of the two between parties.
  std::size_t hollow = 0;
  for (auto found = svg.find("\" fill=\"#fdfdfb\" stroke="); found != std::string::npos;
       found = svg.find("\" fill=\"#fdfdfb\" stroke=", found + 1))
    ++hollow;
  CHECK(hollow == 2);
}

TEST_CASE("what is under way or named by a fault is shown wherever it is, others are left out around it", "[explain]") {
  History history = long_history(100);
  history.events[10].type = Type::under_way;
  history.events[20].named = true;
  Extract last;
  last.last = 3;
  CHECK(shown(make_chart(history, {}, sim::Time::max())) == "10 +9 20 +29 " + numbers(50, 100));
  CHECK(shown(make_chart(history, last, sim::Time::max())) == "10 +86 97 98 99");
  Extract window;
  window.from = at(50_ns);
  window.to = at(52_ns);
  CHECK(shown(make_chart(history, window, sim::Time::max())) == "10 +39 50 51 52");
  window.from = at(5_ns);
  window.to = at(8_ns);
  CHECK(shown(make_chart(history, window, sim::Time::max())) == "5 6 7 8");
}

TEST_CASE("last and from and to choose the events, and a gap in the history counts as left out", "[explain]") {
  History history = long_history(10);
  Extract last;
  last.last = 3;
  CHECK(shown(make_chart(history, last, sim::Time::max())) == "7 8 9");
  last.last = 30;
  CHECK(shown(make_chart(history, last, sim::Time::max())) == numbers(0, 10));
  Extract window;
  window.from = at(2_ns);
  window.to = at(4_ns);
  CHECK(shown(make_chart(history, window, sim::Time::max())) == "2 3 4");
  history.gap_at = 8;
  history.gap = 1000;
  CHECK(shown(make_chart(history, {}, sim::Time::max())) == "0 1 2 3 4 5 6 7 +1000 8 9");
  window.from = at(20_ns);
  window.to.reset();
  CHECK_THAT(text_chart(make_chart(history, window, sim::Time::max())), Catch::Contains("nothing happened"));
}

TEST_CASE("the SVG is well-formed XML with a line for each message and a cross for each loss", "[explain]") {
  History history = small_history();
  history.events[0].text = "a < b & \"c\"";
  std::istringstream text(svg_chart(make_chart(history, {}, at(20_ns)), {"a <title> & more"}));
  boost::property_tree::ptree document;
  REQUIRE_NOTHROW(boost::property_tree::read_xml(text, document));
  std::size_t crosses = 0, heads = 0;
  std::vector<std::string> texts;
  for (const auto& [name, element] : document.get_child("svg")) {
    if (name == "text") texts.push_back(element.get_value<std::string>());
    if (name == "polygon") ++heads;
    if (name == "line" && element.get("<xmlattr>.stroke-width", "") == "2.5") ++crosses;
  }
  CHECK(heads == 3);
  CHECK(crosses == 2);  // the two strokes of one cross
  for (const char* expected : {"a <title> & more", "a < b & \"c\" [A]", "switch", "10.000", "WRITE seq 1 again [A]"}) {
    INFO(expected);
    CHECK(std::find(texts.begin(), texts.end(), expected) != texts.end());
  }
}

}  // namespace chart_test

// racksim table prints the transition tables of a protocol in three formats.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "models/service/protocol.hpp"
#include "tools/commands/command_line.hpp"

namespace table_command_test {

using namespace racksim;
using namespace racksim::tools;
using Catch::Contains;
using Catch::StartsWith;

namespace {

struct Outcome {
  int status;
  std::string out, err;
};

Outcome table(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "table");
  std::ostringstream out, err;
  const int status = run_command_line(std::move(arguments), built_in_catalogue(), out, err);
  return {status, out.str(), err.str()};
}

/// The client's table, as NoCache registers it.
const models::TableDescription& client_table() {
  const auto& all = models::protocols();
  return *std::find_if(all.begin(), all.end(), [](const auto& p) { return p.name == "nocache"; })->tables.front();
}

/// The line that begins so; empty if there is none.
std::string line_of(const std::string& text, const std::string& beginning) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(beginning)) return line;
  }
  return "";
}

}  // namespace

TEST_CASE("a table as text has a line for each row, in columns") {
  const Outcome text = table({"nocache"});
  CHECK(text.status == exit_ok);
  CHECK(text.err.empty());
  CHECK_THAT(text.out, StartsWith("store client: "));
  CHECK_THAT(text.out, Contains("begins in the state 'preparing'"));
  for (const auto& row : client_table().rows) {
    INFO(row.name);
    const bool transition = row.kind == models::TableDescription::RowKind::transition;
    CHECK(line_of(text.out, row.name + "  ").empty() != transition);
    CHECK_THAT(text.out, Contains(transition ? row.name : ": " + row.name + "\n"));
  }
  const std::string headings = line_of(text.out, "row "), correction = line_of(text.out, "correction ");
  for (const auto& [heading, cell] : {std::pair{"states", "in vain"},
                                      {"events", "retry"},
                                      {"guard", "a read"},
                                      {"actions", "note why it is sent again, make it a CRN-REQ"},
                                      {"next state", "repeating"},
                                      {"section", "§3.6, §3.9"}}) {
    REQUIRE(headings.find(heading) != std::string::npos);
    CHECK(correction.find(cell) == headings.find(heading));
  }
  CHECK_THAT(line_of(text.out, "old packet"),
             Contains("waiting, in vain, backing off, repeating") && Contains("(stays)"));
  CHECK_THAT(text.out,
             Contains("\n\nignored\n  in vain, backing off, repeating / W-REFUSED: it is about to be sent again") &&
                 Contains("\n\nimpossible\n  preparing / reply, W-REFUSED, stray: nothing has been sent"));
  CHECK(table({"nocache", "--format", "text"}).out == text.out);
}

TEST_CASE("a table as Markdown has a heading and seven cells in every line") {
  const Outcome markdown = table({"starcache", "--format", "markdown"});
  CHECK(markdown.status == exit_ok);
  CHECK_THAT(markdown.out, StartsWith("## store client\n\n"));
  CHECK_THAT(markdown.out, Contains("| row | states | events | guard | actions | next state | section |\n"
                                    "| --- | --- | --- | --- | --- | --- | --- |\n"));
  CHECK_THAT(markdown.out, Contains("| timeout | waiting | timeout |  | note the timeout | in vain | §3.9 |\n"));
  std::istringstream lines(markdown.out);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|')) continue;
    ++rows;
    CHECK(std::count(line.begin(), line.end(), '|') == 8);
  }
  CHECK(rows == client_table().rows.size() + 2);
  CHECK_THAT(
      markdown.out,
      Contains("| it is about to be sent again in any case | in vain, backing off, repeating | W-REFUSED |  |  | "
               "(ignored) |  |\n"));
  CHECK_THAT(markdown.out, Contains("| (impossible) |  |\n"));
}

TEST_CASE("a table as a graph has an edge for each row and state that can happen") {
  const Outcome dot = table({"netcache", "--format", "dot"});
  CHECK(dot.status == exit_ok);
  CHECK_THAT(dot.out, StartsWith("digraph \"store client\" {"));
  CHECK_THAT(dot.out, Contains("  begin -> s0;\n") && Contains("  s1 [label=\"waiting\"];\n"));
  CHECK_THAT(dot.out, Contains("  s1 -> s6 [label=\"reply [completes the item]: answer (§3.3)\"];\n"));
  CHECK_THAT(dot.out, Contains("  s3 -> s3 [label=\"W-REFUSED: it is about to be sent again in any case\", "
                               "style=dashed];\n"));
  CHECK_THAT(dot.out, !Contains("its timer does not run"));
  std::size_t edges = 1;
  for (const auto& row : client_table().rows) {
    if (row.kind != models::TableDescription::RowKind::impossible) edges += row.states.size();
  }
  std::size_t found = 0;
  for (std::size_t at = 0; (at = dot.out.find(" -> ", at)) != std::string::npos; ++at) ++found;
  CHECK(found == edges);
  CHECK(dot.out.ends_with("}\n"));
}

TEST_CASE("a protocol that is unknown or has no table, and an unknown format, are bad input in one line") {
  const Outcome unknown = table({"starcash"});
  CHECK(unknown.status == exit_bad_input);
  CHECK(unknown.out.empty());
  CHECK(unknown.err ==
        "racksim table: command line: found \"starcash\", expected \"cckvs\", \"gam\", \"netcache\", "
        "\"nocache\", \"rpc-directory\", \"selcc\" "
        "or \"starcache\" (did you mean \"starcache\"?)\n");
  const Outcome without = table({"flowcc"});
  CHECK(without.status == exit_bad_input);
  CHECK_THAT(without.err, Contains("found \"flowcc\", which has no transition table, expected \"cckvs\""));
  const Outcome format = table({"nocache", "--format", "markdwon"});
  CHECK(format.status == exit_bad_input);
  CHECK(format.out.empty());
  CHECK(format.err ==
        "racksim table: --format: found \"markdwon\", expected \"text\", \"markdown\" or \"dot\" (did you mean "
        "\"markdown\"?)\n");
}

TEST_CASE("what operations cost is printed as the oracle judges it, for every protocol") {
  for (const auto& protocol : models::protocols()) {
    INFO(protocol.name);
    const models::CostTable costs = protocol.make_options()->costs(models::RackOptions{});
    REQUIRE_FALSE(costs.rows.empty());
    const Outcome text = table({protocol.name, "--costs"}),
                  markdown = table({protocol.name, "--costs", "--format", "markdown"});
    CHECK(text.status == exit_ok);
    CHECK_THAT(text.out, StartsWith(protocol.name + ", on perfect wires"));
    for (const models::CostRow& row : costs.rows) {
      CHECK_THAT(text.out, Contains("\n" + row.what + " (") && Contains(row.cost) && Contains(row.per));
      CHECK_THAT(markdown.out, Contains("| " + row.what + " | " + row.cost + " | "));
    }
  }
  // A read's bounds: Figure 3 of the paper.
  CHECK_THAT(table({"gam", "--costs"}).out,
             Contains("what is written back is acknowledged once (§2.6; of each operation)\n"
                      "  sent wb-ack\n  = 1 x (sent data written back + sent WRITE_BACK)\n"));
}

TEST_CASE("costs of no protocol, or as a graph, are refused") {
  CHECK(table({"nobody", "--costs"}).status == exit_bad_input);
  CHECK_THAT(table({"nobody", "--costs"}).err, Contains("found \"nobody\""));
  CHECK_THAT(table({"gam", "--costs", "--format", "dot"}).err, Contains("costs are no graph"));
}

}  // namespace table_command_test

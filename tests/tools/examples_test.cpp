// The examples of docs/examples, which docs/adding.md and the pages after it explain, do what the documents say: they
// run, are fuzzed and have a figure, and what guards them is seen when it is taken away.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"

namespace examples_test {

using Catch::Contains;
using racksim::tools::testing::Outcome;
using namespace racksim;
namespace fs = std::filesystem;

namespace {

const fs::path kDocs = fs::path(places::source_folder()) / "docs";
const std::string kFolder = (kDocs / "examples/").string();

/// Of the program with the examples.
Outcome run(const std::string& arguments) {
  const tools::testing::TemporaryFolder folder;
  return tools::testing::run_racksim(folder, arguments, places::examples_program());
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> files_of(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  return files;
}

const std::string kOff = " --set protocol.central-server.at_most_once=false ";

}  // namespace

TEST_CASE("the example protocol keeps what it promises under loss, duplicates and reordering") {
  const auto outcome = run("run " + kFolder + "central-server.json");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("checked      data-value (") && Contains(" progress (") && Contains(" sc (") &&
                              Contains(" served (") && Contains("verdict      pass"));
  // Nothing of that is so because nothing happened.
  CHECK_THAT(outcome.out, Contains("central_server.retransmissions") && Contains("central_server.repeated"));
}

TEST_CASE("the example protocol is fuzzed: all runs pass and reach its race points") {
  const auto outcome = run("fuzz " + kFolder + "fuzz.json --runs 60");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("3 of 3 race points") && Contains("failures     0"));
}

TEST_CASE("without its safety mechanism the example protocol fails, in the regression that it names and in fuzzing") {
  CHECK_THAT(run("list mechanisms central-server").out,
             Contains("  central-server/mechanisms.json/without-at-most-once"));
  const auto regression = run("test --seeds 10 " + kFolder + "regress");
  INFO(regression.out << regression.err);
  CHECK(regression.status == 0);
  CHECK_THAT(regression.out, Contains("without-at-most-once") && Contains("1 of 1 passed"));
  const auto with =
      run("run " + kFolder + "regress/central-server/mechanisms.json --case without-at-most-once --set expect={}" +
          " --set protocol.central-server.at_most_once=true");
  CHECK(with.status == 0);
  const auto fuzzed = run("fuzz " + kFolder + "fuzz.json --runs 60 --no-shrink" + kOff);
  CHECK(fuzzed.status == 1);
  CHECK_THAT(fuzzed.out, Contains(": sc at ") || Contains(": data-value at "));
}

TEST_CASE("the chart of a violation names the example protocol's messages and parts") {
  const auto outcome = run("explain " + kFolder + "fuzz.json" + kOff);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains(".home") && Contains("WRITE DONE ") && Contains("READ "));
}

TEST_CASE("the example workload and fault act in a scenario, and on other protocols") {
  const auto outcome = run("run " + kFolder + "relay.json --verbose");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("relay.hand_overs") && Contains("packets.dropped.wire_down") &&
                              Contains("checked      data-value (") && Contains(" never-back ("));
  const auto flowcc = run("run " + kFolder + "relay.json --verbose --set protocol.name=flowcc");
  INFO(flowcc.out << flowcc.err);
  CHECK(flowcc.status == 0);
  CHECK_THAT(flowcc.out, Contains("relay.hand_overs"));
  const auto refused = run("run " + kFolder + "relay.json --set protocol.name=nocache");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("which needs a memory service"));
}

TEST_CASE("the example fault has to end, and says so") {
  const auto outcome = run("run " + kFolder + "relay.json --set 'faults=[{\"kind\": \"flapping\", \"node\": 1}]'");
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("/faults/0/until: found no end"));
}

TEST_CASE("the example oracle, asked alone, sees what the missing mechanism does, and nothing where it is there") {
  const std::string alone = "run " + kFolder + "fuzz.json --set 'check={\"never-back\": true}'";
  const auto with = run(alone), without = run(alone + kOff);
  CHECK(with.status == 0);
  CHECK(without.status == 1);
  CHECK_THAT(without.out, Contains("checked      never-back (") && Contains("never-back at ") &&
                              Contains("after a newer value in operation "));
  const auto refused = run("run nocache/micro.json --set 'check={\"never-back\": true}'");
  CHECK(refused.status == 2);
}

TEST_CASE("the example switch program fits the pipeline and treats its packets as their file says") {
  const auto packets = run("switch heavy-senders " + kFolder + "heavy-senders.packets.json");
  INFO(packets.out << packets.err);
  CHECK(packets.status == 0);
  const auto third = packets.out.find("packet 1 (third)"), fourth = packets.out.find("packet 2 (fourth)"),
             nobody = packets.out.find("packet 3 (to nobody)");
  REQUIRE(third < fourth);
  REQUIRE(fourth < nobody);
  CHECK_THAT(packets.out.substr(third, fourth - third),
             Contains("register SENT[0]: 2 -> 3") && Contains("64 bytes, as it came"));
  CHECK_THAT(packets.out.substr(fourth, nobody - fourth), Contains("64 bytes, ipv4.ecn 0 -> 3"));
  CHECK_THAT(packets.out.substr(nobody), Contains("dropped at switch/pipe0/ingress: switch_program"));
  const auto fitted = run("fit heavy-senders");
  CHECK(fitted.status == 0);
  CHECK_THAT(fitted.out, Contains("2 of 12 stages"));
}

TEST_CASE("the smallest switch program fits and does what its file expects") {
  const auto packets = run("switch first-switch " + kFolder + "first-switch.packets.json");
  INFO(packets.out << packets.err);
  CHECK(packets.status == 0);
  // A read, three packets of which one has a time, a cell and a table.
  CHECK_THAT(packets.out, Contains("7 of 7 expectations hold"));
  const auto fitted = run("fit first-switch");
  CHECK(fitted.status == 0);
}

TEST_CASE("the example figure and testbed: its points are run, and its claims met") {
  const tools::testing::TemporaryFolder folder;
  const auto outcome = tools::testing::run_racksim(folder, "figure " + kFolder + "figure.json --quick --out points",
                                                   places::examples_program());
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("2 of 2 claims met"));
  CHECK(fs::exists(folder.path() / "points" / "figure.svg"));
}

TEST_CASE("the program without the examples knows none of them") {
  const tools::testing::TemporaryFolder folder;
  const std::pair<const char*, long> more[] = {
      {"protocols", 1}, {"workloads", 2}, {"faults", 1}, {"oracles", 1}, {"programs", 2}};
  for (const auto& [kind, examples] : more) {
    const auto without = tools::testing::run_racksim(folder, std::string("list ") + kind).out;
    const auto with = run(std::string("list ") + kind).out;
    INFO(kind);
    CHECK(std::count(with.begin(), with.end(), '\n') == std::count(without.begin(), without.end(), '\n') + examples);
  }
}

TEST_CASE("the examples are as small as the documents say, and the pages that explain them too") {
  for (const auto& file : files_of(kFolder, ".cpp")) {
    INFO(file.string());
    CHECK(lines_of(file).size() <= (file.stem() == "central_server" ? 300 : 95));
  }
  for (const auto& file : files_of(kDocs, ".md")) {
    if (file.filename().string().starts_with("adding")) {
      INFO(file.string());
      CHECK(lines_of(file).size() <= 300);
    }
  }
}

// A fence of C++ with a path prints that file whole, which is looked after elsewhere; one without shows a part.
TEST_CASE("the parts of the examples that the documents show stand in the examples") {
  std::vector<std::vector<std::string>> sources;
  for (const auto& file : files_of(kFolder, ".cpp")) sources.push_back(lines_of(file));
  std::size_t parts = 0;
  for (const auto& page : files_of(kDocs, ".md")) {
    if (!page.filename().string().starts_with("adding")) continue;
    std::vector<std::string> part;
    bool shown = false;
    for (const std::string& line : lines_of(page)) {
      if (shown && line == "```") {
        INFO(page.string() << ": " << (part.empty() ? "an empty part" : part.front()));
        CHECK(std::any_of(sources.begin(), sources.end(), [&](const auto& lines) {
          return std::search(lines.begin(), lines.end(), part.begin(), part.end()) != lines.end();
        }));
        ++parts;
        shown = false;
      } else if (shown) {
        part.push_back(line);
      } else if (line == "```cpp") {
        shown = true;
        part.clear();
      }
    }
  }
  CHECK(parts >= 5);
}

}  // namespace examples_test

// racksim explain on a scenario whose violation is known: what its chart must contain.
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/tools/temporary_folder.hpp"
#include "tools/command_line.hpp"

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;

namespace {

const std::string kFile = RACKSIM_SOURCE_DIR "/scenarios/regress/flowcc-without-scoreboard.json";

struct Outcome {
  int status;
  std::string out, err;
};

Outcome explain(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "explain");
  std::ostringstream out, err;
  const int status = run_command_line(std::move(arguments), built_in_catalogue(), out, err);
  return {status, out.str(), err.str()};
}

}  // namespace

// Without SCOREBOARD a requester whose answer is lost finds the lock taken, by itself, and nobody ever returns it.
TEST_CASE("the violation without SCOREBOARD is explained, fused and stepped alike", "[explain]") {
  const TemporaryFolder folder;
  const auto outcome = explain({kFile, "--out", folder.path().string()});
  INFO(outcome.err);
  // The command itself compares the run hashes with and without the recorder: a difference would be status 3.
  REQUIRE(outcome.status == exit_ok);
  CHECK_THAT(outcome.out, Contains("progress at") && Contains("never ended"));
  // The operation that the violation names, by its number, stands in the chart's legend.
  const auto number_at = outcome.out.find("(operation ");
  REQUIRE(number_at != std::string::npos);
  const std::string named = outcome.out.substr(number_at, outcome.out.find(')', number_at) - number_at);
  const auto legend = outcome.out.find(named, number_at + 1);
  REQUIRE(legend != std::string::npos);
  CHECK_THAT(outcome.out.substr(legend, outcome.out.find('\n', legend) - legend),
             Contains("not ended") && Contains("<- named by the violation"));
  CHECK_THAT(outcome.out, Contains("lost: loss") || Contains("held back") || Contains("duplicate made by the wire"));
  // The lock is free before and held after.
  CHECK_THAT(outcome.out, Contains("0x0000 (no writer, 0 readers)  > 0x"));
  CHECK_THAT(outcome.out, Contains("events left out"));
  const auto stepped = explain({kFile, "--set", "run.execution=stepped"});
  CHECK(stepped.status == exit_ok);
  CHECK(stepped.out == outcome.out);

  boost::property_tree::ptree document;
  CHECK_NOTHROW(boost::property_tree::read_xml((folder.path() / "explanation.svg").string(), document));
}

TEST_CASE("a key, a window and a violation can be chosen", "[explain]") {
  // Block 0x15 is owned by its home: its chart has no lock of the switch.
  const auto key = explain({kFile, "--key", "0x15", "--last", "5"});
  CHECK(key.status == exit_ok);
  CHECK_THAT(key.out, Contains("key 0x15") && !Contains("LOCK1"));
  const auto early = explain({kFile, "--key", "0x0", "--from", "0ns", "--to", "1us"});
  CHECK(early.status == exit_ok);
  CHECK_THAT(early.out, Contains("WRITE-MISS seq 1") && !Contains("FAILED-ACK"));
  CHECK_THAT(explain({kFile, "--violation", "10"}).out, Contains("leaked-lock") && Contains("LOCK1["));
}

TEST_CASE("wrong options of explain are bad input", "[explain]") {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
           {"--violation", "1000"}, {"--violation", "1"}, {"--key", "0xy"}, {"--from", "soon"}}) {
    CAPTURE(option, value);
    const auto outcome = explain({kFile, option, value});
    CHECK(outcome.status == exit_bad_input);
    CHECK_THAT(outcome.err, Contains(option));
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("a run without a violation has nothing to explain but a key", "[explain]") {
  const std::string lossy = RACKSIM_SOURCE_DIR "/scenarios/flowcc/lossy.json";
  const std::vector<std::string> shorter{"--set", "run.measure.operations=200"};
  auto arguments = shorter;
  arguments.insert(arguments.begin(), lossy);
  CHECK_THAT(explain(arguments).out, Contains("no violation"));
}

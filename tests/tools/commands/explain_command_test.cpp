// racksim explain on a scenario whose violation is known: what its chart must contain.
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <catch2/catch.hpp>
#include <sstream>

#include "models/service/protocol.hpp"
#include "tests/places.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/commands/command_line.hpp"

namespace explain_command_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;

namespace {

const std::string kFile =
    racksim::places::source_folder() + "/scenarios/regress/flowcc/mechanisms.json/without-scoreboard";

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
  // The operation that the violation names, as n2.t0 #17, stands in the chart's legend.
  const auto number_at = outcome.out.find(" #");
  REQUIRE(number_at != std::string::npos);
  const auto name_at = outcome.out.rfind(' ', number_at - 1);
  const std::string named = outcome.out.substr(name_at, outcome.out.find(' ', number_at + 1) - name_at);
  const auto legend = outcome.out.find(named + ", begun at", number_at);
  REQUIRE(legend != std::string::npos);
  CHECK_THAT(outcome.out.substr(legend, outcome.out.find('\n', legend) - legend),
             Contains("not ended") && Contains("<- named by the violation"));
  CHECK_THAT(outcome.out, Contains("lost: loss") || Contains("held back") || Contains("duplicate made by the wire"));
  // The lock is free before and held after.
  CHECK_THAT(outcome.out, Contains("0x0000 (no writer, 0 readers)  → 0x"));
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
  CHECK_THAT(explain({kFile, "--violation", "11"}).out, Contains("leaked-lock") && Contains("LOCK1["));
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
  const std::string lossy = racksim::places::source_folder() + "/scenarios/flowcc/lossy.json";
  const std::vector<std::string> shorter{"--set", "run.measure.operations=200"};
  auto arguments = shorter;
  arguments.insert(arguments.begin(), lossy);
  CHECK_THAT(explain(arguments).out, Contains("no violation"));
}

// Each has a fuzz template, which is small and lossy, and in which everything happens that can.
TEST_CASE("a run of every protocol can be explained, and its switch's registers are told in words", "[explain]") {
  for (const auto& protocol : racksim::models::protocols()) {
    CAPTURE(protocol.name);
    // The first object in use: memory servers of their own come behind the compute nodes, of which there are four.
    const bool apart = protocol.name == "selcc" || protocol.name == "sel" || protocol.name == "rpc-directory";
    const std::string key = apart ? "0x800000000000" : "0";
    const auto outcome =
        explain({racksim::places::source_folder() + "/scenarios/fuzz/" + protocol.name + ".json", "--key", key});
    INFO(outcome.err);
    CHECK(outcome.status == exit_ok);
    CHECK_THAT(outcome.out, Contains("switch\n") && Contains("  A = "));
  }
}

TEST_CASE("a controller's messages stand in a column of its own", "[explain]") {
  // StarCache's controller fetches the value of a key that it inserts.
  const std::string folder = racksim::places::source_folder() + "/scenarios/fuzz/";
  const auto star = explain({folder + "starcache.json", "--key", "0", "--from", "0ns", "--to", "20us"});
  REQUIRE(star.status == exit_ok);
  const auto star_head = star.out.substr(0, star.out.find("time in ns"));
  CHECK_THAT(star_head, Contains("switch\n") && Contains("controller\n"));
  CHECK(star_head.find("switch\n") < star_head.find("controller\n"));
  CHECK_THAT(star.out, Contains("F-REQ seq") && Contains("F-REP seq"));
  CHECK_THAT(star.out, Contains("state of the value") && Contains(" valid, version "));
  CHECK_THAT(star.out, Contains("request queue") && Contains("0 waiting, next packet 1"));
}

// NetCache's controller hears of a hot key by a copy of a client's request, whose destination is a server.
TEST_CASE("the registers of a key that is cached in the midst of a run are told in words from then on", "[explain]") {
  std::size_t cached = 0;
  for (int key = 0; key < 13 && cached == 0; ++key) {
    CAPTURE(key);
    const auto net =
        explain({racksim::places::source_folder() + "/scenarios/fuzz/netcache.json", "--set",
                 "protocol.netcache.threshold=5", "--set", "protocol.netcache.preload=0", "--set",
                 "protocol.netcache.round=300us", "--set", "faults=[]", "--key", std::to_string(key), "--from", "0ns"});
    REQUIRE(net.status == exit_ok);
    if (net.out.find("state of the value") == std::string::npos) continue;  // too large, or not hot enough
    ++cached;
    CHECK_THAT(net.out.substr(0, net.out.find("time in ns")), Contains("controller\n"));
    CHECK_THAT(net.out, Contains("F-REQ seq") && Contains("(by the control plane)"));
    CHECK_THAT(net.out, Contains("] invalid, version 0") && Contains("→ valid, version ") && Contains("VALUE0["));
  }
  CHECK(cached == 1);
}

}  // namespace explain_command_test

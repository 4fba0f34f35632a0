// racksim explore: what it prints, its options, limits and exit statuses.
#include <catch2/catch.hpp>
#include <sstream>

#include "tools/commands/command_line.hpp"
#include "tools/json/json_document.hpp"

namespace explore_command_test {

using namespace racksim::tools;
using Catch::Contains;

namespace {

struct Outcome {
  int status;
  std::string out, err;
};

Outcome explore(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "explore");
  std::ostringstream out, err;
  const int status = run_command_line(std::move(arguments), built_in_catalogue(), out, err);
  return {status, out.str(), err.str()};
}

}  // namespace

// One session of one get or put at one of two nodes: six states (tests/protocols/cckvs/explored/explore_test.cpp).
TEST_CASE("explore prints states, transitions, depth and terminal states of each part") {
  const auto clean = explore({"cckvs-lin", "--set", "nodes=2", "--set", "sessions=\"0\"", "--set", "operations=1"});
  CHECK(clean.status == exit_ok);
  CHECK(clean.out ==
        "key 0: 6 states, 5 transitions, depth 4, 2 terminal states, nothing wrong\n"
        "key 1: 6 states, 5 transitions, depth 4, 2 terminal states, nothing wrong\n");
  CHECK(clean.err.empty());
}

TEST_CASE("explore prints the shortest way to what is wrong, and ends with status 1") {
  const auto broken = explore({"cckvs-lin", "--set", "losers=at-once", "--set", "keys=1"});
  CHECK(broken.status == exit_failed);
  CHECK_THAT(broken.out, Contains("not linearizable: the get of session 2 returns 0, in 4 steps:\n"
                                  "    1  session 0 puts 1 at node 0\n"
                                  "    2  session 1 puts 2 at node 1\n"));
  CHECK_THAT(broken.out, Contains("    4  session 2 gets at node 2: the get of session 2 returns 0\n  then  node 0"));
}

TEST_CASE("explore as JSON") {
  const auto broken = explore({"cckvs-lin", "--set", "losers=at-once", "--set", "keys=1", "--json"});
  CHECK(broken.status == exit_failed);
  const auto report = parse_json(broken.out, "report");
  CHECK(*report.find("verdict")->string() == "fail");
  CHECK(*report.find("config")->find("losers")->string() == "at-once");
  const auto& part = report.find("parts")->elements()->front();
  CHECK(part.find("violation")->find("trace")->elements()->size() == 4);
  CHECK(part.find("states")->natural() > 4u);
}

TEST_CASE("an exploration that meets a limit has not passed") {
  const auto cut = explore({"cckvs-lin", "--states", "100", "--set", "keys=1"});
  CHECK(cut.status == exit_failed);
  CHECK_THAT(cut.out, Contains("cut short: more than 100 states, which is the limit; nothing wrong so far"));
  CHECK(explore({"cckvs-lin", "--memory", "1KiB", "--set", "keys=1"}).status == exit_failed);
}

// A walk is three puts with six messages each, and three gets.
TEST_CASE("explore goes random walks, the same ones with the same seed") {
  const std::vector<std::string> walks{"cckvs-lin", "--walks", "20", "--seed", "7", "--set", "keys=1"};
  const auto clean = explore(walks);
  CHECK(clean.status == exit_ok);
  CHECK_THAT(clean.out, Catch::StartsWith("key 0: 20 walks, ") && Catch::EndsWith(" in the longest, nothing wrong\n"));
  CHECK(clean.err.empty());
  const auto as_json = explore({"cckvs-lin", "--walks", "20", "--seed", "7", "--set", "keys=1", "--json"});
  const auto report = parse_json(as_json.out, "report");
  const auto& part = report.find("parts")->elements()->front();
  CHECK(*report.find("verdict")->string() == "pass");
  CHECK(part.find("walks")->natural() == 20u);
  CHECK(part.find("longest")->natural() <= 24u);
  CHECK(part.find("steps")->natural() <= 20u * 24u);
  CHECK_THAT(clean.out, Contains(" " + std::to_string(*part.find("steps")->natural()) + " steps"));
  CHECK_FALSE(part.find("states"));
}

TEST_CASE("a walk that finds what is wrong is printed with its number, and ends the exploration with status 1") {
  const std::vector<std::string> walks{"cckvs-lin", "--walks", "1000", "--set", "losers=at-once", "--set", "keys=1"};
  const auto broken = explore(walks);
  CHECK(broken.status == exit_failed);
  CHECK_THAT(broken.out,
             Contains("\n  not linearizable: ") && Contains(" steps of walk ") && Contains("\n  then  node 0"));
  CHECK(explore(walks).out == broken.out);
}

TEST_CASE("explore tells a model's options, and list its models") {
  const auto options = explore({"cckvs-sc", "--options", "--set", "nodes=4"});
  CHECK(options.status == exit_ok);
  CHECK_THAT(options.out, Contains("nodes                   4             nodes\n"));
  CHECK_THAT(options.out, Contains("tie_break"));
  const auto nested = explore({"flowcc-migration", "--options", "--set", "rules.mark=false"});
  CHECK_THAT(nested.out, Contains("rules.mark              false         a home refuses requests"));
  std::ostringstream out, err;
  CHECK(run_command_line({"list", "models"}, built_in_catalogue(), out, err) == exit_ok);
  CHECK_THAT(out.str(), Contains("cckvs-lin ") && Contains("cckvs-sc ") && Contains("flowcc-migration  FlowCC"));
}

TEST_CASE("explore refuses what it cannot explore") {
  const auto refused = [](std::vector<std::string> arguments, const std::string& what) {
    const auto outcome = explore(std::move(arguments));
    INFO(outcome.err);
    CHECK(outcome.status == exit_bad_input);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Contains(what));
  };
  refused({"cckvs-lim"}, "found \"cckvs-lim\", expected \"cckvs-lin\",");
  refused({"cckvs-lin", "--set", "node=2"}, "nodes");
  refused({"cckvs-lin", "--set", "nodes=9"}, "/nodes");
  refused({"cckvs-lin", "--set", "sessions=\"7\""}, "/sessions: found");
  refused({"cckvs-sc", "--set", "clients=false"}, "/clients: found off");
  refused({"cckvs-lin", "--memory", "much"}, "--memory");
  refused({"cckvs-lin", "--walks", "0"}, "--walks");
  refused({"cckvs-lin", "--walks", "1", "--states", "5"}, "--states");
  refused({"cckvs-lin", "--seed", "5"}, "--walks");
}

}  // namespace explore_command_test

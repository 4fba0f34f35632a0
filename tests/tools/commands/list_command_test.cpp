// racksim list of what has more to tell than names: options, constants, metrics.
#include <catch2/catch.hpp>
#include <sstream>

#include "tools/commands/command_line.hpp"
#include "tools/json/json_document.hpp"

namespace list_command_test {

using Catch::Contains;
using namespace racksim::tools;

namespace {

struct Listed {
  int status;
  std::string out, err;
};

Listed list(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "list");
  std::ostringstream out, err;
  const int status = run_command_line(std::move(arguments), out, err);
  return {status, out.str(), err.str()};
}

/// The entry of a list in which a member is this text; null if there is none.
const JsonValue* entry_with(const JsonValue& list, const char* member, const std::string& text) {
  for (const JsonValue& entry : *list.elements()) {
    if (*entry.find(member)->string() == text) return &entry;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("list options tells path, type, range, default and meaning of each option of a part") {
  const auto listed = list({"options", "flowcc", "--json"});
  REQUIRE(listed.status == exit_ok);
  const auto options = parse_json(listed.out, "options");
  const auto* ways = entry_with(options, "path", "protocol.flowcc.ways");
  REQUIRE(ways != nullptr);
  CHECK(*ways->find("type")->string() == "whole number");
  CHECK(ways->find("least")->natural() == 1);
  CHECK(ways->find("most")->natural() == 9);
  CHECK(ways->find("default")->natural() == 9);
  const auto* ownership = entry_with(options, "path", "protocol.flowcc.ownership");
  REQUIRE(ownership != nullptr);
  CHECK(ownership->find("choices")->elements()->size() == 3);
  CHECK(entry_with(options, "owner", "gam") == nullptr);
  CHECK_THAT(list({"options", "noise"}).out, Contains("faults.N.loss") && Contains("number, 0.0 .. 1.0"));
  CHECK_THAT(list({"options", "run"}).out, Contains("run.drain") && Contains("100ms"));
}

TEST_CASE("list simplifications tells what protocols do without a message, each by a protocol's name") {
  const auto listed = list({"simplifications", "--json"});
  REQUIRE(listed.status == exit_ok);
  const auto simplifications = parse_json(listed.out, "simplifications");
  for (const char* name : {"flowcc/piece-sizes", "flowcc/chunk-tables", "flowcc/queue-pairs", "gam/recovery-questions",
                           "gam/queue-pairs", "selcc/allocator", "sel/allocator"}) {
    INFO(name);
    CHECK(entry_with(simplifications, "name", name) != nullptr);
  }
  const auto protocols = parse_json(list({"protocols", "--json"}).out, "protocols");
  for (const JsonValue& one : *simplifications.elements()) {
    const std::string name = *one.find("name")->string();
    INFO(name);
    CHECK(entry_with(protocols, "name", name.substr(0, name.find('/'))) != nullptr);
  }
}

TEST_CASE("list constants tells each constant of a testbed with its source") {
  const auto listed = list({"constants", "concordia-8", "--json"});
  REQUIRE(listed.status == exit_ok);
  const auto constants = parse_json(listed.out, "constants");
  const auto* cores = entry_with(constants, "constant", "cpu.cores");
  REQUIRE(cores != nullptr);
  CHECK(!cores->find("source")->string()->empty());
  CHECK(entry_with(constants, "testbed", "gam-8") == nullptr);
  CHECK_THAT(list({"constants"}).out, Contains("gam-8") && Contains("starcache-8"));
}

TEST_CASE("list metrics tells unit, kind and meaning of what a scenario reports, or any that is shipped") {
  const auto listed = list({"metrics", "scenarios/quickstart.json", "--json"});
  REQUIRE(listed.status == exit_ok);
  const auto metrics = parse_json(listed.out, "metrics");
  const auto* hits = entry_with(metrics, "name", "flowcc.local_hits");
  REQUIRE(hits != nullptr);
  CHECK(*hits->find("unit")->string() == "operations");
  CHECK(*hits->find("kind")->string() == "counter");
  CHECK(*hits->find("protocols")->elements()->at(0).string() == "flowcc");
  CHECK(entry_with(metrics, "name", "gam.messages") == nullptr);
  CHECK_THAT(list({"metrics"}).out, Contains("flowcc.local_hits") && Contains("gam.messages"));
}

TEST_CASE("a part that is not there is refused with the nearest name, and so is one of a kind that has none") {
  CHECK_THAT(list({"options", "flowc"}).err, Contains("did you mean \"flowcc\"?"));
  CHECK_THAT(list({"constants", "gam-9"}).err, Contains("did you mean \"gam-8\"?"));
  CHECK(list({"metrics", "scenarios/nowhere.json"}).status == exit_bad_input);
  CHECK_THAT(list({"oracles", "served"}).err, Contains("nothing behind \"oracles\""));
  CHECK_THAT(list({"option"}).err, Contains("did you mean \"options\"?"));
}

}  // namespace list_command_test

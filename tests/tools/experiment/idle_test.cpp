// A run in which nothing is under way is idle and not stuck, for however long: low rates and long pauses, of every
// protocol. The longest silence here is many times `run.stall`.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "models/service/memory_service.hpp"
#include "tests/tools/experiment/bare_run.hpp"
#include "tools/json/json_document.hpp"
#include "tools/scenario/scenario.hpp"

namespace idle_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

struct Ended {
  std::string violations;
  std::uint64_t operations = 0;
  bool locks = false;  ///< whether the service has locks
};

/// Of four nodes, on the bare calendar.
Ended run(const std::string& protocol, const std::string& own, const std::string& workload, const std::string& phases,
          const std::string& roles = "{}", const std::string& faults = "[]") {
  const Scenario scenario = read_scenario(
      parse_json(
          fmt::format(R"({{"version": 1, "rack": {{"testbed": "concordia-8", "nodes": 4, "roles": {4}}}, "seed": 3,
                                  "protocol": {{"name": "{0}"{1}}}, "workload": {{{2}}},
                                  "run": {{"warmup": "0ns", "stall": "5ms", "time_limit": "100s", {3}}},
                                  "faults": {5}, "check": {{"all": true}}}})",
                      protocol, own.empty() ? "" : fmt::format(R"(, "{}": {})", protocol, own), workload, phases, roles,
                      faults),
          "test"),
      "test.json", built_in_catalogue());
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  const RunOutcome outcome = testing::bare_run(assembly, scenario);
  Ended ended{{}, outcome.operations, false};
  for (const auto& violation : outcome.violations) ended.violations += violation.oracle + ": " + violation.what + "\n";
  if (auto* memory = dynamic_cast<models::MemoryService*>(&assembly.protocol().service())) {
    ended.locks = memory->shape().offers.has(sim::OperationKind::lock);
  }
  return ended;
}

/// Those of the program, with the service that they offer: not the tests' own.
std::vector<std::string> protocols(bool stores) {
  const std::set<std::string> of_stores{"cckvs", "cckvs-base", "netcache", "nocache", "starcache"};
  std::vector<std::string> names;
  for (const auto& entry : models::protocols()) {
    if (stores == of_stores.contains(entry.name)) names.push_back(entry.name);
  }
  return names;
}

}  // namespace

TEST_CASE("a store that is asked once or a hundred times a second is idle in between, and passes") {
  REQUIRE(protocols(true).size() == 5);
  for (const std::string& protocol : protocols(true)) {
    for (const auto& [rate, operations] : {std::pair{1, 3}, std::pair{100, 40}}) {
      INFO(protocol << " at " << rate);
      const bool has_servers = !protocol.starts_with("cckvs");
      const Ended ended =
          run(protocol, has_servers ? R"({"server_nodes": 2})" : "",
              fmt::format(R"("kind": "key-value", "threads": 1, "keys": 1000, "rate": {}, "loop": "open")", rate),
              fmt::format(R"("measure": {{"operations": {}}})", operations));
      CHECK(ended.violations.empty());
      CHECK(ended.operations == static_cast<std::uint64_t>(operations));
    }
  }
}

TEST_CASE("sessions on a memory may pause, and hold their locks, for many times as long as a stall takes") {
  REQUIRE(protocols(false).size() >= 5);
  for (const std::string& protocol : protocols(false)) {
    INFO(protocol);
    const std::string micro =
        R"("kind": "micro", "threads": 1, "sharing_ratio": 1, "working_set": "64KiB", "shared_bytes": "64KiB",
           "warm_passes": 0, )";
    const std::string measure = R"("measure": {"operations": 24})";
    const bool apart = protocol == "rpc-directory" || protocol == "sel" || protocol == "selcc";
    const std::string roles = apart ? R"({"compute": 2, "memory": 2})" : "{}";
    const Ended paused = run(protocol, "", micro + R"("slow_nodes": 4, "slow_pause": "30ms")", measure, roles);
    CHECK(paused.violations.empty());
    CHECK(paused.operations >= 24);
    if (!paused.locks) continue;
    const Ended held = run(protocol, "", micro + R"("mode": "lock", "hold": "30ms", "read_ratio": 1)", measure, roles);
    CHECK(held.violations.empty());
    CHECK(held.operations >= 24);
  }
}

TEST_CASE("a litmus test's sessions may wait before each repetition for longer than a stall takes") {
  const Ended ended = run("flowcc", "", R"("kind": "litmus", "program": "sb",
                                           "repetitions": 3, "settle": "30ms")",
                          R"("measure": {"operations": 1000})");
  CHECK(ended.violations.empty());
  CHECK(ended.operations > 0);
}

// The two clients of four nodes: nothing is asked for until one is back, after many stalls.
TEST_CASE("clients that have all crashed, and will be started again, are waited for") {
  const Ended ended = run("nocache", R"({"server_nodes": 2})",
                          R"("kind": "key-value", "threads": 1, "keys": 1000, "rate": 100000, "loop": "open")",
                          R"("measure": "60ms")", "{}",
                          R"([{"kind": "crash", "node": 0, "from": "1ms", "until": "41ms"},
              {"kind": "crash", "node": 1, "from": "1ms", "until": "51ms"}])");
  CHECK(ended.violations.empty());
  // A client alone begins 50,000 a second: for 1 ms with the other, for 10 ms alone, and for 9 ms with it again.
  CHECK(ended.operations > 1000);
  CHECK(ended.operations < 2000);
}

}  // namespace idle_test

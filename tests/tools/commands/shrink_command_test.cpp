// racksim shrink refuses what there is nothing to shrink of, and says why.
#include <catch2/catch.hpp>

#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"

namespace shrink_command_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;

TEST_CASE("a run that fails by what it expects alone has nothing to shrink, which is said as it is", "[shrink]") {
  const TemporaryFolder folder;
  JsonValue scenario = parse_json(R"({
    "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2}, "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
    "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
    "run": {"measure": {"operations": 200}}, "check": {"all": true}})",
                                  "short");
  folder.write("passes.json", to_json(scenario));
  scenario.set("expect", parse_json(R"({"latency.max": {"max": 1}})", "expect"));
  folder.write("slow.json", to_json(scenario));
  scenario.set("expect", parse_json(R"({"violation": "torn"})", "expect"));
  folder.write("sound.json", to_json(scenario));

  const auto refused = [&](const std::string& file) {
    const Outcome outcome = run_racksim(folder, "shrink " + file);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK_THAT(refused("passes.json"), Contains("passes.json: /: found a scenario that passes, expected one that fails"));
  // `run` says that these two fail: so nobody may be told that they pass.
  REQUIRE(run_racksim(folder, "run slow.json").status == 1);
  CHECK_THAT(refused("slow.json"), Contains("slow.json: /expect: found a run that fails by what it expects alone: "
                                            "latency.max is ") &&
                                       Contains("expected one in which an oracle finds a violation"));
  REQUIRE(run_racksim(folder, "run sound.json").status == 1);
  CHECK_THAT(refused("sound.json"), Contains("fails by what it expects alone: the oracles' verdict is pass"));
}

}  // namespace shrink_command_test

// Random loss taken apart: which packets it took, and the same run again with faults that name them.
#include "tools/lost_packets.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/tools/run_racksim.hpp"
#include "tools/fuzz.hpp"
#include "tools/shrink.hpp"

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

const Catalogue& built_in() {
  static const Catalogue catalogue = built_in_catalogue();
  return catalogue;
}

JsonValue lossy(const std::string& faults, bool scoreboard = true) {
  JsonValue scenario = parse_json(R"({
    "version": 1, "name": "lossy", "seed": 3, "rack": {"testbed": "concordia-8", "nodes": 4},
    "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB", "entries_per_way": 64}},
    "workload": {"kind": "micro", "threads": 2, "sharing_ratio": 0.7, "working_set": "1MiB", "shared_bytes": "48KiB",
                 "warm_passes": 0},
    "run": {"measure": {"operations": 400}, "drain": "5ms", "stall": "5ms", "time_limit": "100ms"},
    "check": {"all": true}})",
                                  "lossy");
  scenario.set("faults", parse_json(faults, "faults"));
  scenario.set_dotted("protocol.flowcc.scoreboard", scoreboard);
  return scenario;
}

TrialResult tried(const JsonValue& document, TrialDetail detail) {
  TrialResult result;
  const ScenarioRunner runner = scenario_runner(built_in(), detail);
  run_trials(
      {}, [&](std::uint64_t) { return runner(document); }, [](std::uint64_t number) { return number == 0; },
      [&](std::uint64_t, const TrialResult& trial) {
        result = trial;
        return true;
      });
  return result;
}

std::vector<LostPacket> lost_in(const JsonValue& document) {
  return lost_packets_from_text(tried(document, TrialDetail::losses).losses);
}

/// The report's metrics, as text, without the reasons of drops: lost by chance is now lost by name.
std::string metrics_of(const TemporaryFolder& folder, const JsonValue& scenario) {
  folder.write("scenario.json", to_json(scenario));
  JsonValue metrics = *parse_json(run_racksim(folder, "run scenario.json --json").out, "report").find("metrics");
  if (JsonValue* packets = metrics.find("packets")) packets->erase("dropped");
  for (const char* name : {"packets.dropped.loss", "packets.dropped.burst_loss", "packets.dropped.targeted"}) {
    metrics.erase(name);
  }
  return to_json(metrics);
}

}  // namespace

TEST_CASE("a run with random loss is repeated to the last metric by faults that name the packets that were lost") {
  const TemporaryFolder folder;
  const JsonValue original = lossy(R"([
    {"kind": "noise", "loss": 0.05, "until": "150us"},
    {"kind": "noise", "node": 1, "burst_enter": 0.05, "burst_leave": 0.3, "from": "150us", "until": "400us"},
    {"kind": "down", "node": 3, "from": "100us", "until": "110us"},
    {"kind": "slow-core", "node": 2, "from": "50us", "until": "100us"}])");
  const std::vector<LostPacket> lost = lost_in(original);
  CHECK(lost.size() > 20);
  const JsonValue named = with_noise_replaced(original, drops_of(lost));
  CHECK(named.find("faults")->elements()->size() == lost.size() + 2);  // what is no noise stays
  CHECK(metrics_of(folder, named) == metrics_of(folder, original));
}

TEST_CASE("what was lost is written as the faults that drop it, and survives the way out of a child process") {
  const std::vector<LostPacket> lost{{2, true, 17}, {0, false, 3}};
  CHECK(lost_packets_from_text(lost_packets_text(lost)) == lost);
  CHECK(drops_of(lost) == parse_json(R"([{"kind": "drop", "node": 2, "direction": "to_switch", "first": 17},
                                         {"kind": "drop", "node": 0, "direction": "from_switch", "first": 3}])",
                                     "faults"));
  CHECK(lost_in(lossy("[]")).empty());
}

TEST_CASE("only noise that does nothing but lose packets is taken apart") {
  CHECK(noise_only_loses(lossy(R"([{"kind": "noise", "loss": 0.1}, {"kind": "drop"}])")));
  CHECK(noise_only_loses(lossy(R"([{"kind": "noise", "burst_enter": 0.1, "node": 2, "until": "1us"}])")));
  CHECK_FALSE(noise_only_loses(lossy(R"([{"kind": "noise", "loss": 0.1, "duplicate": 0.1}])")));
  CHECK_FALSE(noise_only_loses(lossy(R"([{"kind": "noise", "loss": 0.1}, {"kind": "noise", "jitter": "1ns"}])")));
  CHECK_FALSE(noise_only_loses(lossy(R"([{"kind": "drop"}])")));
}

TEST_CASE("a scenario with random loss shrinks to a handful of dropped packets, each needed, and fails as before") {
  JsonValue original = lossy(R"([{"kind": "noise", "loss": 0.05}])", false);
  TrialResult failure;
  for (std::uint64_t seed = 1; !failure.failed() && seed <= 20; ++seed) {
    original.set("seed", seed);
    failure = tried(original, TrialDetail::none);
  }
  REQUIRE(failure.failed());
  CHECK(lost_in(original).size() > 20);
  ShrinkPlan plan;
  plan.limits.jobs = 2;
  plan.loss_runner = scenario_runner(built_in(), TrialDetail::losses);
  const ShrinkResult result =
      shrink(original, failure, built_in(), scenario_runner(built_in(), TrialDetail::none), plan);
  INFO(to_json(result.document));
  CHECK(result.minimal);
  const auto& faults = *result.document.find("faults")->elements();
  CHECK(faults.size() >= 1);
  CHECK(faults.size() <= 4);
  for (const JsonValue& fault : faults) CHECK(*fault.find("kind")->string() == "drop");
  // The scenario as written fails with the oracle of the first, and none of its faults is in vain.
  CHECK(tried(result.document, TrialDetail::none).shows(failure.kind));
  for (std::size_t i = 0; i < faults.size(); ++i) {
    JsonValue without = result.document;
    without.find("faults")->erase(i);
    CHECK_FALSE(tried(without, TrialDetail::none).shows(failure.kind));
  }
}

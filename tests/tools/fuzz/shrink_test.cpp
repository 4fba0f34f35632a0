// Shrinking against made-up defects, whose smallest failing scenario is known.
#include "tools/fuzz/shrink.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tools/fuzz/noise_log.hpp"
#include "tools/text/units.hpp"

namespace shrink_test {

using namespace racksim::tools;

namespace {

constexpr const char* kLarge = R"({
  "version": 1, "name": "large", "seed": 77,
  "rack": {"testbed": "concordia-8", "nodes": 6},
  "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB", "ways": 2, "scoreboard": false}},
  "workload": {"kind": "micro", "threads": 4, "read_ratio": 0.8, "shared_bytes": "48KiB", "working_set": "1MiB"},
  "run": {"measure": {"operations": 1000}, "drain": "5ms", "schedule": {"order": "lifo", "jitter": "5ns"}},
  "faults": [{"kind": "noise", "loss": 0.1, "duplicate": 0.2, "from": "0s", "until": "4096us"},
             {"kind": "down", "node": 5, "from": "10us", "until": "20us"},
             {"kind": "drop", "header": "ethernet", "count": 3}],
  "check": {"all": true}
})";

/// A defect that shows when all of this holds, whatever else the scenario says.
struct Defect {
  std::uint64_t operations = 1, nodes = 2, threads = 1;
  std::string fault;                   ///< a fault of this kind is needed
  bool unlocks_without_score = false;  ///< the option scoreboard = false is needed
  std::uint64_t seed_of_small = 0;     ///< below 100 operations only this seed shows it
};

ScenarioRunner runner_for(const Defect& defect) {
  return [defect](const JsonValue& document) {
    const Scenario scenario = read_scenario(document, "test", built_in_catalogue());
    const auto number = [](const racksim::tools::BoundParameters& options, const std::string& name) {
      for (const auto& parameter : options.parameters.all()) {
        if (parameter.name == name) return *std::get<racksim::sim::Parameter::Integer>(parameter.kind).target;
      }
      return std::uint64_t{0};
    };
    bool fails = scenario.run.measure.operations >= defect.operations;
    fails = fails && number(scenario.rack, "nodes") >= defect.nodes;
    fails = fails && number(scenario.workload, "threads") >= defect.threads;
    bool has_fault = defect.fault.empty();
    for (const auto& fault : scenario.faults) has_fault = has_fault || fault.name == defect.fault;
    const auto* option = document.find("protocol")->find("flowcc")
                             ? document.find("protocol")->find("flowcc")->find("scoreboard")
                             : nullptr;
    fails = fails && has_fault && (!defect.unlocks_without_score || option);
    if (defect.seed_of_small > 0 && scenario.run.measure.operations < std::uint64_t{100}) {
      fails = fails && scenario.seed == defect.seed_of_small;
    }
    TrialResult result;
    if (!fails) return result;
    result.verdict = TrialResult::Verdict::failed;
    result.kind = "data-value";
    result.kinds = {"data-value"};
    result.what = "a stale read";
    return result;
  };
}

ShrinkResult shrunk(const Defect& defect, unsigned jobs = 1, std::uint64_t runs = 2000) {
  const Catalogue catalogue = built_in_catalogue();
  const JsonValue document = parse_json(kLarge, "large");
  ShrinkPlan plan;
  plan.limits.jobs = jobs;
  plan.runs = runs;
  const ScenarioRunner runner = runner_for(defect);
  return shrink(document, runner(document), catalogue, runner, plan);
}

std::string part(const JsonValue& document, const char* key) {
  return to_canonical_json(*document.find(key));
}

}  // namespace

TEST_CASE("a defect that needs nothing shrinks to one operation of two nodes") {
  const ShrinkResult result = shrunk({});
  CHECK(result.minimal);
  CHECK(part(result.document, "run") == R"({"drain":"5ms","measure":{"operations":1}})");
  CHECK(part(result.document, "rack") == R"({"nodes":2,"testbed":"concordia-8"})");
  CHECK(part(result.document, "faults") == "[]");
  const Scenario scenario = read_scenario(result.document, "test", built_in_catalogue());
  for (const auto& parameter : scenario.protocol.parameters.all()) {
    if (parameter.name == "scoreboard") CHECK(*std::get<racksim::sim::Parameter::Flag>(parameter.kind).target);
  }
}

TEST_CASE("shrinking finds exactly what a defect needs") {
  Defect defect;
  defect.operations = 37;
  defect.nodes = 3;
  defect.threads = 2;
  defect.fault = "drop";
  defect.unlocks_without_score = true;
  const ShrinkResult result = shrunk(defect);
  CHECK(result.minimal);
  CHECK(part(result.document, "run") == R"({"drain":"5ms","measure":{"operations":37}})");
  CHECK(part(result.document, "rack") == R"({"nodes":3,"testbed":"concordia-8"})");
  CHECK(part(result.document, "faults") == R"([{"kind":"drop"}])");
  CHECK(to_canonical_json(*result.document.find("workload")->find("threads")) == "2");
  CHECK(to_canonical_json(*result.document.find("protocol")->find("flowcc")->find("scoreboard")) == "false");
  CHECK(result.document.find("protocol")->find("flowcc")->find("ways") == nullptr);
}

TEST_CASE("a smaller scenario may take another seed") {
  Defect defect;
  defect.operations = 10;
  defect.seed_of_small = 3;
  const ShrinkResult result = shrunk(defect);
  CHECK(part(result.document, "seed") == "3");
  CHECK(part(result.document, "run") == R"({"drain":"5ms","measure":{"operations":10}})");
}

TEST_CASE("faults move to nodes that are left and their windows shrink") {
  Defect defect;
  defect.fault = "down";
  const ShrinkResult result = shrunk(defect);
  const auto& faults = *result.document.find("faults")->elements();
  REQUIRE(faults.size() == 1);
  CHECK(*faults[0].find("node")->natural() < 2);
  const auto length =
      parse_length(*faults[0].find("until")->string()) - parse_length(*faults[0].find("from")->string());
  CHECK(length < 2_us);
}

TEST_CASE("the shrunk scenario does not depend on the number of jobs") {
  Defect defect;
  defect.operations = 21;
  defect.fault = "noise";
  const ShrinkResult one = shrunk(defect, 1), three = shrunk(defect, 3);
  CHECK(to_json(one.document) == to_json(three.document));
  CHECK(one.runs == three.runs);
}

TEST_CASE("shrinking keeps to its number of runs and says that it was cut short") {
  const ShrinkResult result = shrunk({}, 1, 5);
  CHECK(result.runs <= 5);
  CHECK_FALSE(result.minimal);
}

TEST_CASE("a shrunk scenario says what fails and reads back") {
  Defect defect;
  defect.fault = "drop";
  const JsonValue file = shrunk_scenario(shrunk(defect), "found by a test");
  const Scenario scenario = read_scenario(parse_json(to_json(file), "file"), "file", built_in_catalogue());
  CHECK(scenario.name == "large-shrunk");
  CHECK(scenario.doc.find("data-value") != std::string::npos);
  CHECK(scenario.doc.find("a stale read") != std::string::npos);
  CHECK_FALSE(scenario.expect.pass.has_value());
}

TEST_CASE("noise is replaced by what it did, and delta debugging leaves the effects that a defect needs together") {
  using Fault = NoiseEffect::Fault;
  std::vector<NoiseEffect> effects;
  for (std::uint64_t packet = 1; packet <= 120; ++packet) {
    effects.push_back({static_cast<Fault>(packet % 4), static_cast<racksim::models::NodeId>(packet % 6),
                       packet % 5 == 0, packet, racksim::sim::Duration::from_ps(1000)});
  }
  JsonValue needed = faults_of({effects[6], effects[70], effects[119]});
  const Catalogue catalogue = built_in_catalogue();
  JsonValue document = parse_json(kLarge, "large");
  document.set("faults", parse_json(R"([{"kind": "noise", "loss": 0.1}, {"kind": "drop", "first": 7}])", "faults"));
  const ScenarioRunner runner = [&](const JsonValue& candidate) {
    // Noise does, or those that are needed. (They have no options that would be left out, or nodes that would be no
    // more.)
    const auto& faults = *candidate.find("faults")->elements();
    std::size_t found = 0;
    for (const JsonValue& fault : *needed.elements()) found += std::count(faults.begin(), faults.end(), fault);
    TrialResult result;
    if (!is_noisy(candidate) && found < needed.elements()->size()) return result;
    result.verdict = TrialResult::Verdict::failed;
    result.kind = "data-value";
    result.kinds = {"data-value"};
    return result;
  };
  ShrinkPlan plan;
  plan.seeds = {};
  plan.noise_runner = [&](const JsonValue&) {
    TrialResult result;
    result.noise = noise_text(effects);
    return result;
  };
  const ShrinkResult result = shrink(document, runner(document), catalogue, runner, plan);
  CHECK(result.minimal);
  CHECK(*result.document.find("faults") == needed);
  CHECK(result.runs < 200);

  // Many that are needed, among and before others that are not, do not use the runs up.
  JsonValue many = JsonValue::array();
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (i < 70 || i % 2 == 0) many.push(*faults_of({effects[i]}).elements()->begin());
  }
  needed = many;
  const ShrinkResult large = shrink(document, runner(document), catalogue, runner, plan);
  CHECK(large.minimal);
  CHECK(*large.document.find("faults") == needed);
  CHECK(large.runs < 600);

  // Without a way to see what noise did, and where what it did is not enough, it stays noise.
  plan.noise_runner = {};
  CHECK(part(shrink(document, runner(document), catalogue, runner, plan).document, "faults") ==
        R"([{"kind":"noise"}])");
  plan.noise_runner = [](const JsonValue&) {
    TrialResult nothing;
    nothing.noise = noise_text({});
    return nothing;
  };
  const ShrinkResult noisy = shrink(document, runner(document), catalogue, runner, plan);
  CHECK(noisy.minimal);
  CHECK(part(noisy.document, "faults") == R"([{"kind":"noise"}])");
}

}  // namespace shrink_test

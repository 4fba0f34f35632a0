#include "tools/fuzz/drawn_faults.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "models/faults/faults.hpp"
#include "models/service/protocol.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/scenario/scenario.hpp"

namespace drawn_faults_test {

using namespace racksim;
using namespace racksim::tools;

TEST_CASE("random faults written into a scenario are read back as they were drawn") {
  const Catalogue catalogue = built_in_catalogue();
  std::vector<std::string> kinds;
  for (const auto& entry : models::faults()) kinds.push_back(entry.name);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    sim::RandomStream random(seed, "menu");
    const auto drawn = models::draw_faults(random, {4, sim::Duration::from_ps(300'000'000)}, kinds);
    JsonValue document = parse_json(
        R"({"version": 1, "rack": "concordia-8", "protocol": {"name": "flowcc"}, "workload": {"kind": "micro"}})", "");
    const JsonValue faults = faults_array(drawn);
    document.set("faults", faults);
    const Scenario scenario = read_scenario(std::move(document), "drawn.json", catalogue);
    INFO(to_json(faults));
    REQUIRE(scenario.faults.size() == drawn.size());
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      CHECK(scenario.faults[i].name == drawn[i].kind);
      sim::Parameters parameters;
      drawn[i].fault->declare(parameters);
      CHECK(to_canonical_json(values_in_effect(scenario.faults[i].parameters)) ==
            to_canonical_json(values_in_effect(parameters)));
    }
  }
}

TEST_CASE("every fault that a protocol promises to survive is a kind of fault") {
  for (const auto& protocol : models::protocols()) {
    for (const auto& name : protocol.tolerates) {
      INFO(protocol.name << ": " << name);
      CHECK(std::any_of(models::faults().begin(), models::faults().end(),
                        [&](const auto& entry) { return entry.name == name; }));
    }
  }
}

}  // namespace drawn_faults_test

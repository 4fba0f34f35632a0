// The passes of every switch program that ships are generated as scenarios have it (p4model/generate). One that is not
// runs interpreted, four times slower, and nothing else would tell.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "models/switch/switch_chassis.hpp"
#include "sim/metrics/metrics.hpp"
#include "tools/experiment/assembly.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/scenario.hpp"

namespace generated_forms_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

/// Whether all pipes of the scenario's rack run generated passes.
bool runs_generated(const Scenario& scenario) {
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  auto& rack = assembly.rack();
  for (unsigned s = 0; s < rack.switches(); ++s) {
    for (unsigned pipe = 0; pipe < rack.chassis(s).pipes(); ++pipe) {
      if (!rack.chassis(s).pipeline(pipe).runs_generated()) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("the passes of the examples' and the fuzz templates' programs are generated") {
  std::size_t files = 0;
  for (const char* folder : {"", "flowcc", "starcache", "faults", "fuzz"}) {
    for (const auto& entry : std::filesystem::directory_iterator(scenarios_folder() / folder)) {
      if (entry.path().extension() != ".json") continue;
      const Scenario scenario = load_scenario(entry.path().string(), built_in_catalogue());
      const std::set<std::string> with_programs{"flowcc", "starcache", "netcache", "nocache"};
      if (!with_programs.contains(scenario.protocol.name)) continue;
      INFO(entry.path().string());
      CHECK(runs_generated(scenario));
      ++files;
    }
  }
  CHECK(files > 40);
}

TEST_CASE("an interpreted run has no generated passes") {
  const auto file = find_scenario_file("quickstart.json");
  CHECK(runs_generated(load_scenario(file, built_in_catalogue(), {"run.execution=fused"})));
  CHECK_FALSE(runs_generated(load_scenario(file, built_in_catalogue(), {"run.execution=interpreted"})));
}

}  // namespace generated_forms_test

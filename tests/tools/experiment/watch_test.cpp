// The run as a library: assemblies without SimGrid, several in a process, and the oracles that watch them.
#include "tools/experiment/watch.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/options/option_error.hpp"
#include "tests/tools/experiment/bare_run.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/json_document.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/scenario.hpp"

namespace watch_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

Scenario scenario_of(const char* file, const std::vector<std::string>& overrides = {}) {
  return load_scenario(find_scenario_file(file), built_in_catalogue(), overrides);
}
/// With this for its `check`.
Scenario scenario_of(const char* file, const std::vector<std::string>& overrides, const std::string& check) {
  JsonValue document = Composition(find_scenario_file(file)).document();
  document.set("check", parse_json(check, "check"));
  return read_scenario(std::move(document), file, built_in_catalogue(), overrides);
}

/// The oracles that watch a run of which `check` asks for this one alone, and nothing else; none, with the reason, if
/// it cannot judge such a run.
struct Asked {
  std::vector<std::string> names;
  std::size_t observers = 0;  ///< of the event log, besides those that a run without any oracle has
  std::string refusal;
};
Asked asked_alone(const char* file, const std::vector<std::string>& overrides, const std::string& oracle) {
  const Scenario scenario = scenario_of(file, overrides, R"({")" + oracle + R"(": true})");
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  Asked asked;
  try {
    Watch watch(assembly, watch_terms(scenario));
    watch.begin();
    asked.observers = assembly.event_log().observers() - 1;  // the watch's own
    for (const auto& one : watch.oracles()) asked.names.push_back(one->name());
  } catch (const sim::OptionError& error) {
    asked.refusal = error.option();
  }
  return asked;
}

}  // namespace

TEST_CASE("every oracle that is listed is attached, or says which option of check is not for such a protocol") {
  struct Ground {
    const char* file;
    std::vector<std::string> overrides;
  };
  const Ground grounds[] = {{"scenarios/quickstart.json", {}},
                            {"scenarios/starcache/zipf-0.99.json", {"workload.keys=1000"}},
                            {"scenarios/litmus/sb.json", {}},
                            {"scenarios/fuzz/selcc.json", {}},
                            {"scenarios/applications/transfer.json", {}},
                            {"scenarios/applications/key-value.json", {"workload.keys=1000"}},
                            {"scenarios/applications/ledger.json", {}}};
  for (const auto& entry : models::oracles()) {
    INFO(entry.name);
    int times = 0;
    for (const Ground& ground : grounds) {
      const Asked asked = asked_alone(ground.file, ground.overrides, entry.name);
      if (asked.refusal.empty()) {
        CHECK(asked.names == std::vector<std::string>{entry.name});
        CHECK(asked.observers >= 1);
        ++times;
      } else {
        CHECK(asked.refusal == "/check/" + entry.name);
      }
    }
    CHECK(times > 0);
  }
}

TEST_CASE("a listed oracle whose entry makes none, or one of another name, is a defect when a run asks for it") {
  const Scenario scenario = scenario_of("scenarios/quickstart.json");
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  models::OracleContext context(assembly.rack(), assembly.protocol(), assembly.protocol_options(), nullptr, {});
  models::OracleEntry entry{.name = "gone", .doc = "", .make = [](models::OracleContext&) { return nullptr; }};
  CHECK_THROWS_AS(models::attach_oracle(entry, context), std::logic_error);
  CHECK_THROWS_WITH(models::attach_oracle(entry, context),
                    Catch::Contains("\"gone\"") && Catch::Contains("makes none"));
  entry.make = [](models::OracleContext&) { return std::make_shared<sim::Oracle>("another", "operation"); };
  CHECK_THROWS_WITH(models::attach_oracle(entry, context),
                    Catch::Contains("\"gone\"") && Catch::Contains("\"another\""));
  CHECK(context.observers().empty());
  entry.name = "another";
  CHECK(models::attach_oracle(entry, context)->name() == "another");
  CHECK(context.observers().size() == 1);
}

TEST_CASE("a process runs several racks on their bare calendars, with the run hash that SimGrid's engine gives") {
  const Scenario scenario = scenario_of("scenarios/quickstart.json", {"run.measure.operations=500"});
  ChildProcesses child(1);
  [[maybe_unused]] const bool begun = child.start(0, [&] {
    sim::Metrics metrics;
    return run_experiment(scenario, metrics, "", {}).hash.hex();
  });
  std::optional<ChildResult> engine;
  while (!engine) engine = child.wait(std::chrono::seconds(1));
  for (int i = 0; i < 2; ++i) {
    sim::Metrics metrics;
    Assembly assembly(parts_of(scenario, nullptr), metrics);
    CHECK(testing::bare_run(assembly, scenario).hash.hex() == engine->text);
  }
}

TEST_CASE("the watch judges the values at rest only if the run has come to rest") {
  const Scenario scenario = scenario_of("scenarios/quickstart.json", {"run.measure.operations=500"});
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  auto terms = watch_terms(scenario);
  terms.oracles = {"values-at-rest"};
  Watch watch(assembly, terms);
  assembly.warm_up();
  watch.begin();
  assembly.workload().start();
  assembly.calendar().run_until(sim::Time::from_ps(20'000'000));  // in the midst of operations
  REQUIRE_FALSE(assembly.at_rest());
  CHECK(watch.finish(assembly.at_rest()).violation_count == 0);
  // What is under way is not where it should be, had it come to rest.
  Watch hasty(assembly, terms);
  CHECK(hasty.finish(true).violation_count > 0);
}

}  // namespace watch_test

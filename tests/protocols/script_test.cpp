// A run that is driven by hand: by a script, in steps, on the bare calendar.
#include "tests/protocols/script.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "models/service/key_value_service.hpp"
#include "tools/experiment/driver.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/phases.hpp"
#include "tools/scenario/scenario.hpp"

namespace script_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::sim::literals;

namespace {

/// A store of one server and two client nodes, under every oracle that it promises.
struct ByHand {
  static Scenario scenario_of(const models::ScriptOptions& script) {
    Scenario scenario = read_scenario(parse_json(R"({
      "version": 1, "rack": {"testbed": "starcache-8", "nodes": 3},
      "protocol": {"name": "nocache", "nocache": {"server_nodes": 1}}, "workload": {"kind": "key-value"},
      "run": {"measure": "500ms", "stall": "1s", "drain": "50ms"}, "check": {"all": true}})",
                                                 "test"),
                                      "test.json", built_in_catalogue());
    scenario.workload = bound<models::WorkloadOptions>("script", script);
    return scenario;
  }
  explicit ByHand(const models::ScriptOptions& options = {})
      : scenario(scenario_of(options)),
        assembly(parts_of(scenario, nullptr), metrics),
        watch(assembly, watch_terms(scenario)),
        phases(assembly, watch, scenario.run, nobody),
        driver(assembly, sim::Time{} + scenario.run.time_limit) {
    phases.warm_up();
    phases.begin(driver);
  }
  models::Script& script() { return dynamic_cast<models::Script&>(assembly.workload()); }
  models::KeyValueService& store() { return dynamic_cast<models::KeyValueService&>(assembly.protocol().service()); }
  void put(models::NodeId node, std::uint64_t key) {
    script().spawn(node, [](models::KeyValueService& store, models::NodeId from, std::uint64_t k) -> sim::Task<void> {
      co_await store.put({from, 0}, sim::Key{k});
    }(store(), node, key));
  }
  void advance(sim::Duration length) { assembly.calendar().run_until(assembly.calendar().now() + length); }

  Scenario scenario;
  sim::Metrics metrics;
  Assembly assembly;
  Watch watch;
  const Progress nobody;
  Phases phases;
  CalendarDriver driver;
};

}  // namespace

TEST_CASE("a run by a script lasts until its user ends it, idle or not, and then heals, drains and is judged") {
  ByHand run;
  run.put(0, 7);
  run.advance(100_us);
  CHECK(run.store().measured_operations() == 1);
  run.advance(30_ms);  // nothing is asked for
  CHECK(run.assembly.workload().running() > 0);
  run.put(1, 7);
  run.phases.heal();  // the last one is under way
  CHECK(run.store().pending_operations() == 1);
  const RunOutcome course = run.phases.finish();
  CHECK(course.violation_count == 0);
  CHECK(course.operations == 1);
  CHECK(course.measured == 30'100_us);
  CHECK(run.store().pending_operations() == 0);
  CHECK(run.assembly.at_rest());
  CHECK(course.simulated < sim::Time{} + 31_ms);  // it is at rest as soon as the last one has ended
}

TEST_CASE("a run whose user asks for nothing is at rest at once") {
  ByHand run;
  run.phases.heal();
  const RunOutcome course = run.phases.finish();
  CHECK(course.violation_count == 0);
  CHECK(course.simulated == sim::Time{});
}

TEST_CASE("a script's tasks die with their node, whose operations are given up, and others go on") {
  ByHand run;
  run.put(0, 7);
  run.put(1, 8);
  run.assembly.rack().crash(0);
  run.advance(1_ms);
  CHECK(run.assembly.event_log().count(sim::Observed::operation_given_up) == 1);
  CHECK(run.assembly.event_log().count(sim::Observed::operation_ended) == 1);
  CHECK(run.assembly.workload().running() == 1);  // the script itself: it may have more to do
}

TEST_CASE("a workload that owes operations, and waits for nothing, is found after as long as a stall takes") {
  models::ScriptOptions options;
  ByHand run(options);
  run.put(0, 7);
  const RunOutcome course = run.phases.finish();
  REQUIRE(course.violation_count == 0);  // measures for less than a stall takes

  Scenario scenario = ByHand::scenario_of(options);
  scenario.run.stall = 20_ms;
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  Watch watch(assembly, watch_terms(scenario));
  const Progress nobody;
  Phases phases(assembly, watch, scenario.run, nobody);
  CalendarDriver driver(assembly, sim::Time{} + scenario.run.time_limit);
  phases.warm_up();
  const RunOutcome idle = phases.run(driver);
  REQUIRE(idle.violation_count == 1);
  CHECK(idle.violations[0].oracle == "idle-workload");
  CHECK(idle.violations[0].at >= sim::Time{} + 20_ms);
  CHECK(idle.violations[0].at < sim::Time{} + 25_ms);
  CHECK_THAT(idle.violations[0].what, Catch::Contains("1 of the workload's sessions owe"));
}

TEST_CASE("the keys that a script names as the hottest are those that a cache begins with") {
  models::ScriptOptions options;
  options.hottest = {5, 6};
  Scenario scenario = ByHand::scenario_of(options);
  scenario.protocol = read_scenario(parse_json(R"({
      "version": 1, "rack": "starcache-8", "workload": {"kind": "key-value"},
      "protocol": {"name": "starcache", "starcache": {"server_nodes": 1}}})",
                                               "test"),
                                    "test.json", built_in_catalogue())
                          .protocol;
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  assembly.warm_up();
  assembly.calendar().run_until(sim::Time{} + 100_us);
  CHECK_FALSE(assembly.protocol().switch_state_of(5).empty());
  CHECK_FALSE(assembly.protocol().switch_state_of(6).empty());
  CHECK(assembly.protocol().switch_state_of(7).empty());
}

}  // namespace script_test

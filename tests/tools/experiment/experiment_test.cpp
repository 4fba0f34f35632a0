// The phases of a run: what ends it when nothing goes on any more.
#include "tools/experiment/experiment.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <sstream>

#include "sim/kernel/invariant.hpp"
#include "tools/experiment/run_failure.hpp"
#include "tools/json/input_error.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/suite/suite.hpp"

namespace experiment_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::sim::literals;

namespace {

/// Two nodes, between which no coherence packet gets through from 100 us on until the heal.
constexpr const char* kMute = R"({
  "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2},
  "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
  "workload": {"kind": "micro", "threads": 1, "sharing_ratio": 1, "working_set": "1MiB", "shared_bytes": "64KiB"},
  "run": {"measure": "20ms", "drain": "5ms", "stall": "2ms", "time_limit": "30ms"},
  "faults": [{"kind": "drop", "header": "flowcc", "count": 1000000000, "from": "100us"}],
  "check": {"all": true}})";

struct Ending {
  std::string violation;  // the first one's oracle
  sim::Duration at;
  std::uint64_t given_up = 0;  // operations that no answer came to in time
};

/// The only client of a store crashes for good.
constexpr const char* kDeserted = R"({
  "version": 1, "rack": {"testbed": "starcache-8", "nodes": 2},
  "protocol": {"name": "nocache", "nocache": {"server_nodes": 1}},
  "workload": {"kind": "key-value", "keys": 1000},
  "run": {"measure": {"operations": 100000}, "drain": "50ms", "stall": "2ms", "time_limit": "200ms"},
  "faults": [{"kind": "crash", "node": 0, "from": "100us", "stays_down": true}],
  "check": {"all": true}})";

/// The only server of a store goes off for good, and none of its clients does.
constexpr const char* kUnserved = R"({
  "version": 1, "rack": {"testbed": "starcache-8", "nodes": 2},
  "protocol": {"name": "nocache", "nocache": {"server_nodes": 1, "timeout": "5ms", "attempts": 5}},
  "workload": {"kind": "key-value", "keys": 1000, "threads": 2, "rate": 20000, "loop": "closed", "window": 3},
  "run": {"measure": "80ms", "drain": "50ms", "stall": "20ms", "time_limit": "200ms"},
  "faults": [{"kind": "crash", "node": 1, "from": "100us", "stays_down": true}],
  "check": {"all": true}})";

/// Cut at its end with packets everywhere.
constexpr const char* kBusyFlowCc = R"({
  "version": 1, "rack": {"testbed": "concordia-8", "nodes": 4},
  "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
  "workload": {"kind": "micro", "threads": 4, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
  "run": {"drain": "0s"}, "check": {"packet-conservation": true}})";
constexpr const char* kBusyStarCache = R"({
  "version": 1, "rack": {"testbed": "starcache-8", "nodes": 4},
  "protocol": {"name": "starcache", "starcache": {"server_nodes": 2, "cache_size": 16, "updates": true, "round": "50us"}},
  "workload": {"kind": "key-value", "keys": 1000, "zipf": 0.99, "rate": 4000000, "write_ratio": 0.3},
  "run": {"drain": "0s"}, "check": {"packet-conservation": true}})";

/// What a mode shows, from a process of its own.
std::string report_in(const ExecutionMode& mode, const std::vector<std::string>& overrides, const char* text) {
  ChildProcesses child(1);
  [[maybe_unused]] const bool begun = child.start(0, [&] {
    return run_in_mode(read_scenario(parse_json(text, "busy"), "busy.json", built_in_catalogue(), overrides), mode);
  });
  std::optional<ChildResult> ended;
  while (!ended) ended = child.wait(std::chrono::seconds(1));
  REQUIRE(ended->answered());
  return ended->text;
}

/// Runs in a process of its own.
Ending run(const std::vector<std::string>& overrides, const char* text = kMute) {
  ChildProcesses child(1);
  [[maybe_unused]] const bool begun = child.start(0, [&] {
    const Scenario scenario = read_scenario(parse_json(text, "mute"), "mute.json", built_in_catalogue(), overrides);
    sim::Metrics metrics;
    const RunResult result = run_experiment(scenario, metrics, "", {});
    const std::string first = result.violations.empty() ? "none" : result.violations.front().oracle;
    const sim::Metric* given_up = metrics.find("store.given_up");
    const std::uint64_t operations = given_up == nullptr ? 0 : std::get<sim::Counter>(given_up->value).value;
    return std::to_string((result.simulated - sim::Time{}).ps()) + " " + std::to_string(operations) + " " + first;
  });
  std::optional<ChildResult> ended;
  while (!ended) ended = child.wait(std::chrono::seconds(1));
  REQUIRE(ended->answered());
  std::istringstream text_of(ended->text);
  std::int64_t ps = 0;
  Ending ending;
  text_of >> ps >> ending.given_up >> ending.violation;
  ending.at = sim::Duration::from_ps(ps);
  return ending;
}

}  // namespace

TEST_CASE("a run in which no operation ends is stopped after the stall and its outstanding work still heals") {
  // Both threads wait soon after 100 us. When 2 ms have passed the measurement ends; faults on wires end with a notice
  // of 1 ms, and both threads finish with their next retransmission, at most 64 timeouts of 6 RTT later.
  const sim::Duration longest_wait = 1_ms + 900_us;
  const Ending stalled = run({});
  CHECK(stalled.violation == "stall");
  CHECK(stalled.at >= 2100_us);
  CHECK(stalled.at <= 2100_us + 100_us + longest_wait);
  // With more patience than the measured phase is long nobody notices, and the heal lets both finish.
  const Ending patient = run({"run.stall=25ms"});
  CHECK(patient.violation == "none");
  CHECK(patient.at >= 20_ms);
  CHECK(patient.at <= 20_ms + longest_wait);
}

TEST_CASE("a run whose last client has crashed for good ends after the stall without a violation") {
  const Ending deserted = run({}, kDeserted);
  CHECK(deserted.violation == "none");
  CHECK(deserted.at >= 2100_us);
  CHECK(deserted.at <= 3_ms);
}

TEST_CASE("clients whose only server is gone for good give up and ask on, in either loop, and the run is no stall") {
  // From 100 us on each place of the two windows of three is given up after five attempts of 5 ms, and used again:
  // soon after 25, 50, 75 and, in the drain, 100 ms. A client's core takes far less than 1 ms for an attempt.
  const Ending closed = run({}, kUnserved);
  CHECK(closed.violation == "none");
  CHECK(closed.given_up == 4 * 2 * 3);
  CHECK(closed.at >= 100_ms);
  CHECK(closed.at <= 101_ms);
  // In open loop 20 operations a millisecond arrive, and all but those of the first 100 us are given up.
  const Ending open = run({"workload.loop=open"}, kUnserved);
  CHECK(open.violation == "none");
  CHECK(open.given_up >= 80 * 20 - 5 * 40);  // five standard deviations of a Poisson process
  CHECK(open.given_up <= 80 * 20 + 5 * 40);
}

TEST_CASE("a run that is cut while packets are in the switch shows the same in every mode, at whatever instant") {
  // Without a drain: in nearly every run packets are inside passes when it is over.
  for (const char* text : {kBusyFlowCc, kBusyStarCache}) {
    for (int i = 0; i < 8; ++i) {
      const std::string measure = "run.measure=" + std::to_string(100'000 + 137 * i) + "ns";
      INFO(text << measure);
      const std::string fused = report_in({}, {measure}, text);
      CHECK_THAT(fused, Catch::Contains("\"run_hash\""));
      CHECK(fused == report_in({Execution::stepped}, {measure}, text));
      CHECK(fused == report_in({Execution::interpreted}, {measure}, text));
      CHECK(fused == report_in({Execution::fused, IdlePasses::run}, {measure}, text));
    }
  }
}

TEST_CASE("a run that cannot come to rest before its time limit fails by it") {
  const Ending limited = run({"run.stall=25ms", "run.time_limit=10ms"});
  CHECK(limited.violation == "time-limit");
  CHECK(limited.at == 10_ms);
}

TEST_CASE("what is thrown as the run goes on is a defect with its last event, unless the input is to blame") {
  const auto thrown = [](const std::function<void()>& fails) {
    ChildProcesses child(1);
    [[maybe_unused]] const bool begun = child.start(0, [&]() -> std::string {
      const Scenario scenario = read_scenario(parse_json(kMute, "mute"), "mute.json", built_in_catalogue());
      sim::Metrics metrics;
      try {
        run_experiment(scenario, metrics, "", [&](const RunProgress& now) {
          if (now.now > sim::Time{}) fails();
        });
      } catch (const InputError& error) {
        return fmt::format("input: {}", error.what());
      } catch (const InvariantFailure& failure) {
        return fmt::format("invariant at {}: {}", failure.at() > sim::Time{}, failure.what());
      } catch (const RunFailure& failure) {
        return fmt::format("defect: {}", failure.what());
      }
      return "nothing";
    });
    std::optional<ChildResult> ended;
    while (!ended) ended = child.wait(std::chrono::seconds(1));
    REQUIRE(ended->answered());
    return ended->text;
  };
  CHECK(thrown([] { throw InputError("mute.json", "/seed", "1", "2"); }) ==
        std::string("input: ") + InputError("mute.json", "/seed", "1", "2").what());
  const std::string defect = thrown([] { throw std::logic_error("no such node"); });
  CHECK(defect.rfind("defect: no such node\n  last event: number ", 0) == 0);
  const std::string broken = thrown([] { throw sim::BrokenInvariant("here.cpp", 7, "a < b", "a is below b"); });
  CHECK(broken.rfind("invariant at true: broken invariant at here.cpp:7: a is below b (a < b)\n  last event: ", 0) ==
        0);
}

}  // namespace experiment_test

// Noise taken apart: what it did to each packet, and the same run again with faults that name those packets.
#include "tools/fuzz/noise_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <set>

#include "tools/experiment/experiment.hpp"
#include "tools/fuzz/fuzz.hpp"
#include "tools/fuzz/shrink.hpp"
#include "tools/report/report.hpp"

namespace noise_log_test {

using namespace racksim;
using namespace racksim::tools;
using Fault = NoiseEffect::Fault;

namespace {

const Catalogue& built_in() {
  static const Catalogue catalogue = built_in_catalogue();
  return catalogue;
}

JsonValue noisy(const std::string& faults, bool scoreboard = true) {
  JsonValue scenario = parse_json(R"({
    "version": 1, "name": "noisy", "seed": 3, "rack": {"testbed": "concordia-8", "nodes": 4},
    "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB", "entries_per_way": 64}},
    "workload": {"kind": "micro", "threads": 2, "sharing_ratio": 0.7, "working_set": "1MiB", "shared_bytes": "48KiB",
                 "warm_passes": 0},
    "run": {"measure": {"operations": 400}, "drain": "5ms", "stall": "5ms", "time_limit": "100ms"},
    "check": {"all": true}})",
                                  "noisy");
  scenario.set("faults", parse_json(faults, "faults"));
  scenario.set_dotted("protocol.flowcc.scoreboard", scoreboard);
  return scenario;
}

/// In a process of its own: one run a process.
TrialResult tried(const JsonValue& document, TrialDetail detail) {
  const ScenarioRunner runner = scenario_runner(built_in(), detail);
  return try_once({}, [&] { return runner(document); });
}

std::vector<NoiseEffect> effects_in(const JsonValue& document) {
  return noise_from_text(tried(document, TrialDetail::noise).noise);
}

/// Each passage of each packet over a wire, to the picosecond, and what was lost where.
struct Passages final : models::PacketObserver {
  explicit Passages(models::Rack& the_rack) : rack(the_rack) { rack.context().add_packet_observer(*this); }
  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override {
    text += fmt::format("{} {} from {} to {}{}\n", rack.context().event_log.name(passage.wire), packet.serial,
                        passage.start.ps(), passage.arrival.ps(), passage.copy ? ", a copy" : "");
  }
  void dropped(const p4::Packet& packet, sim::Source where, sim::Time at, models::DropReason) override {
    text += fmt::format("{} {} lost at {}\n", rack.context().event_log.name(where), packet.serial, at.ps());
  }
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}
  models::Rack& rack;
  std::string text;
};

/// What became of every packet, and the metrics but for the reasons of drops: lost by chance is now lost by name.
std::string course_of(const JsonValue& document) {
  return try_once({},
                  [&] {
                    const Scenario scenario = read_scenario(document, "noisy", built_in());
                    std::unique_ptr<Passages> passages;
                    sim::Metrics metrics;
                    const RunResult run = run_experiment(scenario, metrics, "", {}, nullptr,
                                                         [&](models::Rack& rack, const models::Protocol&) {
                                                           passages = std::make_unique<Passages>(rack);
                                                         });
                    JsonValue values = *report_json(scenario, run, metrics).find("metrics");
                    for (const char* reason : {"loss", "burst_loss", "targeted"}) {
                      values.erase(std::string("packets.dropped.") + reason);
                    }
                    // What waits under a fault is not judged; a schedule's jitter is none, and the stalls named for it are.
                    for (const char* judged : {"most_overtakings", "longest_step"}) {
                      values.erase(std::string("waiting.") + judged);
                    }
                    TrialResult result;
                    result.what = passages->text + to_json(values);
                    return result;
                  })
      .what;
}

}  // namespace

TEST_CASE("a noisy run is repeated, packet by packet and to the last metric, by faults that name what noise hit") {
  const std::string everything = R"(
    {"kind": "noise", "loss": 0.02, "duplicate": 0.05, "reorder": 0.05, "reorder_delay": "20us", "until": "150us"},
    {"kind": "noise", "node": 1, "burst_enter": 0.05, "burst_leave": 0.3, "spike": 0.02, "spike_delay": "3us",
     "duplicate": 0.1, "reorder": 0.1, "jitter": "300ns", "from": "150us", "until": "400us"})";
  const std::string others = R"(
    {"kind": "slow-core", "node": 2, "from": "50us", "until": "100us"},
    {"kind": "down", "node": 3, "from": "100us", "until": "110us"},
    {"kind": "drop", "node": 0, "first": 20, "count": 10},
    {"kind": "hold", "first": 40, "count": 40, "delay": "7us"},
    {"kind": "hold", "node": 2, "first": 70, "count": 40, "delay": "3us", "in_order": true},
    {"kind": "duplicate", "first": 60, "count": 40, "delay": "1us"})";
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const bool with_others : {false, true}) {
      INFO("seed " << seed << (with_others ? ", with other faults" : ""));
      JsonValue original = noisy("[" + everything + (with_others ? "," + others : "") + "]");
      original.set("seed", seed);
      const std::vector<NoiseEffect> effects = effects_in(original);
      std::set<Fault> faults;
      for (const NoiseEffect& effect : effects) faults.insert(effect.fault);
      CHECK(faults == std::set<Fault>{Fault::drop, Fault::hold, Fault::stall, Fault::duplicate});
      CHECK(effects.size() < kMostNoiseEffects);
      const JsonValue named = with_noise_replaced(original, effects);
      CHECK_FALSE(is_noisy(named));
      CHECK(named.find("faults")->elements()->size() == effects.size() + (with_others ? 6 : 0));
      CHECK((course_of(named) == course_of(original)));  // too long to be shown
    }
  }
}

TEST_CASE("each part of noise is told apart, and each alone is enough to repeat its run") {
  const std::vector<std::pair<const char*, std::set<Fault>>> parts{
      {R"("loss": 0.02)", {Fault::drop}},
      {R"("burst_enter": 0.02, "burst_leave": 0.3, "burst_loss": 0.8)", {Fault::drop}},
      {R"("duplicate": 0.1)", {Fault::duplicate}},
      {R"("reorder": 0.1)", {Fault::hold}},
      {R"("duplicate": 0.1, "reorder": 0.1)", {Fault::duplicate, Fault::hold}},
      {R"("spike": 0.02, "spike_delay": "2us")", {Fault::stall}},
      {R"("jitter": "50ns", "until": "100us")", {Fault::stall}}};
  for (const auto& [options, expected] : parts) {
    INFO(options);
    const JsonValue original = noisy(std::string(R"([{"kind": "noise", )") + options + "}]");
    const std::vector<NoiseEffect> effects = effects_in(original);
    CHECK(effects.size() > 5);
    std::set<Fault> faults;
    for (const NoiseEffect& effect : effects) faults.insert(effect.fault);
    CHECK(faults == expected);
    CHECK((course_of(with_noise_replaced(original, effects)) == course_of(original)));
  }
}

TEST_CASE("the schedule's jitter, drawn for the same wires, is named with the noise") {
  JsonValue original = noisy(R"([{"kind": "noise", "node": 2, "loss": 0.05, "until": "50us"}])");
  original.set_dotted("run.measure", JsonValue::object()).set("operations", 40);
  original.set_dotted("run.schedule", JsonValue::object()).set("jitter", "20ns");
  const JsonValue named = with_noise_replaced(original, effects_in(original));
  CHECK_FALSE(named.find("run")->find("schedule"));
  CHECK((course_of(named) == course_of(original)));
  original.set_dotted("run.schedule.order", "lifo");
  const JsonValue ordered = with_noise_replaced(original, {});
  CHECK(*ordered.find("run")->find("schedule") == parse_json(R"({"order": "lifo"})", "schedule"));
}

TEST_CASE("of very much noise the first effects are kept") {
  JsonValue original = noisy(R"([{"kind": "noise", "jitter": "50ns"}])");
  const std::vector<NoiseEffect> effects = effects_in(original);
  CHECK(effects.size() == kMostNoiseEffects);
  original.set_dotted("run.measure", JsonValue::object()).set("operations", 1);
  const std::vector<NoiseEffect> fewer = effects_in(original);
  REQUIRE(fewer.size() < effects.size());
  CHECK(std::equal(fewer.begin(), fewer.begin() + 5, effects.begin()));
}

TEST_CASE("what noise did is written as the faults that do it, and survives the way out of a child process") {
  using namespace sim::literals;
  const std::vector<NoiseEffect> effects{{Fault::drop, 2, true, 17, {}},
                                         {Fault::hold, 0, false, 3, 1500_ns},
                                         {Fault::stall, 1, true, 4, 2_us},
                                         {Fault::duplicate, 3, false, 9, {}}};
  CHECK(noise_from_text(noise_text(effects)) == effects);
  CHECK(faults_of(effects) == parse_json(R"([
    {"kind": "drop", "node": 2, "direction": "to_switch", "first": 17},
    {"kind": "hold", "node": 0, "direction": "from_switch", "first": 3, "delay": "1500ns"},
    {"kind": "hold", "node": 1, "direction": "to_switch", "first": 4, "delay": "2us", "in_order": true},
    {"kind": "duplicate", "node": 3, "direction": "from_switch", "first": 9, "delay": "0ps"}])",
                                         "faults"));
  CHECK(effects_in(noisy("[]")).empty());
}

namespace {

/// Shrinks the scenario with the first seed that fails.
ShrinkResult shrunk(JsonValue original) {
  TrialResult failure;
  for (std::uint64_t seed = 1; !failure.failed() && seed <= 20; ++seed) {
    original.set("seed", seed);
    failure = tried(original, TrialDetail::none);
  }
  REQUIRE(failure.failed());
  CHECK(effects_in(original).size() > 15);
  ShrinkPlan plan;
  plan.limits.jobs = 2;
  plan.noise_runner = scenario_runner(built_in(), TrialDetail::noise);
  const ShrinkResult result =
      shrink(original, failure, built_in(), scenario_runner(built_in(), TrialDetail::none), plan);
  CHECK(result.minimal);
  // The scenario as written fails with the oracle of the first, and none of its faults is in vain.
  CHECK(tried(result.document, TrialDetail::none).shows(failure.kind));
  for (std::size_t i = 0; i < result.document.find("faults")->elements()->size(); ++i) {
    JsonValue without = result.document;
    without.find("faults")->erase(i);
    CHECK_FALSE(tried(without, TrialDetail::none).shows(failure.kind));
  }
  return result;
}

std::string kind_of_only_fault(const ShrinkResult& result) {
  const auto& faults = *result.document.find("faults")->elements();
  INFO(to_json(result.document));
  REQUIRE(faults.size() == 1);
  return *faults[0].find("kind")->string();
}

}  // namespace

TEST_CASE("noise in which one packet's loss or delay matters shrinks to that packet, and fails as before") {
  // FlowCC without its SCOREBOARD locks itself out when a request is sent again.
  for (const auto& [noise, kind] :
       {std::pair{R"([{"kind": "noise", "loss": 0.05}])", "drop"},
        std::pair{R"([{"kind": "noise", "spike": 0.05, "spike_delay": "20us"}])", "hold"}}) {
    INFO(noise);
    JsonValue original = noisy(noise, false);
    original.set_dotted("run.measure", JsonValue::object()).set("operations", 60);
    original.set_dotted("run.expect_timeouts", true);
    for (const char* limit : {"run.drain", "run.stall"}) original.set_dotted(limit, "500us");  // most runs come to it
    CHECK(kind_of_only_fault(shrunk(original)) == kind);
  }
}

TEST_CASE("noise in which one late copy matters shrinks to that copy, and fails as before") {
  // A store that does a write twice: the copy of an old write comes after a newer one.
  const ShrinkResult result = shrunk(parse_json(R"({
    "version": 1, "name": "twice", "rack": {"testbed": "starcache-8", "nodes": 4},
    "protocol": {"name": "nocache", "nocache": {"server_nodes": 2, "partitions": 4, "exactly_once": false,
                                                "costs": {"service": "1us"}}},
    "workload": {"kind": "key-value", "threads": 4, "keys": 10, "zipf": 0, "rate": 4000000, "write_ratio": 1},
    "run": {"measure": {"operations": 400}, "drain": "60ms"},
    "faults": [{"kind": "noise", "duplicate": 0.2, "reorder": 0.4, "reorder_delay": "80us"}],
    "check": {"all": true}})",
                                                "twice"));
  CHECK(kind_of_only_fault(result) == "duplicate");
  const auto* delay = (*result.document.find("faults")->elements())[0].find("delay");
  CHECK((delay && *delay->string() != "0ps"));  // right behind the packet it would do no harm
}

}  // namespace noise_log_test

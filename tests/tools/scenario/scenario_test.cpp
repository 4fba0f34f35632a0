// Scenarios are read, refused and written back.
#include "tools/scenario/scenario.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/scenario/fake_catalogue.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace scenario_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

constexpr std::string_view kFull = R"({
  "$schema": "../schema/scenario.json",
  "version": 1, "name": "full", "seed": 18446744073709551615,
  "rack": {"testbed": "fake-4", "nodes": 8},
  "protocol": {"name": "beta", "alpha": {"scoreboard": false}, "beta": {"cache": {"bytes": "8MiB"}}},
  "workload": {"kind": "micro", "read_ratio": 0.25, "label": "x"},
  "run": {"warmup": "1ms", "measure": {"operations": 5000}, "drain": "2ms", "time_limit": "3s",
          "execution": "stepped", "schedule": {"order": "shuffle:7", "jitter": "5ns"}},
  "faults": [{"kind": "loss"}, {"kind": "loss", "probability": 0.5}],
  "check": {"conservation": false, "all": true},
  "observe": {"trace": "t.jsonl", "series_interval": "10us"},
  "expect": {"verdict": "pass", "latency_ns.p99": {"max": 5000}, "operations": {"min": 1, "equals": 5000}}
})";

/// A folder with the fake testbed, from which scenarios are read.
struct Bench {
  TemporaryFolder folder;
  Catalogue catalogue = fake_catalogue();
  std::string file = folder.write("scenario.json", kSmallest);

  Bench() { folder.write("testbeds/fake-4.json", kFakeTestbed); }

  Scenario read(std::string_view text, const std::vector<std::string>& overrides = {}) const {
    return read_scenario(parse_json(text, file), file, catalogue, overrides);
  }
  /// The error without the file's name.
  std::string refuse(std::string_view text, const std::vector<std::string>& overrides = {}) const {
    const auto line = refusal([&] { read(text, overrides); });
    return line.starts_with(file) ? line.substr(file.size()) : line;
  }
  /// As `refuse`, for the smallest scenario with one member more, or with one member replaced.
  std::string refuse_with(const std::string& key, const std::string& json) const {
    auto document = parse_json(kSmallest, file);
    document.set(key, parse_json(json, "value"));
    return refuse(to_json(document));
  }
};

template <class Fake, class Options>
const Fake& options_of(const BoundOptions<Options>& bound) {
  return static_cast<const Fake&>(*bound.options);
}

}  // namespace

TEST_CASE("the smallest scenario takes defaults, and the testbed's constants") {
  const Bench bench;
  const auto scenario = load_scenario(bench.file, bench.catalogue);
  CHECK(scenario.name == "scenario");
  CHECK(scenario.seed == 1);
  CHECK(scenario.testbed == "fake-4");
  CHECK(options_of<FakeRack>(scenario.rack).nodes == 4);
  CHECK(options_of<FakeRack>(scenario.rack).link_delay == 300_ns);
  REQUIRE(scenario.annotations.size() == 1);
  CHECK(scenario.annotations[0].calibrated == "fig9");
  CHECK(scenario.protocol.name == "alpha");
  CHECK(scenario.workload.name == "micro");
  CHECK(scenario.faults.empty());
  REQUIRE(scenario.checks.size() == 2);
  CHECK_FALSE(scenario.checks[0].on);
}

TEST_CASE("names are words, which folders can be called after") {
  const Bench bench;
  for (const char* name : {"\"a\"", "\"suite/case-1\"", "\"v1.2_b\""})
    CHECK(bench.refuse_with("name", name) == "accepted");
  CHECK(
      bench.refuse_with("name", "\"../evil\"") ==
      ": /name: found the string \"../evil\", expected a name of letters, digits, \"-\", \"_\" and \".\", a letter or "
      "digit first, or several with \"/\" between them");
  for (const char* name : {"\"\"", "\"/tmp/x\"", "\"a/../../b\"", "\"two words\"", "\"a\\nverdict  pass\""}) {
    CAPTURE(name);
    CHECK_THAT(bench.refuse_with("name", name), Catch::StartsWith(": /name: found the string "));
  }
  CHECK_THAT(bench.refuse(kSmallest, {"name=../evil"}), Catch::StartsWith("--set name=../evil: /name: found "));
  bench.folder.write("testbeds/odd.json", R"({"version": 1, "name": "../odd", "nodes": 4})");
  CHECK_THAT(bench.refuse(kSmallest, {"rack.testbed=odd"}), Catch::Contains("testbeds/odd.json: /name: found "));
}

TEST_CASE("a scenario without a name is called after its file, in a word") {
  const Bench bench;
  const auto name_in = [&](const char* file) {
    return load_scenario(bench.folder.write(file, kSmallest), bench.catalogue).name;
  };
  CHECK(name_in("plain-1.json") == "plain-1");
  CHECK(name_in("it's a scenario.json") == "it-s-a-scenario");
  CHECK(name_in("-x.json") == "x");
}

TEST_CASE("whole numbers may be written as reals") {
  const Bench bench;
  CHECK(bench.read(kSmallest, {"seed=1e3"}).seed == 1000);
  CHECK(bench.read(kSmallest, {"version=1.0", "run.measure={\"operations\":500.0}"}).run.measure.operations == 500U);
  CHECK_THAT(bench.refuse(kSmallest, {"seed=1.5"}), Catch::Contains("found the number 1.5, expected a whole number"));
}

TEST_CASE("all asks for the oracles that no other implies, and for the others only their names do") {
  Bench bench;
  bench.catalogue.oracles.push_back(
      {.name = "sequential", .doc = "In order.", .attach = racksim::models::OracleEntry::AttachWhen::by_name});
  const auto all = bench.read(kSmallest, {"check.all=true", "check.history=500"});
  REQUIRE(all.checks.size() == 3);
  CHECK(all.checks[1].on);
  CHECK_FALSE(all.checks[2].on);
  CHECK(all.history.budget == 500);
  const auto named = bench.read(kSmallest, {"check.sequential=true"});
  CHECK_FALSE(named.checks[1].on);
  CHECK(named.checks[2].on);
  CHECK(named.history.budget == HistoryOptions().budget);
}

TEST_CASE("a full scenario is read") {
  const Bench bench;
  const auto scenario = bench.read(kFull);
  CHECK(scenario.name == "full");
  CHECK(scenario.seed == 18446744073709551615ULL);
  CHECK(options_of<FakeRack>(scenario.rack).nodes == 8);
  CHECK(options_of<FakeRack>(scenario.rack).link_delay == 300_ns);
  CHECK(scenario.protocol.name == "beta");
  CHECK(options_of<FakeOptions>(scenario.protocol).cache_bytes == 8U << 20U);
  CHECK(options_of<FakeOptions>(scenario.protocol).scoreboard);
  CHECK(options_of<FakeWorkload>(scenario.workload).read_ratio == 0.25);
  CHECK(scenario.run.warmup == Extent{1_ms, std::nullopt});
  CHECK(scenario.run.measure.operations == 5000);
  CHECK(scenario.run.drain == 2_ms);
  CHECK(scenario.run.time_limit == 3_s);
  CHECK(scenario.run.execution == Execution::stepped);
  CHECK(scenario.run.order.ties == racksim::sim::TieOrder::shuffle);
  CHECK(scenario.run.order.seed == 7);
  CHECK(scenario.run.jitter == 5_ns);
  REQUIRE(scenario.faults.size() == 2);
  CHECK(options_of<FakeFault>(scenario.faults[0]).probability == 0.01);
  CHECK(options_of<FakeFault>(scenario.faults[1]).probability == 0.5);
  CHECK(scenario.checks[0].on);
  CHECK_FALSE(scenario.checks[1].on);
  CHECK(scenario.observe.trace == "t.jsonl");
  CHECK(scenario.observe.series_interval == 10_us);
  CHECK(scenario.expect.pass == true);
  REQUIRE(scenario.expect.metrics.size() == 2);
  CHECK(scenario.expect.metrics[0].metric == "latency_ns.p99");
  CHECK(scenario.expect.metrics[0].max == 5000.0);
  CHECK(scenario.expect.metrics[1].equals == 5000.0);
}

TEST_CASE("what must be given is asked for") {
  const Bench bench;
  CHECK(bench.refuse("{}") == ": /: found no \"version\", expected \"version\": 1, the format of the file");
  CHECK_THAT(bench.refuse("[]"), Catch::Contains("expected an object"));
  for (const char* key : {"rack", "protocol", "workload"}) {
    auto document = JsonValue::object();
    const auto smallest = parse_json(kSmallest, "f");
    for (const auto& member : *smallest.members()) {
      if (member.key != key) document.append(member);
    }
    CHECK_THAT(bench.refuse(to_json(document)), Catch::StartsWith(std::string(": /: found no \"") + key + "\""));
  }
  CHECK_THAT(bench.refuse_with("protocol", "{}"), Catch::StartsWith(": /protocol: found no \"name\""));
  CHECK_THAT(bench.refuse_with("workload", "{}"), Catch::StartsWith(": /workload: found no \"kind\""));
  CHECK_THAT(bench.refuse_with("rack", "{}"), Catch::StartsWith(": /rack: found no \"testbed\""));
}

TEST_CASE("mistakes are refused where they stand, with the nearest valid name") {
  const Bench bench;
  CHECK_THAT(bench.refuse_with("version", "2"), Catch::StartsWith(": /version: found the number 2, expected 1"));
  CHECK_THAT(bench.refuse_with("worklaod", "{}"), Catch::Contains("did you mean \"workload\"?"));
  CHECK_THAT(bench.refuse_with("seed", "-1"), Catch::StartsWith(": /seed: found the number -1"));
  CHECK_THAT(bench.refuse_with("rack", "5"), Catch::StartsWith(": /rack: found the number 5"));
  CHECK(bench.refuse_with("protocol", R"({"name": "alhpa"})") ==
        ": /protocol/name: found the string \"alhpa\", expected \"alpha\" or \"beta\" (did you mean \"alpha\"?)");
  CHECK_THAT(bench.refuse_with("protocol", R"({"name": "alpha", "alpha": {"scoreborad": true}})"),
             Catch::StartsWith(": /protocol/alpha/scoreborad: "));
  CHECK_THAT(bench.refuse_with("protocol", R"({"name": "alpha", "betta": {}})"),
             Catch::Contains("did you mean \"beta\"?"));
  CHECK_THAT(bench.refuse_with("workload", R"({"kind": "mirco"})"), Catch::Contains("did you mean \"micro\"?"));
  CHECK_THAT(bench.refuse_with("workload", R"({"kind": "micro", "read_ratio": 1.5})"),
             Catch::StartsWith(": /workload/read_ratio: found the number 1.5, expected a number from 0 to 1"));
  CHECK_THAT(bench.refuse_with("faults", "{}"), Catch::StartsWith(": /faults: found an object, expected an array"));
  CHECK_THAT(bench.refuse_with("faults", R"([{"kind": "loss"}, {"kind": "los"}])"),
             Catch::StartsWith(": /faults/1/kind: ") && Catch::Contains("did you mean \"loss\"?"));
  CHECK_THAT(bench.refuse_with("check", R"({"single-writter": true})"),
             Catch::Contains("did you mean \"single-writer\"?"));
  CHECK_THAT(bench.refuse_with("check", R"({"conservation": 1})"), Catch::StartsWith(": /check/conservation: "));
  CHECK_THAT(bench.refuse_with("run", R"({"measure": 5})"), Catch::StartsWith(": /run/measure: found the number 5"));
  CHECK_THAT(bench.refuse_with("run", R"({"measure": "5"})"), Catch::Contains("{\"operations\": N}"));
  CHECK_THAT(bench.refuse_with("run", R"({"measure": {}})"),
             Catch::StartsWith(": /run/measure: found an empty object"));
  CHECK_THAT(bench.refuse_with("run", R"({"measure": {"operations": -1}})"),
             Catch::StartsWith(": /run/measure/operations"));
  CHECK_THAT(bench.refuse_with("run", R"({"time_limit": "1001s"})"), Catch::Contains("expected 1ns to 1000s"));
  CHECK_THAT(bench.refuse_with("run", R"({"schedule": {"order": "shuffle:x"}})"),
             Catch::StartsWith(": /run/schedule/order"));
  CHECK_THAT(bench.refuse_with("run", R"({"schedule": {"order": "fif"}})"), Catch::Contains("did you mean \"fifo\"?"));
  CHECK_THAT(bench.refuse_with("expect", R"({"verdict": "ok"})"), Catch::StartsWith(": /expect/verdict"));
  CHECK_THAT(bench.refuse_with("expect", R"({"ops": {"minimum": 1}})"), Catch::StartsWith(": /expect/ops/minimum"));
  CHECK_THAT(bench.refuse_with("expect", R"({"ops": {"min": "1"}})"), Catch::StartsWith(": /expect/ops/min"));
  CHECK_THAT(bench.refuse_with("expect", R"({"ops": {"min": 2, "max": 1}})"), Catch::Contains("\"min\" above \"max\""));
  CHECK_THAT(bench.refuse_with("expect", R"({"ops": {}})"), Catch::StartsWith(": /expect/ops: found an empty object"));
  CHECK_THAT(bench.refuse_with("observe", R"({"trace": 1})"), Catch::StartsWith(": /observe/trace"));
}

TEST_CASE("options of protocols that are not selected are validated all the same") {
  const Bench bench;
  CHECK_THAT(bench.refuse_with("protocol", R"({"name": "alpha", "beta": {"scoreboard": 3}})"),
             Catch::StartsWith(": /protocol/beta/scoreboard: found the number 3"));
}

TEST_CASE("testbeds are looked up beside the scenario, and errors in them name their file") {
  const Bench bench;
  CHECK_THAT(bench.refuse_with("rack", "\"fake-5\""),
             Catch::StartsWith(": /rack/testbed: found \"fake-5\", expected a testbed"));
  const auto broken = bench.folder.write("broken.json", R"({"version": 1, "nodes": {"value": 17, "source": "x"}})");
  CHECK(bench.refuse_with("rack", "\"broken\"") ==
        broken + ": /nodes/value: found the number 17, expected a whole number from 1 to 16");
  bench.folder.write("mine/other.json", R"({"version": 1, "nodes": 3})");
  auto document = parse_json(kSmallest, "f");
  document.set("rack", "mine/other.json");
  CHECK(options_of<FakeRack>(bench.read(to_json(document)).rack).nodes == 3);
}

TEST_CASE("overrides are bound like the file, and blamed for their own mistakes") {
  const Bench bench;
  CHECK(bench.read(kFull, {"protocol.name=alpha"}).protocol.name == "alpha");
  CHECK(bench.read(kSmallest, {"run.measure=3ms"}).run.measure.time == 3_ms);
  CHECK(options_of<FakeRack>(bench.read(kSmallest, {"rack.link.delay=1us"}).rack).link_delay == 1_us);
  CHECK(bench.read(kSmallest, {"seed=5", "seed=6"}).seed == 6);
  CHECK(bench.read(kSmallest, {"rack=fake-4", "rack.nodes=2"}).testbed == "fake-4");
  CHECK_THAT(bench.refuse(kSmallest, {"protocl.name=alpha"}),
             Catch::StartsWith("--set protocl.name=alpha: /protocl: found the unknown key") &&
                 Catch::Contains("did you mean \"protocol\"?"));
  CHECK_THAT(bench.refuse(kSmallest, {"workload.read_ratio=2"}),
             Catch::StartsWith("--set workload.read_ratio=2: /workload/read_ratio: found the number 2"));
  CHECK_THAT(bench.refuse(R"({"version": 3})", {"seed=1"}), Catch::StartsWith(": /version"));
}

TEST_CASE("the expanded configuration is a scenario that reads back as the same run") {
  const Bench bench;
  for (const auto text : {kSmallest, kFull}) {
    const auto scenario = bench.read(text);
    const auto expanded = to_json(configuration(scenario));
    const auto again = bench.read(expanded);
    CHECK(to_json(configuration(again)) == expanded);
    CHECK(behavioural_configuration(again) == behavioural_configuration(scenario));
  }
  const auto expanded = configuration(bench.read(kSmallest));
  CHECK(*expanded.find("protocol")->find("alpha")->find("cache")->find("bytes")->string() == "1MiB");
  CHECK(*expanded.find("rack")->find("link")->find("rate")->string() == "100Gbps");
}

TEST_CASE("the behavioural configuration holds what can change results, and nothing else") {
  const Bench bench;
  const auto base = behavioural_configuration(bench.read(kFull));
  for (const char* harmless :
       {"name=other", "run.execution=fused", "run.idle_passes=run", "run.check_invariants=true", "check.all=false",
        "observe.trace=u.jsonl", "expect.verdict=fail", "protocol.alpha.scoreboard=true"}) {
    CAPTURE(harmless);
    CHECK(behavioural_configuration(bench.read(kFull, {harmless})) == base);
  }
  for (const char* changing :
       {"seed=2", "rack.nodes=7", "protocol.name=alpha", "protocol.beta.cache.bytes=1MiB", "workload.read_ratio=0.26",
        "run.warmup=2ms", "run.measure=2ms", "run.drain=3ms", "run.time_limit=4s", "run.schedule.order=shuffle:8",
        "run.schedule.jitter=6ns", "faults.0.probability=0.02", "faults=[]"}) {
    CAPTURE(changing);
    CHECK(behavioural_configuration(bench.read(kFull, {changing})) != base);
  }
}

}  // namespace scenario_test

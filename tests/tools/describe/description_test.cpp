// What `racksim describe` says of a name is what the program declares.
#include "tools/describe/description.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/tools/run_racksim.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/scenario.hpp"

namespace description_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

const Catalogue& catalogue() {
  static const Catalogue built_in = built_in_catalogue();
  return built_in;
}

std::vector<Description> of(const std::string& name) {
  return describe(name, catalogue(), "racksim describe");
}

/// What stands behind a heading; empty if there is none.
std::string fact(const Description& description, const std::string& heading) {
  for (const auto& [name, text] : description.facts) {
    if (name == heading) return text;
  }
  return "";
}

}  // namespace

TEST_CASE("an option is described as it is declared, with range, default and unit") {
  const auto found = of("run.stall");
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "run.stall");
  CHECK(found[0].kind == "option of run");
  RunPlan plan;
  sim::Parameters parameters;
  plan.declare(parameters);
  for (const auto& parameter : parameters.all()) {
    if (parameter.name == "stall") CHECK(fact(found[0], "meaning") == parameter.doc);
  }
  CHECK(fact(found[0], "values") == "length of time, 1us .. 1000s");
  CHECK(fact(found[0], "default") == "20ms");
  CHECK(*found[0].json.find("default")->string() == "20ms");
  CHECK(*found[0].json.find("least")->string() == "1us");
}

TEST_CASE("a default of a protocol tells where it comes from") {
  unsigned told = 0;
  for (const auto& entry : catalogue().protocols) {
    sim::Parameters parameters;
    const auto options = entry.make(parameters);
    for (const auto& parameter : parameters.all()) {
      if (!parameter.basis || told > 2) continue;
      const auto found = of("protocol." + entry.name + "." + parameter.name);
      REQUIRE(found.size() == 1);
      CHECK_THAT(fact(found[0], "source"), Catch::EndsWith(": " + std::string(parameter.basis->text)));
      CHECK(fact(found[0], "meaning") == parameter.doc);
      CHECK(*found[0].json.find("source")->string() == parameter.basis->text);
      ++told;
    }
  }
  CHECK(told > 0);
}

TEST_CASE("a constant of the rack has its value and source in each testbed") {
  const auto found = of("rack.link.rate");
  REQUIRE(found.size() == 1);
  const auto* testbeds = found[0].json.find("testbeds");
  REQUIRE(testbeds != nullptr);
  unsigned calibrated = 0, sources = 0;
  for (const auto& one : *testbeds->elements()) {
    const Testbed testbed = load_testbed(
        places::source_folder() + "/scenarios/testbeds/" + *one.find("testbed")->string() + ".json", catalogue());
    CHECK(*one.find("value")->string() ==
          *value_in_effect(*std::find_if(testbed.rack.parameters.all().begin(), testbed.rack.parameters.all().end(),
                                         [](const auto& p) { return p.name == "link.rate"; }))
               .string());
    sources += one.find("source") != nullptr && !one.find("source")->string()->empty();
  }
  CHECK(sources > 0);
  const auto described = of("rack.nic.transmit_latency");
  for (const auto& [heading, text] : described[0].facts) {
    calibrated += text.find("; calibrated to ") != std::string::npos;
  }
  CHECK(calibrated > 0);
}

TEST_CASE("faults, oracles, workloads and keys of another form are described too, a fault's option at any place") {
  CHECK(of("noise")[0].kind == "fault");
  CHECK(of("linearizable")[0].kind == "oracle");
  CHECK(fact(of("linearizable")[0], "asked for") == "by check.all, where protocol or workload promise it");
  CHECK(of("micro")[0].kind == "workload");
  CHECK(of("flowcc")[0].kind == "protocol");
  CHECK(of("run.measure")[0].kind == "key");
  CHECK(of("observe.series.metrics")[0].kind == "key");
  for (const char* place : {"faults.0.loss", "faults.17.loss", "faults.N.loss"}) {
    CHECK(of(place)[0].name == "faults.N.loss");
  }
  // Several workloads have an option of this name, each with its own default.
  const auto threads = of("workload.threads");
  CHECK(threads.size() > 1);
}

TEST_CASE("a metric is described by the names that expectations take, with its unit") {
  const auto p99 = of("latency_ns.p99");
  REQUIRE(p99.size() == 1);
  CHECK(p99[0].kind == "metric");
  CHECK(fact(p99[0], "unit") == "ns");
  CHECK(fact(p99[0], "number") == "the one that 99 % do not exceed, of latency");
  CHECK(fact(of("throughput_mops")[0], "unit") == "Mops");
  CHECK(fact(of("packets.created")[0], "unit") == "packets");
  CHECK(fact(of("packets.created.mega_per_second")[0], "unit") == "million packets/s");
  CHECK(fact(of("starcache.largest_cache")[0], "protocols") == "starcache");
}

TEST_CASE("what only ends so is found, and what is unknown is refused with the nearest name") {
  const auto stall = of("stall");
  REQUIRE(!stall.empty());
  for (const auto& one : stall) CHECK_THAT(one.name, Catch::EndsWith(".stall"));
  const TemporaryFolder folder;
  const Outcome unknown = run_racksim(folder, "describe run.stal");
  CHECK(unknown.status == 2);
  CHECK(unknown.out.empty());
  CHECK(unknown.err ==
        "racksim describe: NAME: found \"run.stal\", expected a path of --set, a metric, or the name of a fault or an "
        "oracle (did you mean \"run.stall\"?)\n");
}

TEST_CASE("the command prints the same as text and as JSON") {
  const TemporaryFolder folder;
  const auto found = of("noise");
  CHECK(run_racksim(folder, "describe noise").out == descriptions_text(found));
  CHECK(run_racksim(folder, "describe noise --json").out == to_json(descriptions_json(found)));
  CHECK_THAT(descriptions_text(found), Catch::StartsWith("noise\n  kind     fault\n  meaning  "));
}

TEST_CASE("metrics are listed of one protocol") {
  const TemporaryFolder folder;
  const Outcome listed = run_racksim(folder, "list metrics starcache");
  CHECK(listed.status == 0);
  CHECK_THAT(listed.out, Catch::Contains("\nstarcache.largest_cache ") && !Catch::Contains("\nflowcc."));
}

}  // namespace description_test

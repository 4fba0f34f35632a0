// `racksim validate` refuses what `racksim run` would refuse before it begins, with the same words, and nothing else.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"

namespace validate_command_test {

using namespace racksim::tools::testing;

namespace {

std::string scenario(const std::string& name) {
  return racksim::places::source_folder() + "/scenarios/" + name;
}

struct Refused {
  std::string settings, place;
};

}  // namespace

TEST_CASE("what is known before a run is refused before it, by validate as by run") {
  const TemporaryFolder folder;
  const std::string window = "--set run.warmup=100us --set run.measure=1ms --set observe.series_interval=";
  const std::string expect = " --set 'expect={\"operations_over_time.low_share\": {\"max\": 1}}'";
  const Refused all[] = {
      {"--set rack.roles.compute=99", "/rack/roles"},
      {"--set 'expect={\"no.such.metric\": {\"max\": 1}}'", "/expect/no.such.metric"},
      {"--set observe.trace_from=2ms --set observe.trace_until=1ms", "/observe/trace_from"},
      {"--set run.measure=0s", "/run/measure"},
      {"--set run.warmup=5ms --set run.time_limit=5ms", "/run/time_limit"},
      {window + "1ps", "/observe/series_interval"},
      {"--set run.warmup=100us --set run.measure=1ms --set observe.series.file=s.csv --set observe.series.interval=1ps",
       "/observe/series/interval"},
      {"--set observe.series.file=s.csv --set observe.series.interval=0s", "/observe/series/interval"},
      {"--set observe.series.file=s.csv --set observe.series.metrics=throughput_mop",
       "(did you mean \"throughput_mops\"?)"},
      {"--set observe.series.file=s.csv --set observe.series.metrics=operations,latency_ns.p98",
       "/observe/series/metrics/1"},
      {"--set observe.series.file=s.csv --set observe.series.metrics=operations.fairness",
       "which is of the whole window"},
      {"--set observe.series.metrics=[]", "/observe/series/metrics"},
      {"--set observe.series.metrics=7", "/observe/series/metrics"},
      {"--set observe.series.files=s.csv", "(did you mean \"file\"?)"},
      {"--set observe.operation=o.csv", "(did you mean \"operations\"?)"},
      {"--set observe.operations=.", "/observe/operations"},
      {"--set observe.operations=err/o.csv", "/observe/operations"},
      {"--set observe.operations=" + scenario("quickstart.json"), "which is read"},
      {"--set observe.operations=o.csv --set observe.trace=./o.csv", "\"trace\""},
      {window + "600us" + expect, "/expect/operations_over_time.low_share"},
      {"--set protocol.flowcc.cache=1GiB --set rack.switch.pipe.stages=2", "/protocol/flowcc"},
      {"--set workload.access_bytes=1GiB", "/workload/access_bytes"},
  };
  for (const Refused& one : all) {
    INFO(one.settings);
    const Outcome validated = run_racksim(folder, "validate " + scenario("quickstart.json") + " " + one.settings);
    const Outcome run = run_racksim(folder, "run " + scenario("quickstart.json") + " " + one.settings);
    CHECK(validated.status == 2);
    CHECK(run.status == 2);
    CHECK(validated.err == run.err);
    CHECK_THAT(validated.err, Catch::Contains(one.place));
    CHECK(run.out.empty());
  }
}

TEST_CASE("racks with more nodes or ports than something has room for are refused with both numbers, as by run") {
  struct Large {
    std::string file, settings, found;
  };
  const std::string three_hundred =
      "--set rack.nodes=300 --set rack.switch.ports=300 --set rack.switch.ports_per_pipe=64 ";
  const Large all[] = {
      {"nocache/thousand-hosts.json", "--set rack.nodes=1025", "/rack/nodes: found the number 1025"},
      {"nocache/thousand-hosts.json", "--set rack.switch.ports=512",
       "found 1024 servers, expected at most the 512 ports"},
      {"nocache/thousand-hosts.json", "--set rack.switch.port_bits=9",
       "at most 511 ports, by 9 bits; the switch has 1041"},
      {"nocache/thousand-hosts.json", "--set rack.switch.port_bits=10",
       "at most 1023 ports, by 10 bits; the switch has 1041"},
      {"nocache/thousand-hosts.json", "--set rack.nodes=511 --set rack.switch.ports=511 --set rack.switch.port_bits=9",
       "at most 511 ports, by 9 bits; the switch has 520"},
      {"nocache/thousand-hosts.json", "--set protocol.nocache.server_nodes=1024", "found the number 1024"},
      {"starcache/zipf-0.99.json", "--set rack.switch.ports=600 --set rack.switch.port_bits=11",
       "program 'starcache' names at most 511 ports, by 9 bits; the switch has 639"},
      {"starcache/zipf-0.99.json", "--set rack.nodes=64", "by another pipe of the switch"},
      {"quickstart.json", "--set rack.nodes=17", "17 nodes"},
      {"quickstart.json", three_hundred, "300 nodes"},
      {"cckvs/zipf-0.99-lin-1pct-quick.json", three_hundred, "/rack/nodes: found 300 nodes, expected 2 to 255"},
      {"cckvs/base.json", three_hundred, "/rack/nodes: found 300 nodes, expected 2 to 255"},
      {"selcc/zipf-read-intensive-quick.json",
       three_hundred + "--set rack.roles.compute=59 --set rack.roles.memory=241",
       "found 59 compute nodes, expected at most 58"},
  };
  const TemporaryFolder folder;
  for (const Large& one : all) {
    INFO(one.file << " " << one.settings);
    const Outcome validated = run_racksim(folder, "validate " + scenario(one.file) + " " + one.settings);
    const Outcome run = run_racksim(folder, "run " + scenario(one.file) + " " + one.settings);
    CHECK(validated.status == 2);
    CHECK(run.status == 2);
    CHECK(validated.err == run.err);
    CHECK_THAT(validated.err, Catch::Contains(one.found));
  }
}

TEST_CASE("an interval that fits the measured phase once is long enough to know something of") {
  const TemporaryFolder folder;
  const Outcome fits =
      run_racksim(folder, "validate " + scenario("quickstart.json") +
                              " --set run.warmup=100us --set run.measure=1ms --set observe.series_interval=550us --set "
                              "'expect={\"operations_over_time.low_share\": {\"max\": 1}}'");
  CHECK(fits.status == 0);  // from 550 us to 1,100 us
}

TEST_CASE("a file of another kind is told by its kind, with the command that takes it") {
  const TemporaryFolder folder;
  for (const char* command : {"run", "fuzz", "explain --key 0"}) {
    INFO(command);
    const Outcome outcome = run_racksim(folder, std::string(command) + " " + scenario("figures/gam/fig7.json"));
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Catch::Contains("found a figure, expected a scenario: racksim figure takes this file"));
  }
  const Outcome testbed = run_racksim(folder, "run " + scenario("testbeds/gam-8.json"));
  CHECK_THAT(testbed.err, Catch::Contains("found a testbed, expected a scenario"));
  const Outcome figure = run_racksim(folder, "figure " + scenario("quickstart.json"));
  CHECK(figure.status == 2);
  CHECK_THAT(figure.err, Catch::Contains("found a scenario, expected a figure: racksim run takes this file"));
}

TEST_CASE("a run that measured nothing says so, in words and as null, and meets no expectation of what it measured") {
  const TemporaryFolder folder;
  const std::string nothing = "run " + scenario("quickstart.json") + " --set run.warmup=0s --set run.measure=1ps";
  const Outcome text = run_racksim(folder, nothing);
  CHECK_THAT(text.out, Catch::Contains("latency      no operations\n"));
  const Outcome json = run_racksim(folder, nothing + " --json");
  CHECK_THAT(json.out, Catch::Contains("\"p99\": null"));
  CHECK_THAT(json.out, !Catch::Contains("\"p99\": 0"));
  const Outcome expected = run_racksim(folder, nothing + " --set 'expect={\"latency.p99\": {\"max\": 1e9}}'");
  CHECK(expected.status == 1);
  CHECK_THAT(expected.out, Catch::Contains("latency.p99 has no value: nothing of it was measured, expected <= 1"));
}

}  // namespace validate_command_test

// What reports say limits a run, of runs with one known bottleneck.
#include <catch2/catch.hpp>
#include <string>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"

namespace limits_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

std::string output_of_run(const std::string& arguments) {
  const TemporaryFolder folder;
  const auto outcome = run_racksim(folder, "run " + racksim::places::source_folder() + "/scenarios/" + arguments +
                                               " --set expect={} --set check.all=false");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.out;
}

std::string line_of(const std::string& report) {
  const auto begin = report.find("limited by");
  REQUIRE(begin != std::string::npos);
  return report.substr(begin, report.find('\n', begin) - begin);
}

/// A store on two of six nodes.
const std::string kStore =
    "nocache/thousand-hosts.json --set rack.nodes=6 --set protocol.nocache.server_nodes=2 --set workload.threads=16 "
    "--set workload.keys=10000 --set run.measure=500us ";
/// Nodes whose memory is on others, by one-sided verbs.
const std::string kMemory =
    "selcc/zipf-read-intensive-quick.json --set workload.reach=6MB --set protocol.selcc.cache=1MiB "
    "--set run.measure='{\"operations\":1000}' ";

}  // namespace

TEST_CASE("A report names the one resource that has all hands full, and how many wait for it") {
  const auto begins = [](const std::string& arguments, const std::string& expected) {
    const std::string line = line_of(output_of_run(arguments));
    INFO(line);
    CHECK(line.find("limited by   " + expected) == 0);
    CHECK(line.find("wait for it in the mean, ") < line.find(" at most, one for "));
  };
  begins(kStore + "--set protocol.nocache.costs.service=20us", "cores.partition (node");
  begins(kStore + "--set rack.link.rate=1Gbps --set protocol.nocache.costs.service=100ns", "ports.in (node");
  begins(kStore + "--set rack.nic.pcie_rate=100Mbps", "pcie.read (node");
  begins(kMemory + "--set rack.nic.atomic_rate=100000", "nic.atomics (node");
}

TEST_CASE(
    "A closed loop that no resource limits is limited by latency, and by Little's law has its clients under way") {
  const std::string line = line_of(output_of_run("quickstart.json"));
  INFO(line);
  CHECK(line.find("limited by   latency: the busiest resource, ") == 0);
  CHECK(line.find("; 32 operations under way = ") != std::string::npos);  // 8 nodes of 4 threads
}

TEST_CASE("A report for programs has the busiest resource of each kind in order, and what limits") {
  const auto report = parse_json(output_of_run(kStore + "--set protocol.nocache.costs.service=20us --json"), "report");
  CHECK(*report.find("limited_by")->string() == "cores.partition");
  const auto& all = *report.find("busiest")->elements();
  CHECK(*all.front().find("kind")->string() == "cores.partition");
  double before = 2;
  for (const auto& one : all) {
    const double busy = *one.find("busy")->number();
    CHECK(busy <= before);
    before = busy;
    CHECK(*report.find("metrics")->find("busy." + *one.find("kind")->string())->number() == busy);
  }
  const auto idle = parse_json(output_of_run("quickstart.json --json"), "report");
  CHECK(idle.find("limited_by")->is_null());
}

}  // namespace limits_test

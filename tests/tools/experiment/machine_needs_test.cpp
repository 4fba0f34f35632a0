// What a run is said to take of the machine. `racksim bench` compares the estimate with what runs really take
// (bench_command_test.cpp).
#include "tools/experiment/machine_needs.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/random/zipf.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"

namespace machine_needs_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

Scenario scenario(const char* text, const std::vector<std::string>& overrides = {}) {
  return read_scenario(parse_json(text, "f"), "f", built_in_catalogue(), overrides);
}

/// Blocks of 4 KiB: 16 shared ones, and half of 64 private ones on each of 4 nodes.
constexpr const char* kMicro = R"({"version": 1, "rack": {"testbed": "concordia-8", "nodes": 4},
  "protocol": {"name": "flowcc", "flowcc": {"cache": "1MiB"}},
  "workload": {"kind": "micro", "threads": 2, "sharing_ratio": 0.5, "working_set": "1MiB", "shared_bytes": "64KiB",
               "warm_passes": 3}})";

/// Lines of 2 KiB, or of 512 bytes: 4 MiB for each of 4 nodes that compute, half of them shared, each used at once.
constexpr const char* kLines =
    R"({"version": 1, "rack": {"testbed": "selcc-16", "nodes": 8, "roles": {"compute": 4, "memory": 4}},
  "protocol": {"name": "selcc"}, "workload": {"kind": "micro", "threads": 2, "sharing_of": "lines", "sharing_ratio": 0.5,
  "working_set": "16MiB", "warm_passes": 20}})";

constexpr const char* kStore = R"({"version": 1, "rack": "starcache-8", "protocol": {"name": "nocache"},
  "workload": {"kind": "key-value", "keys": 1000000, "rate": 2000000}, "run": {"measure": "100ms"}})";

MachineNeeds of_bytes(std::uint64_t bytes) {
  return {0, 0, bytes, 0};
}

}  // namespace

TEST_CASE("what a run needs follows from its caches, its blocks and its warm-up") {
  const auto needs = machine_needs(scenario(kMicro));
  const auto larger = [](const char* cache) {
    return machine_needs(scenario(kMicro, {fmt::format("protocol.flowcc.cache=\"{}\"", cache)})).fixed;
  };
  const std::uint64_t caches = larger("2MiB") - needs.fixed;
  CHECK(caches >= 4 * 256 * std::uint64_t{24});  // of 4 nodes and 256 blocks, each with its tag, value and time
  CHECK(larger("3MiB") == needs.fixed + 2 * caches);
  CHECK(machine_needs(scenario(kMicro, {"rack.nodes=8"})).fixed == needs.fixed + caches);
  // 32 private and 16 shared blocks, three accesses each for each node, whoever of its threads makes them.
  CHECK(needs.warm_accesses == 4 * 3 * (32 + 16));
  // 16 + 4 * 32 blocks; without sharing 4 * 64, with sharing alone 16.
  CHECK(machine_needs(scenario(kMicro, {"workload.sharing_ratio=0"})).data * (16 + 4 * 32) == needs.data * 4 * 64);
  CHECK(machine_needs(scenario(kMicro, {"workload.sharing_ratio=1"})).data * (16 + 4 * 32) == needs.data * 16);
}

TEST_CASE("of nodes that only hold memory no data are needed, and shares of lines make the common data") {
  // One half of the 64 blocks that each of 4 nodes reaches is common to all.
  const auto lines = machine_needs(scenario(kMicro, {"workload.sharing_of=\"lines\""}));
  const auto operations = machine_needs(scenario(kMicro));  // 16 + 4 * 32 blocks
  CHECK(lines.data * (16 + 4 * 32) == operations.data * (32 + 4 * 32));
  CHECK(lines.warm_accesses == 4 * 3 * 64);
  // Two nodes share the working set: 16 + 2 * 64 blocks.
  const auto apart = machine_needs(scenario(kMicro, {"rack.roles.compute=2"}));
  CHECK(apart.data == operations.data);
  CHECK(apart.warm_accesses == 2 * 3 * (16 + 64));
}

TEST_CASE("what oracles keep of each block and operation is needed too") {
  const auto needs = machine_needs(scenario(kMicro));
  const auto judged = machine_needs(scenario(kMicro, {"check.data-value=true"}));
  CHECK(judged.data > needs.data);
  const auto recorded = [](const char* operations) {
    return machine_needs(
        scenario(kMicro, {"check.linearizable=true", "check.history=100000",
                          fmt::format(R"(run={{"warmup":"0us","measure":{{"operations":{}}}}})", operations)}));
  };
  CHECK(recorded("100000").data == needs.data + 100 * std::uint64_t{100'000});
  CHECK(recorded("1000000").data == recorded("100000").data);  // no more than the budget
  CHECK(recorded("500").data == needs.data + 100 * std::uint64_t{500});
}

// How many different ones so many draws show: zipf_test.cpp.
TEST_CASE("of a store's keys those count that requests are expected to write") {
  const auto written = [](double requests, double zipf) {
    return 72 * racksim::sim::expected_distinct(1'000'000, zipf, requests);
  };
  for (const double zipf : {0.0, 0.99}) {
    const std::string skew = fmt::format("workload.zipf={}", zipf);
    const auto data = [&](const std::string& writes, const std::string& measure) {
      const auto needs = machine_needs(
          scenario(kStore, {skew, "workload.write_ratio=" + writes, "run.warmup=\"0us\"", "run.measure=" + measure}));
      CHECK(needs.warm_accesses == 0);
      return static_cast<double>(needs.data);
    };
    CHECK(data("0", "\"100ms\"") == 0);
    CHECK(data("1", "\"100ms\"") == Approx(written(200'000, zipf)).margin(72));
    CHECK(data("0.5", "\"100ms\"") == Approx(written(100'000, zipf)).margin(72));
    CHECK(data("1", "{\"operations\":5000}") == Approx(written(5'000, zipf)).margin(72));
    CHECK(data("1", "\"100s\"") == Approx(written(2e8, zipf)).margin(72));
  }
}

TEST_CASE("a cache that takes memory as it fills needs no more than its node uses") {
  const auto lines = [](const std::string& protocol, const std::string& cache) {
    return machine_needs(
        scenario(kLines, {"protocol.name=\"" + protocol + "\"", "protocol." + protocol + ".cache=\"" + cache + "\""}));
  };
  for (const char* protocol : {"selcc", "rpc-directory", "gam"}) {
    INFO(protocol);
    const auto none = lines(protocol, protocol == std::string("gam") ? "512B" : "8KiB"),
               small = lines(protocol, "512KiB"), half = lines(protocol, "1MiB"), all = lines(protocol, "128MiB");
    CHECK(none.fixed == 0);
    CHECK(half.data - none.data == Approx(2 * static_cast<double>(small.data - none.data)).epsilon(0.05));
    CHECK(all.data > half.data);
    CHECK(lines(protocol, "128GiB").bytes() == all.bytes());
    CHECK(all.bytes() < 64 * kGiB / 1024);
  }
}

TEST_CASE("blocks that nobody comes to need nothing, but for those that lie in an array below others") {
  const auto few = [](const std::string& protocol) {
    return machine_needs(
        scenario(kLines, {"protocol.name=\"" + protocol + "\"", "workload.working_set=\"1TiB\"",
                          "workload.warm_passes=0", R"(run={"warmup":"0us","measure":{"operations":1000}})"}));
  };
  CHECK(few("selcc").data <= 1000 * 2048);
  CHECK(few("rpc-directory").data <= 1000 * 2048);
  CHECK(few("flowcc").data > kGiB);
}

TEST_CASE("ccKVS's caches hold the keys that they are told, up to their room") {
  const auto keys = [](const char* preload, const char* room) {
    return machine_needs(
        scenario(kStore, {"rack=\"cckvs-9\"", "protocol.name=\"cckvs\"", fmt::format("workload.preload={}", preload),
                          fmt::format("protocol.cckvs.cache_keys={}", room)}));
  };
  CHECK(keys("0", "null").bytes() == keys("1000", "0").bytes());
  CHECK(keys("1000", "null").bytes() == keys("4000", "1000").bytes());
  CHECK(keys("2000", "null").data - keys("0", "null").data == 2 * (keys("1000", "null").data - keys("0", "null").data));
  CHECK(keys("1000", "null").data > keys("0", "null").data);
}

TEST_CASE("needs beyond all numbers do not wrap") {
  const auto needs = machine_needs(scenario(
      kMicro, {"protocol.flowcc.cache=\"1TiB\"", "protocol.flowcc.block=\"64B\"", "workload.working_set=\"64TiB\"",
               "workload.warm_passes=1000", "check.all=true", "check.linearizable=true", "check.history=1000000000"}));
  CHECK(needs.bytes() > 1000 * kGiB);
}

TEST_CASE("a run is refused if it fits by no means, and told before if it may not, or takes long") {
  const auto small = scenario(kMicro);
  const auto refused = [&](const MachineNeeds& needs) { return refusal([&] { check_needs(small, needs, 4 * kGiB); }); };
  CHECK(refused(of_bytes(3 * kGiB)) == "accepted");
  CHECK(refused(of_bytes(8 * kGiB)) == "accepted");  // the estimate may be twice too high
  CHECK(refused(of_bytes(8 * kGiB + 1)) ==
        "f: /workload: found a run that takes about 8.0 GiB of memory, expected one that fits the 4.0 GiB that are "
        "available");
  CHECK_THAT(refused({0, 9 * kGiB, 0, 0}),
             Catch::StartsWith("f: /protocol/flowcc: found a run that takes about 9.0 GiB"));
  check_needs(small, of_bytes(1000 * kGiB), std::nullopt);  // a machine that does not tell

  CHECK(needs_text(of_bytes(kGiB / 2), 4 * kGiB).empty());
  CHECK(needs_text(of_bytes(2 * kGiB), 4 * kGiB) == "takes about 2.0 GiB of memory of 4.0 GiB available");
  CHECK(needs_text(of_bytes(2 * kGiB), std::nullopt) == "takes about 2.0 GiB of memory");
  CHECK_THAT(needs_text(of_bytes(kGiB / 2), kGiB / 4), Contains("so that it may not fit"));
  CHECK_THAT(needs_text({0, 0, 1, 20'000'000}, 4 * kGiB), Contains("warm-up of 20.0 M accesses, about 20 s"));
}

TEST_CASE("the machine tells how much memory is available") {
  REQUIRE(available_memory());
  CHECK(*available_memory() > 16 * 1024 * 1024);
}

TEST_CASE("of a workload that is not for its protocol it is told that, whatever it would take") {
  const TemporaryFolder folder;
  // Each would be too large for any machine.
  for (const char* arguments :
       {"run flowcc/micro.json --set protocol.name=netcache --set workload.working_set='\"64TiB\"'",
        "run flowcc/micro.json --set protocol.name=starcache --set workload.working_set='\"64TiB\"'"}) {
    const auto outcome = run_racksim(folder, arguments);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains("/workload/kind: found ") && Contains(", which needs a ") &&
                                Contains("service, expected a workload for what the protocol offers"));
  }
}

TEST_CASE("what is wrong with a run is told before what it would take") {
  const TemporaryFolder folder;
  for (const char* wrong :
       {"--set 'expect={\"no.such\":{\"min\":1}}'", "--set 'faults=[{\"kind\":\"slow-core\",\"node\":77}]'"}) {
    const auto outcome = run_racksim(folder, std::string("run flowcc/micro.json --set workload.working_set='\"64TiB\"' "
                                                         "--set protocol.flowcc.block='\"64B\"' ") +
                                                 wrong);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, !Contains("memory") && (Contains("no.such") || Contains("77")));
  }
  const auto outcome = run_racksim(folder,
                                   "run starcache/zipf-0.99.json --set rack.nodes=2 --set workload.write_ratio=1 --set "
                                   "workload.keys=1000000000 --set run.measure=10s");
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, !Contains("takes about"));
}

TEST_CASE("the program refuses a run beyond the machine's memory before it takes any") {
  const TemporaryFolder folder;
  const auto outcome = run_racksim(
      folder, "run flowcc/micro.json --set workload.working_set='\"64TiB\"' --set protocol.flowcc.block='\"64B\"'");
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("found a run that takes about") && Contains("expected one that fits the"));
}

}  // namespace machine_needs_test

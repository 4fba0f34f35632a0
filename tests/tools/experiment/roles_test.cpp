// `rack.roles`: "protocol": one scenario for protocols whose compute nodes hold the memory, and for those that keep memory
// servers apart.
#include <catch2/catch.hpp>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"

namespace experiment_roles_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

/// A scenario that was written for FlowCC, on four servers, with or without `"roles"`.
std::string scenario(const std::string& roles) {
  return R"({"version": 1, "rack": {"testbed": "concordia-8", "nodes": 4)" + roles + R"(},
    "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
    "workload": {"kind": "micro", "threads": 2, "sharing_ratio": 0.5, "working_set": "256KiB", "shared_bytes": "16KiB",
                 "warm_passes": 0},
    "run": {"measure": {"operations": 400}}, "check": {"all": true}})";
}

JsonValue report(const std::string& roles, const std::string& settings = "") {
  const TemporaryFolder folder;
  const Outcome outcome = run_racksim(folder, "run " + folder.write("s.json", scenario(roles)) + " --json " + settings);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return parse_json(outcome.out, "report");
}

std::string hash_of(const JsonValue& report) {
  return *report.find("run_hash")->string();
}

std::string rack_of(const JsonValue& report) {
  const JsonValue& rack = *report.find("config")->find("rack");
  return to_canonical_json(*rack.find("nodes")) + ' ' + to_canonical_json(*rack.find("roles"));
}

const std::string kByProtocol = R"(, "roles": "protocol")";

}  // namespace

TEST_CASE("where every node has both roles the protocol's are those of a scenario that gives none") {
  const JsonValue without = report(""), with = report(kByProtocol);
  CHECK(hash_of(with) == hash_of(without));
  CHECK(rack_of(with) == R"(4 {"compute":null,"memory":null})");
}

TEST_CASE("a protocol with memory servers gets as many as there are compute nodes, and the echo says so") {
  for (const char* protocol : {"selcc", "sel", "rpc-directory"}) {
    INFO(protocol);
    const std::string chosen = std::string("--set protocol.name=") + protocol;
    const JsonValue placed = report(kByProtocol, chosen);
    CHECK(rack_of(placed) == R"(8 {"compute":4,"memory":4})");
    // As it is echoed it is the same run.
    const JsonValue explicit_roles =
        report("", chosen + R"( --set rack.nodes=8 --set 'rack.roles={"compute":4,"memory":4}')");
    CHECK(hash_of(placed) == hash_of(explicit_roles));
  }
}

TEST_CASE("the compute nodes of a testbed that has memory servers stay, and a scenario's own roles are untouched") {
  CHECK(rack_of(report(kByProtocol, "--set rack.testbed=selcc-16 --set rack.nodes=16 --set protocol.name=selcc")) ==
        R"(16 {"compute":8,"memory":8})");
  CHECK(rack_of(report(kByProtocol, "--set rack.testbed=selcc-16 --set rack.nodes=16 --set check.all=false")) ==
        R"(8 {"compute":null,"memory":null})");
  CHECK(rack_of(report(R"(, "roles": {"compute": 3, "memory": 1})", "--set protocol.name=selcc")) ==
        R"(4 {"compute":3,"memory":1})");
}

TEST_CASE("other words than \"protocol\" are refused, and more servers than a rack has") {
  const TemporaryFolder folder;
  const std::string file = folder.write("s.json", scenario(kByProtocol));
  const auto refused = [&](const std::string& settings) { return run_racksim(folder, "run " + file + ' ' + settings); };
  const Outcome word = refused("--set 'rack.roles=\"both\"'");
  CHECK(word.status == 2);
  CHECK_THAT(word.err,
             Catch::Contains("/rack/roles: found the string \"both\", expected an object of roles, or \"protocol\""));
  const Outcome many = refused("--set rack.nodes=600 --set protocol.name=sel");
  CHECK(many.status == 2);
  CHECK_THAT(many.err, Catch::Contains("/rack/roles: found 1200 servers"));
}

// Runs draw the servers of the whole rack.
TEST_CASE("a template whose roles are the protocol's is fuzzed with whichever protocol") {
  const TemporaryFolder folder;
  const std::string file = folder.write("s.json", scenario(kByProtocol));
  for (const char* protocol : {"flowcc", "selcc"}) {
    const Outcome outcome = run_racksim(
        folder, "fuzz " + file + " --runs 10 --jobs 1 --no-shrink --set protocol.name=" + std::string(protocol));
    CAPTURE(protocol, outcome.out, outcome.err);
    CHECK(outcome.status == 0);
  }
}

}  // namespace experiment_roles_test

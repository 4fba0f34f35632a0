// What lies in one line is one call, whatever it is as long as: a read of 512 cached bytes costs what one of a word does, and
// 0.1 ns more for each byte beyond a word (10 GB/s).
#include <catch2/catch.hpp>
#include <string>

#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"

namespace wide_access_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

/// The median latency of reads, in ns, on data that all lie in caches: private, read before the run.
double median_read(const std::string& protocol, const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string file = folder.write("s.json", R"({
    "version": 1, "rack": {"testbed": "concordia-8", "nodes": 4, "roles": "protocol"},
    "protocol": {"name": "flowcc", "gam": {"line": "4KiB"}},
    "workload": {"kind": "micro", "threads": 1, "sharing_ratio": 0, "working_set": "256KiB", "read_ratio": 1,
                 "warm_passes": 8},
    "run": {"warmup": "1ms", "measure": {"operations": 2000}}, "check": {"all": true}})");
  const Outcome outcome = run_racksim(
      folder, "run " + file + " --json --set protocol.name=" + protocol + " --set workload.access_bytes=" + bytes);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const JsonValue report = parse_json(outcome.out, "report");
  return *report.find("metrics")->find("latency.read")->find("p50")->number();
}

}  // namespace

TEST_CASE("a read of many cached bytes of a line is one call: a hit, and the time of copying") {
  for (const char* protocol : {"flowcc", "gam", "selcc", "rpc-directory"}) {
    INFO(protocol);
    const double word = median_read(protocol, "8B"), wide = median_read(protocol, "512B");
    // Percentiles are off by 1/128 at most.
    CHECK(wide == Approx(word + 504 * 0.1).margin((wide + word) / 128));
    CHECK(wide - word > 40);
  }
}

}  // namespace wide_access_test

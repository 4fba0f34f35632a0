// The shipped examples of the coherence protocols and of ccKVS, as a person runs them.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tests/tools/run_racksim.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/files/data_files.hpp"

namespace example_scenarios_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

TEST_CASE(
    "every example of GAM, SELCC, the RPC directory and ccKVS meets its expectations, but for those that take long") {
  // These expect nothing but the verdict.
  const std::set<std::string> long_ones{"coalesced-lin-1pct",      "micro-sharing",
                                        "uniform-write-intensive", "uniform-write-intensive-quick",
                                        "zipf-read-intensive",     "zipf-read-intensive-quick"};
  std::size_t examples = 0;
  for (const char* protocol : {"cckvs", "gam", "rpc-directory", "selcc"}) {
    for (const std::string& name : json_names_below(scenarios_folder() / protocol)) {
      if (long_ones.contains(name)) continue;
      ++examples;
      const TemporaryFolder folder;
      const Outcome outcome =
          run_racksim(folder, "run " + (scenarios_folder() / protocol / (name + ".json")).string() + " --quiet");
      INFO(name << outcome.out << outcome.err);
      CHECK(outcome.status == 0);
    }
  }
  CHECK(examples >= 9);
}

TEST_CASE("a rack whose switch loses a pipe or a recirculation port for a while recovers, and has lost packets") {
  for (const char* fault : {"pipe-down", "recirculation-down"}) {
    const TemporaryFolder folder;
    const Outcome outcome = run_racksim(folder, std::string("run scenarios/faults/") + fault + ".json");
    INFO(fault << outcome.out << outcome.err);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.out, Catch::Contains("packets.dropped.wire_down") && Catch::Contains("verdict      pass"));
  }
}

}  // namespace example_scenarios_test

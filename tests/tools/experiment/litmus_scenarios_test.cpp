// The shipped litmus scenarios, as a person runs them: what they find, how a wrong one is refused, and what a protocol
// without one of its mechanisms is accused of.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/tools/run_racksim.hpp"
#include "tools/files/data_files.hpp"

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

Outcome run(const std::string& name, const std::string& settings) {
  const TemporaryFolder folder;
  return run_racksim(folder, "run " + (scenarios_folder() / "litmus" / (name + ".json")).string() + " " + settings);
}

std::string hash_in(const Outcome& outcome) {
  const auto at = outcome.out.find("run hash");
  REQUIRE(at != std::string::npos);
  return outcome.out.substr(at, outcome.out.find('\n', at) - at);
}

void refused(const std::string& name, const std::string& settings, const std::string& why) {
  const Outcome outcome = run(name, settings);
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK_THAT(outcome.err, Catch::Contains(": /workload: ") && Catch::Contains(why));
}

}  // namespace

TEST_CASE("every litmus scenario passes with several seeds, sees what it requires, and runs alike in every mode") {
  std::size_t scenarios = 0;
  for (const std::string& name : json_names_below(scenarios_folder() / "litmus")) {
    ++scenarios;
    for (const std::string seed : {"1", "2", "3"}) {
      const Outcome fused = run(name, "--seed " + seed);
      INFO(name << " with seed " << seed << fused.out << fused.err);
      CHECK(fused.status == 0);
      if (seed != "1") continue;
      CHECK(hash_in(run(name, "--set run.execution=stepped")) == hash_in(fused));
    }
  }
  CHECK(scenarios == 7);
}

TEST_CASE("a litmus program that is wrong is refused before the run, in one line, at its character") {
  refused("sb", "--set 'workload.program=P0: x=1; r0=q1 | P1: y' --set workload.required=",
          "workload.program: character 23: found its end, expected '=' and what is written, or read");
  refused("sb", "--set 'workload.required=r0=7'",
          "workload.required: character 4: found '7', expected 0 or the number of a write of y");
  refused("sb", "--set 'workload.program=P0: r0=cas(x,0,1)' --set workload.required=",
          "it has a compare-and-swap, but the protocol offers read, write, fence, allocate and free");
  refused("store-mp", "--set workload.program=mp+fences", "it has a fence, but the protocol offers read and write");
}

TEST_CASE("a cache that keeps what was overwritten fails a litmus test, whose violation says what was read") {
  const Outcome outcome = run("store-mp",
                              "--set protocol.starcache.invalidate=false --set workload.repetitions=20 "
                              "--set 'check={\"litmus\": true}'");
  INFO(outcome.out);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Catch::Contains("checked      litmus\n") && Catch::Contains("verdict      FAIL"));
  CHECK_THAT(outcome.out, Catch::Contains("  litmus at ") && Catch::Contains("repetition ") &&
                              Catch::Contains("P1 on node1/thread0"));
}

TEST_CASE("a crash of a client's node hangs no litmus test: it goes on after the restart, or the run is over") {
  const std::string nocache = "--set protocol.name=nocache --set workload.required= --set expect={} ";
  const Outcome restarted =
      run("store-mp", nocache + "--set 'faults=[{\"kind\":\"crash\",\"node\":0,\"from\":\"3ms\",\"until\":\"6ms\"}]'");
  INFO(restarted.out << restarted.err);
  CHECK(restarted.status == 0);
  CHECK_THAT(restarted.out, Catch::Matches("(.|\n)*litmus.abandoned +1 repetitions(.|\n)*"));
  CHECK_THAT(restarted.out, Catch::Matches("(.|\n)*litmus.repetitions +499 repetitions(.|\n)*"));
  const Outcome gone = run(
      "store-mp", nocache + "--set 'faults=[{\"kind\":\"crash\",\"node\":1,\"from\":\"3ms\",\"stays_down\":true}]'");
  INFO(gone.out << gone.err);
  CHECK(gone.status == 0);
}

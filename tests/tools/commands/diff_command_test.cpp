// racksim diff as a person runs it.
#include <catch2/catch.hpp>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"

namespace diff_command_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

constexpr const char* kScenario = R"({
  "version": 1, "name": "small", "rack": {"testbed": "concordia-8", "nodes": 3},
  "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
  "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
  "run": {"measure": {"operations": 1000}}})";

struct Runs {
  TemporaryFolder folder;

  Runs() { folder.write("small.json", kScenario); }
  void run(const std::string& out, const std::string& options = "") const {
    REQUIRE(run_racksim(folder, "run small.json --quiet --out " + out + " " + options).status == 0);
  }
  Outcome diff(const std::string& arguments) const { return run_racksim(folder, "diff " + arguments); }
};

}  // namespace

TEST_CASE("a run is the same as itself and as its scenario run again") {
  const Runs runs;
  runs.run("a");
  runs.run("b", "--set run.execution=stepped");
  for (const char* sides : {"a a", "a b", "a small.json"}) {
    const auto outcome = runs.diff(sides);
    INFO(sides << outcome.out << outcome.err);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.out, Catch::Contains("the run hashes are equal") && Catch::Contains("metrics differs"));
  }
}

TEST_CASE(
    "fused and stepped runs agree at every checkpoint of their checkpoints, in whatever passes the checkpoints lie") {
  const Runs runs;
  runs.run("a");
  runs.run("b", "--set run.execution=stepped");
  const auto checkpoints = content(runs.folder.path() / "a/checkpoints.json");
  CHECK(parse_json(checkpoints, "checkpoints").find("checkpoints")->elements()->size() > 10);
  CHECK(checkpoints == content(runs.folder.path() / "b/checkpoints.json"));
}

TEST_CASE("values of either side can be changed, so that one scenario is compared with itself in two modes") {
  const Runs runs;
  runs.run("a");
  const auto modes = runs.diff("small.json small.json --set-b run.execution=stepped");
  CHECK(modes.status == 0);
  CHECK_THAT(modes.out, Catch::Contains("run.execution: fused, stepped") &&
                            Catch::Contains("the run hashes are equal") && Catch::Contains("metrics differs"));
  const auto stored = runs.diff("a a --set-a seed=2 --set-a run.execution=stepped");
  CHECK(stored.status == 1);
  CHECK_THAT(stored.out,
             Catch::Contains("seed: 2, 1") && Catch::Contains("first observation that differs: at 0.000 ns"));
  CHECK(runs.diff("a a --set-b run.exekution=stepped").status == 2);
}

TEST_CASE("a wire cut at an instant is found as the first difference at that instant") {
  const Runs runs;
  runs.run("a");
  runs.run("b", R"(--set 'faults=[{"kind": "down", "node": 1, "from": "123us", "until": "150us"}]')");
  const auto text = runs.diff("a b");
  CHECK(text.status == 1);
  CHECK_THAT(text.out, Catch::Contains("faults.0.from: (none), 123us"));
  CHECK_THAT(text.out, Catch::Contains("first observation that differs: at 123000.000 ns in fault/0/down/node1"));
  CHECK_THAT(text.out, Catch::Contains("fault_begun"));
  const auto report = parse_json(runs.diff("a b --json").out, "report");
  CHECK(report.find("same")->boolean() != nullptr);
  const auto* first = report.find("first_difference");
  CHECK(first->find("time_ns")->number() == 123000.0);
  CHECK(first->find("a")->elements()->empty());
  const auto* parted = report.find("parted");
  CHECK(parted->find("after_ns")->number() == 120000.0);
  CHECK(parted->find("by_ns")->number() == 130000.0);
  CHECK_FALSE(report.find("metrics")->elements()->empty());
}

TEST_CASE("runs of different seeds part with an operation at the very beginning") {
  const Runs runs;
  runs.run("a");
  runs.run("b", "--seed 2");
  const auto outcome = runs.diff("a b");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Catch::Contains("seed: 1, 2") && Catch::Contains("at 0.000 ns in node") &&
                              Catch::Contains("operation_begun"));
}

TEST_CASE("a stored run that this program no longer reproduces is said to be so") {
  const Runs runs;
  runs.run("old", R"(--set 'faults=[{"kind": "down", "node": 1, "from": "123us", "until": "150us"}]')");
  runs.run("new");
  // As if the version that made it had cut the wire all by itself.
  std::filesystem::copy_file(runs.folder.path() / "new/config.json", runs.folder.path() / "old/config.json",
                             std::filesystem::copy_options::overwrite_existing);
  const auto outcome = runs.diff("old new");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Catch::Contains("A was made by another version") && Catch::Contains("--program-a"));
  CHECK_THAT(outcome.out, Catch::Contains("the runs part after 120000.000 ns and by 130000.000 ns") &&
                              Catch::Contains("differ by then: fault,"));
  CHECK_THAT(outcome.out, !Catch::Contains("first observation that differs: at"));
}

TEST_CASE("another program may execute a side") {
  const Runs runs;
  runs.run("a");
  const auto same = runs.diff("a small.json --program-b " + racksim::places::racksim_program());
  CHECK(same.status == 0);
  runs.run("b", "--seed 2");
  CHECK_THAT(runs.diff("a b --program-a " + racksim::places::racksim_program()).out,
             Catch::Contains("first observation that differs"));
  CHECK_THAT(runs.diff("a b --program-a false").out, Catch::Contains("A cannot be executed again"));
}

TEST_CASE("what is no run is bad input") {
  const Runs runs;
  runs.folder.write("empty/readme.txt", "");
  runs.run("a");
  CHECK(runs.diff("a empty").status == 2);
  CHECK_THAT(runs.diff("a empty").err, Catch::Contains("empty/config.json: /: found no such file"));
  CHECK(runs.diff("a smal.json").status == 2);
  runs.folder.write("a/checkpoints.json", R"({"places": []})");
  CHECK_THAT(runs.diff("a a").err, Catch::Contains("a/checkpoints.json: /: found no \"checkpoints\""));
}

}  // namespace diff_command_test

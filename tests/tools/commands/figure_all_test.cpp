// racksim figure --all, of a folder with two small figures.
#include <catch2/catch.hpp>

#include "tests/tools/run_racksim.hpp"

namespace figure_all_test {

using namespace racksim::tools::testing;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// A figure of two points, each of a fraction of a second; `least` is what its claim expects.
std::string figure(const char* title, const char* least) {
  return std::string(R"({"version": 1, "title": ")") + title + R"(", "base": "../short.json",
    "sweep": {"label": "share of reads", "path": "workload.read_ratio", "values": [0, 1]},
    "series": [{"name": "FlowCC"}], "metrics": {"speed": "throughput_mops"},
    "claims": [{"id": "fast", "text": "It is fast.", "paper": {"min": )" +
         least + R"(}, "read": "FlowCC"}]})";
}

void write_figures(const TemporaryFolder& folder) {
  folder.write("short.json", R"({
    "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2}, "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
    "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
    "run": {"measure": {"operations": 200}}})");
  folder.write("figures/one.json", figure("The first", "0.001"));
  folder.write("figures/two.json", figure("The second", "1000"));
}

}  // namespace

TEST_CASE("all figures of a folder are run, drawn, and shown on one page with the verdict on each claim") {
  const TemporaryFolder folder;
  write_figures(folder);
  const Outcome outcome = run_racksim(folder, "figure --all figures --plot --quick --jobs 1 --out all");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out == "one: 1 of 1 claims met\ntwo: 0 of 1 claims met, 1 off\n2 figures in all/index.html\n");
  const std::string page = content(folder.path() / "all/index.html");
  CHECK_THAT(page, Contains("2 figures, 1 of 2 claims met, 1 off"));
  CHECK_THAT(page, Contains("one/figure.svg") && Contains("two/figure.svg") && Contains("It is fast."));
  CHECK_THAT(page, Contains("The first") && Contains("The second"));
  for (const char* file : {"all/one/figure.svg", "all/two/figure.pdf", "all/one/points.csv", "all/two/figure.gp"})
    CHECK(fs::exists(folder.path() / file));
  // What is kept is not run again, and the page is the same.
  CHECK(run_racksim(folder, "figure --all figures --quick --out all").out == outcome.out);
  CHECK(content(folder.path() / "all/index.html") == page);
}

TEST_CASE("a failed point does not keep the others from being run, and is the command's status") {
  const TemporaryFolder folder;
  write_figures(folder);
  std::string failing = figure("The third", "0.001");
  failing.insert(1, R"("set": {"expect.throughput_mops": {"min": 1000}}, )");
  folder.write("figures/a-failing.json", failing);
  const Outcome outcome = run_racksim(folder, "figure --all figures --quick --jobs 1 --out all");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Contains("a-failing: 1 of 1 claims met; 2 of 2 points failed\none:"));
  CHECK_THAT(outcome.err, Contains("repeat: racksim run"));
  CHECK_THAT(content(folder.path() / "all/index.html"), Contains("2 of 6 points failed"));
}

TEST_CASE("figures that are not there are told, and --all goes with no record or JSON") {
  const TemporaryFolder folder;
  const Outcome none = run_racksim(folder, "figure --all cckvz --quick --out all");
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("--all: found \"cckvz\""));
  CHECK_FALSE(fs::exists(folder.path() / "all"));
  CHECK_THAT(run_racksim(folder, "figure --quick").err, Contains("found no NAME"));
  CHECK(run_racksim(folder, "figure --all --json").status == 2);
  CHECK(run_racksim(folder, "figure --all --record").status == 2);
}

}  // namespace figure_all_test

// racksim plot as a person calls it: of a figure's points and of reports of runs.
#include <catch2/catch.hpp>

#include "tests/tools/plot/drawn_texts.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"
#include "tools/plot/result_table.hpp"

namespace plot_command_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const char* const kPoints =
    "sharing ratio,series,seed,throughput [Mops],verdict,run_hash\n"
    "0,CONCORDIA,1,19.5,pass,a\n0,CONCORDIA,2,20.5,pass,b\n1,CONCORDIA,1,7,pass,c\n1,CONCORDIA,2,,crash,\n"
    "0,GAM,1,22,pass,d\n1,GAM,1,1.25,pass,e\n";

/// A short run, without caches to warm.
const char* const kShort = R"({
  "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2}, "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
  "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
  "run": {"measure": {"operations": 200}}})";

bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

}  // namespace

TEST_CASE("a figure's points are drawn by series, each of them in script, table and picture", "[plot]") {
  const TemporaryFolder folder;
  folder.write("sharing/points.csv", kPoints);
  const Outcome outcome = run_racksim(folder, "plot sharing --x 'sharing ratio' --y throughput");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err == "racksim plot: 1 of 6 results left out: no value of throughput\n");
  CHECK(outcome.out ==
        "4 points in 2 series, of 6 results, written to runs/plots/sharing-throughput/data.csv\n"
        "drawn in runs/plots/sharing-throughput/plot.svg, .pdf and .png by runs/plots/sharing-throughput/plot.gp\n");
  const fs::path out = folder.path() / "runs/plots/sharing-throughput";
  CHECK(content(out / "data.csv") ==
        "sharing ratio,series,results,throughput mean [Mops],throughput least [Mops],throughput most [Mops]\n"
        "0,CONCORDIA,2,20,19.5,20.5\n1,CONCORDIA,1,7,7,7\n0,GAM,1,22,22,22\n1,GAM,1,1.25,1.25,1.25\n");
  const std::string script = content(out / "plot.gp");
  for (const char* line : {"\n0 20 19.5 20.5\n", "\n1 7 7 7\n", "\n0 22 22 22\n", "\n1 1.25 1.25 1.25\n"})
    CHECK_THAT(script, Contains(line));
  const std::string svg = content(out / "plot.svg");
  CHECK(misplaced(svg).empty());
  CHECK_THAT(svg, Contains(">CONCORDIA<") && Contains(">GAM<") && Contains(">sharing ratio<"));
  CHECK(fs::exists(out / "plot.pdf"));
  CHECK(fs::exists(out / "plot.png"));
  // The file itself gives the same.
  CHECK(run_racksim(folder, "plot sharing/points.csv --x 'sharing ratio' --y throughput --out again").status == 0);
  CHECK(content(folder.path() / "again/plot.svg") == svg);
}

TEST_CASE("reports of runs are drawn by options and metrics, with units, and seeds are one point", "[plot]") {
  const TemporaryFolder folder;
  folder.write("short.json", kShort);
  for (const char* run :
       {"--set workload.read_ratio=0 --seed 1 --out runs/a", "--set workload.read_ratio=0 --seed 2 --out runs/b",
        "--set workload.read_ratio=1 --out runs/deeper/c"}) {
    REQUIRE(run_racksim(folder, std::string("run short.json --quiet ") + run).status == 0);
  }
  const Outcome outcome =
      run_racksim(folder, "plot runs --x workload.read_ratio --y latency.p99 --by protocol.name --out p");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, Contains("2 points in 1 series, of 3 results"));
  const std::string csv = content(folder.path() / "p/data.csv");
  CHECK_THAT(csv, Contains("\n0.0,flowcc,2,") || Contains("\n0,flowcc,2,"));
  CHECK_THAT(content(folder.path() / "p/plot.svg"), Contains(">latency.p99 (us)<"));
  // Several folders are the same as one that holds them; what is put together is told.
  const Outcome mixed =
      run_racksim(folder, "plot runs/a runs/b runs/deeper --x protocol.name --y throughput_mops --out q");
  CHECK(mixed.status == 0);
  CHECK_THAT(mixed.err, Contains("differ in workload.read_ratio: --by keeps them apart"));
  const Outcome wrong = run_racksim(folder, "plot runs --x workload.read_ratoi --y latency.p99");
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err,
             Contains("--x: found \"workload.read_ratoi\"") && Contains("did you mean \"workload.read_ratio\"?"));
}

TEST_CASE("distributions and metrics over time of runs are drawn by options, and numbers are those of the reports",
          "[plot]") {
  const TemporaryFolder folder;
  folder.write("short.json", kShort);
  for (const char* run : {"--set workload.read_ratio=0 --out runs/a", "--set workload.read_ratio=1 --out runs/b"}) {
    REQUIRE(
        run_racksim(folder, std::string("run short.json --quiet --set observe.series_interval=10us "
                                        "--set observe.series.file=s.csv --set observe.series.metrics=throughput_mops "
                                        "--set observe.series.interval=5us ") +
                                run)
            .status == 0);
  }
  const Outcome cdf = run_racksim(folder, "plot runs --cdf latency --by workload.read_ratio");
  CAPTURE(cdf.err);
  REQUIRE(cdf.status == 0);
  CHECK(cdf.err.empty());
  CHECK_THAT(cdf.out, Contains("in 2 series, of 2 results, written to runs/plots/runs-latency-cdf/data.csv\n"));
  const std::string csv = content(folder.path() / "runs/plots/runs-latency-cdf/data.csv");
  CHECK_THAT(csv, Catch::StartsWith("from [ns],until [ns],series,results,count,share\n"));
  const std::string svg = content(folder.path() / "runs/plots/runs-latency-cdf/plot.svg");
  CHECK(misplaced(svg).empty());
  CHECK_THAT(svg, Contains(">latency (us)<") && Contains(">share of records up to x<") && Contains(">0.9<"));
  // A share is that of the records: counts add up to the report's operations.
  const ResultTable table = read_csv_table(csv, "data.csv");
  double count = 0, operations = 0;
  for (const auto& row : table.rows) count += std::stod(row[4]);
  for (const char* run : {"runs/a/report.json", "runs/b/report.json"}) {
    const JsonValue report = read_json_file((folder.path() / run).string());
    operations += *report.find("metrics")->find("operations")->number();
  }
  CHECK(operations > 0);
  CHECK(count == operations);
  CHECK(table.rows.back().back() == "1");

  const Outcome series =
      run_racksim(folder, "plot runs --series throughput_mops,operations_over_time --by workload.read_ratio --out s");
  CAPTURE(series.err);
  REQUIRE(series.status == 0);
  CHECK(misplaced(content(folder.path() / "s/plot.svg")).empty());
  CHECK_THAT(content(folder.path() / "s/data.csv"),
             Catch::StartsWith("time_us,series,results,throughput_mops [Mops],operations_over_time [operations]\n0,"));
  // The file itself has the same numbers as the folder.
  const Outcome file = run_racksim(folder, "plot runs/a/s.csv --series throughput_mops --out f");
  CHECK(file.status == 0);
  CHECK_THAT(content(folder.path() / "f/data.csv"),
             Catch::StartsWith("time_us,series,results,throughput_mops [Mops]\n0,"));
  // Reports by their file, also against each other.
  CHECK(run_racksim(folder, "plot runs/a/report.json runs/b/report.json --x workload.read_ratio --y operations --out o")
            .status == 0);
  CHECK_THAT(run_racksim(folder, "plot runs --cdf latecny").err, Contains("did you mean \"latency\"?"));
  CHECK_THAT(run_racksim(folder, "plot runs --series throughput_mop").err,
             Contains("did you mean \"throughput_mops\"?"));
}

TEST_CASE("what cannot be drawn is one line, and nothing is written", "[plot]") {
  const TemporaryFolder folder;
  folder.write("sharing/points.csv", kPoints);
  folder.write("other/points.csv", kPoints);
  folder.write("empty.csv", "x,y\n");
  folder.write("nothing/readme", "");
  folder.write("broken/report.json", "{}");
  folder.write("bad/report.json", "{");
  folder.write("file", "");
  for (const auto& [arguments, said] :
       {std::pair{"sharing --x sharing --y throughput", "--x: found \"sharing\""},
        {"sharing --x series --y thruoghput", "did you mean \"throughput\"?"},
        {"empty.csv --x x --y y", "no number of \"y\" in 0 results"},
        {"nothing --x x --y y", "found \"nothing\", without any"},
        {"missing --x x --y y", "RESULTS: found \"missing\""},
        {"broken --x x --y y", "the report of a run"},
        {"bad --x x --y y", "bad/report.json"},
        {"sharing other --x series --y throughput", "besides others"},
        {"sharing --x series --y throughput --scale logg", "did you mean \"log\"?"},
        {"sharing --y throughput", "no --x, expected --x and --y, --cdf or --series"},
        {"sharing", "no --x"},
        {"sharing --x series", "no --y"},
        {"sharing --cdf latency", "RESULTS: found \"sharing\", expected reports of runs"},
        {"sharing/points.csv --series throughput", "a file of observe.series, which begins with time_us"},
        {"broken --cdf latency", "the report of a run"},
        {"sharing --cdf latency --y throughput", "found --y beside --cdf"},
        {"sharing --x series --y throughput --out file/x", "a folder that can be made"}}) {
    CAPTURE(arguments);
    const Outcome outcome = run_racksim(folder, std::string("plot ") + arguments);
    CHECK(outcome.status == 2);
    CHECK(is_one_line(outcome.err));
    CHECK_THAT(outcome.err, Contains(said));
    CHECK(outcome.out.empty());
    CHECK_FALSE(fs::exists(folder.path() / "runs"));
  }
}

TEST_CASE("without gnuplot one line says what to install, and table and script are written all the same", "[plot]") {
  const TemporaryFolder folder;
  folder.write("sharing/points.csv", kPoints);
  fs::create_directory(folder.path() / "bin");
  const std::string alone = "PATH=" + (folder.path() / "bin").string() + " " + racksim::places::racksim_program();
  const Outcome outcome = run_racksim(folder, "plot sharing --x 'sharing ratio' --y throughput --out p", alone);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err,
             Contains("gnuplot is missing; install it (Debian: gnuplot-nox), then run: gnuplot plot.gp\n"));
  CHECK_THAT(outcome.out, Contains("written to p/data.csv\n") && !Contains("drawn in"));
  CHECK(fs::exists(folder.path() / "p/plot.gp"));
  CHECK_FALSE(fs::exists(folder.path() / "p/plot.svg"));
  const Outcome refused = run_racksim(folder, "figure cckvs/fig3 --quick --plot --out f", alone);
  CHECK(refused.status == 3);
  CHECK(refused.err.find('\n') == refused.err.size() - 1);
  CHECK_THAT(refused.err, Contains("Debian: gnuplot-nox"));
  CHECK_FALSE(fs::exists(folder.path() / "f"));
}

TEST_CASE("a disk that is full is told with the file that it had no room for", "[plot]") {
  const TemporaryFolder folder;
  folder.write("sharing/points.csv", kPoints);
  const Outcome outcome = run_racksim(folder, "plot sharing --x 'sharing ratio' --y throughput --out p 2>&1) | cat",
                                      "(ulimit -f 0; exec " + racksim::places::racksim_program());
  CHECK_THAT(outcome.out, Contains("p/data.csv could not be written: File too large"));
  CHECK((!fs::exists(folder.path() / "p") || fs::is_empty(folder.path() / "p")));
}

}  // namespace plot_command_test

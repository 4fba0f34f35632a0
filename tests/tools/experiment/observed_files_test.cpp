// The files of operations and of series, read back: they say what the report says, and change nothing.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"

namespace observed_files_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

const std::string kMemory =
    "run " + racksim::places::source_folder() +
    "/scenarios/quickstart.json --json --set run.warmup=50us --set run.measure=400us --set workload.threads=2";
const std::string kStore = "run " + racksim::places::source_folder() +
                           "/scenarios/starcache/zipf-0.99.json --json --set run.warmup=100us --set run.measure=300us";

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  std::vector<std::string> column(const std::string& name) const {
    const auto at = std::find(header.begin(), header.end(), name) - header.begin();
    REQUIRE(at < static_cast<std::ptrdiff_t>(header.size()));
    std::vector<std::string> result;
    for (const auto& row : rows) result.push_back(row.at(static_cast<std::size_t>(at)));
    return result;
  }
  /// Of empty cells NaN.
  std::vector<double> numbers(const std::string& name) const {
    std::vector<double> result;
    for (const std::string& cell : column(name)) result.push_back(cell.empty() ? std::nan("") : std::stod(cell));
    return result;
  }
};

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result(1);
  for (const char c : line) {
    if (c == ',') {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

Table table(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  Table result{cells(line), {}};
  while (std::getline(in, line)) {
    result.rows.push_back(cells(line));
    REQUIRE(result.rows.back().size() == result.header.size());
  }
  return result;
}

JsonValue report_of(const Outcome& run) {
  INFO(run.err);
  REQUIRE(run.status == 0);
  return parse_json(run.out, "report");
}

double number(const JsonValue& report, const std::string& group, const std::string& name) {
  const JsonValue* value = report.find(group)->find(name);
  INFO(name);
  REQUIRE(value != nullptr);
  return value->number().value();
}

double latency(const JsonValue& report, const std::string& name, const std::string& statistic) {
  return report.find("metrics")->find(name)->find(statistic)->number().value();
}

/// A little-endian number.
std::uint64_t little(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

}  // namespace

TEST_CASE("the file of operations, read back, gives the report's counts and latencies, and changes no hash") {
  const TemporaryFolder folder;
  const JsonValue plain = report_of(run_racksim(folder, kMemory));
  const JsonValue report = report_of(run_racksim(folder, kMemory + " --set observe.operations=o.csv"));
  CHECK(*report.find("run_hash")->string() == *plain.find("run_hash")->string());
  CHECK(report.find("events")->natural() == plain.find("events")->natural());
  const std::string text = content(folder.path() / "o.csv");
  CHECK(text.starts_with("time_ns,node,thread,op,key,size,end_ns,answered_by,in_window\n"));
  const Table operations = table(text);
  const auto begins = operations.numbers("time_ns"), ends = operations.numbers("end_ns");
  const auto kinds = operations.column("op"), within = operations.column("in_window");
  CHECK(std::is_sorted(begins.begin(), begins.end()));
  CHECK(begins.front() < 50'000);  // of the warm-up too
  std::uint64_t ended = 0;
  std::map<std::string, std::vector<double>> took;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    if (!std::isnan(ends[i])) ++ended;
    if (within[i] != "1") continue;
    REQUIRE((ends[i] >= 50'000 && ends[i] < 450'000));
    took[""].push_back(ends[i] - begins[i]);
    took["." + kinds[i]].push_back(ends[i] - begins[i]);
  }
  CHECK(took[""].size() == number(report, "metrics", "operations"));
  CHECK(ended == number(report, "whole_run", "operations"));
  for (auto& [kind, all] : took) {
    const std::string name = "latency" + kind;
    INFO(name);
    CHECK(all.size() == latency(report, name, "count"));
    CHECK(std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size()) ==
          Approx(latency(report, name, "mean")).epsilon(1e-6));
    std::sort(all.begin(), all.end());
    const auto rank = static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(all.size())));
    CHECK(all[rank - 1] == Approx(latency(report, name, "p99")).epsilon(1.0 / 128));
  }
  CHECK(static_cast<double>(took[""].size()) / 400 == Approx(number(report, "metrics", "throughput_mops")));
}

TEST_CASE("equal runs give equal files, and the records are the first six columns") {
  const TemporaryFolder folder;
  for (const char* name : {"a.csv", "b.csv", "a.bin", "b.bin"}) {
    report_of(run_racksim(folder, kMemory + " --set observe.operations=" + name));
  }
  CHECK(content(folder.path() / "a.csv") == content(folder.path() / "b.csv"));
  const std::string records = content(folder.path() / "a.bin");
  CHECK(records == content(folder.path() / "b.bin"));
  const Table operations = table(content(folder.path() / "a.csv"));
  REQUIRE(records.size() == 32 * (operations.rows.size() + 1));
  CHECK(records.substr(0, 8) == "RACKSOPS");
  CHECK(little(records, 8, 4) == 1);
  CHECK(little(records, 12, 4) == 32);
  CHECK(little(records, 16, 8) == operations.rows.size());
  CHECK(little(records, 24, 8) == 0);
  for (std::size_t i = 0; i < operations.rows.size(); ++i) {
    const std::size_t at = 32 * (i + 1);
    const auto& row = operations.rows[i];
    REQUIRE(static_cast<double>(little(records, at, 8)) == Approx(std::stod(row[0]) * 1000).margin(0.5));
    REQUIRE(std::to_string(little(records, at + 8, 8)) == row[4]);
    REQUIRE(std::to_string(little(records, at + 16, 4)) == row[1]);
    REQUIRE(std::to_string(little(records, at + 20, 4)) == row[2]);
    REQUIRE(std::to_string(little(records, at + 24, 4)) == row[5]);
    REQUIRE(little(records, at + 28, 1) == (row[3] == "read" ? 0 : 1));
  }
}

TEST_CASE("who answered the operations of a store is told as the report counts it, and how large its items are") {
  const TemporaryFolder folder;
  const JsonValue report = report_of(run_racksim(folder, kStore + " --set observe.operations=o.csv"));
  const Table operations = table(content(folder.path() / "o.csv"));
  std::map<std::string, double> answers;
  const auto by = operations.column("answered_by"), within = operations.column("in_window");
  const auto ends = operations.column("end_ns"), sizes = operations.column("size");
  for (std::size_t i = 0; i < by.size(); ++i) {
    CHECK(by[i].empty() == ends[i].empty());
    REQUIRE((sizes[i] == "64" || sizes[i] == "1024"));
    if (within[i] == "1") ++answers[by[i]];
  }
  CHECK(answers.size() > 1);
  for (const auto& [label, count] : answers) CHECK(count == number(report, "metrics", "store.answers_by_" + label));
}

TEST_CASE("a series, read back, gives the report's counts, rates, shares and means, and changes no hash") {
  const TemporaryFolder folder;
  const std::string settings =
      " --set observe.series.interval=25us --set observe.series.metrics=operations,throughput_mops,latency_ns.count,"
      "latency_ns.mean,latency_ns.p99,store.switch_share,store.answers_by_switch,store.answers,operations.whole_run";
  const JsonValue plain = report_of(run_racksim(folder, kStore));
  const JsonValue report = report_of(run_racksim(folder, kStore + settings + " --set observe.series.file=s.csv"));
  report_of(run_racksim(folder, kStore + settings + " --set observe.series.file=t.csv --set run.idle_passes=run"));
  CHECK(*report.find("run_hash")->string() == *plain.find("run_hash")->string());
  const std::string text = content(folder.path() / "s.csv");
  CHECK(text == content(folder.path() / "t.csv"));
  CHECK(
      text.starts_with("time_us,operations [operations],throughput_mops [Mops],latency_ns.count,latency_ns.mean [ns],"
                       "latency_ns.p99 [ns],store.switch_share [share],"));
  const Table series = table(text);
  const auto times = series.numbers("time_us"), operations = series.numbers("operations [operations]"),
             rates = series.numbers("throughput_mops [Mops]"), counts = series.numbers("latency_ns.count"),
             means = series.numbers("latency_ns.mean [ns]"), shares = series.numbers("store.switch_share [share]"),
             by_switch = series.numbers("store.answers_by_switch [operations]"),
             answers = series.numbers("store.answers [operations]"),
             so_far = series.numbers("operations.whole_run [operations]");
  REQUIRE(times.size() >= 16);
  double counted = 0, rate = 0, time = 0, total = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    INFO("interval " << i);
    CHECK(times[i] == 25.0 * static_cast<double>(i));
    CHECK(rates[i] == operations[i] / 25);
    if (answers[i] > 0) CHECK(shares[i] == by_switch[i] / answers[i]);
    total += operations[i];
    CHECK(so_far[i] == total);
    const bool measured = times[i] >= 100 && times[i] < 400;
    CHECK(counts[i] == operations[i]);
    CHECK(std::isnan(means[i]) == (operations[i] == 0));
    if (!measured) continue;
    counted += operations[i];
    rate += rates[i] / 12;
    time += counts[i] * means[i];
  }
  CHECK(counted < total);
  CHECK(counted == number(report, "metrics", "operations"));
  CHECK(latency(report, "latency", "count") == counted);  // what is kept for the series is kept beside it
  CHECK(rate == Approx(number(report, "metrics", "throughput_mops")));
  CHECK(time / counted == Approx(latency(report, "latency", "mean")).epsilon(1e-6));
}

TEST_CASE("observed files go to the folder of the run, and what fails or is interrupted leaves none") {
  const TemporaryFolder folder;
  const std::string files = " --set observe.operations=o.csv --set observe.series.file=deep/s.csv";
  report_of(run_racksim(folder, kMemory + files + " --out results"));
  CHECK(std::filesystem::exists(folder.path() / "results/o.csv"));
  CHECK(std::filesystem::exists(folder.path() / "results/deep/s.csv"));
  // The other file's disk is full: neither is left.
  const Outcome full =
      run_racksim(folder, kMemory + " --set observe.operations=/dev/full --set observe.series.file=s.csv");
  CHECK(full.status == 3);
  CHECK(!std::filesystem::exists(folder.path() / "s.csv"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    CHECK(entry.path().extension() != ".part");
  }
  const Outcome clash = run_racksim(folder, kMemory + " --out results --set observe.operations=report.json");
  CHECK(clash.status == 2);
  CHECK_THAT(clash.err, Catch::Contains("/observe/operations"));
}

}  // namespace observed_files_test

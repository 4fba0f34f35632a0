// What the JSON report of a run says to a reader who has nothing else, and that equal runs give equal reports.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/tools/run_racksim.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/report/report.hpp"

namespace report_document_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

const std::string kScenarios = racksim::places::source_folder() + "/scenarios/";
const std::string kShort = " --set run.warmup=20us --set run.measure=200us ";

JsonValue report_of(const Outcome& run) {
  INFO(run.err);
  REQUIRE(run.status == 0);
  return parse_json(run.out, "report");
}

/// As `sha256sum` gives it.
std::string sha256sum(const TemporaryFolder& folder, const std::string& file) {
  const std::string out = (folder.path() / "sum").string();
  REQUIRE(std::system(("sha256sum '" + file + "' > '" + out + "'").c_str()) == 0);
  return content(out).substr(0, 64);
}

}  // namespace

TEST_CASE("reports of equal runs are equal byte for byte, but for real time and the command") {
  const TemporaryFolder folder;
  std::vector<std::string> reports;
  for (const char* more : {"", "--seed 1", "--out results", "--profile"}) {
    JsonValue report = report_of(run_racksim(folder, "run " + kScenarios + "quickstart.json --json" + kShort + more));
    for (const char* own : {"wall_s", "wall", "command"}) CHECK(report.erase(own));
    reports.push_back(to_json(report));
  }
  for (const auto& report : reports) CHECK(report == reports.front());
  JsonValue stored = parse_json(content(folder.path() / "results/report.json"), "stored");
  for (const char* own : {"wall_s", "wall", "command"}) stored.erase(own);
  CHECK(to_json(stored) == reports.front());
}

TEST_CASE("a report has its format, the command, and the hash of each file that the run was put together from") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "mine.json")
      << "{\"base\": \"" << kScenarios << "quickstart.json\", \"name\": \"mine\"}";
  const JsonValue report = report_of(run_racksim(folder, "run mine.json --seed 3 --json" + kShort));
  CHECK(report.find("format")->natural() == 1);
  CHECK(*report.find("command")->string() ==
        "racksim run mine.json --seed 3 --set run.warmup=20us --set run.measure=200us");
  std::vector<std::string> names;
  for (const auto& input : *report.find("inputs")->elements()) {
    const std::string file = *input.find("file")->string();
    const auto path = std::filesystem::path(file).is_absolute() ? file : (folder.path() / file).string();
    CHECK(*input.find("sha256")->string() == sha256sum(folder, path));
    names.push_back(std::filesystem::path(file).filename().string());
  }
  REQUIRE(names.size() > 3);  // the testbed has parts
  CHECK(names[0] == "mine.json");
  CHECK(names[1] == "quickstart.json");
  CHECK(names[2] == "concordia-8.json");
  // Another byte is another hash.
  std::ofstream(folder.path() / "mine.json", std::ios::app) << " ";
  const JsonValue other = report_of(run_racksim(folder, "run mine.json --seed 3 --json" + kShort));
  const auto hash = [](const JsonValue& of, std::size_t i) {
    return *(*of.find("inputs")->elements())[i].find("sha256")->string();
  };
  CHECK(hash(other, 0) != hash(report, 0));
  CHECK(hash(other, 1) == hash(report, 1));
  CHECK(*other.find("run_hash")->string() == *report.find("run_hash")->string());
}

TEST_CASE("every metric of a report has a unit and a sentence, and every histogram its buckets") {
  const TemporaryFolder folder;
  for (const char* scenario : {"quickstart.json", "starcache/zipf-0.99.json"}) {
    const JsonValue report = report_of(run_racksim(folder, "run " + kScenarios + scenario + " --json" + kShort));
    const auto& described = *report.find("metric_descriptions");
    for (const auto& [name, value] : *report.find("metrics")->members()) {
      INFO(name);
      const auto* one = described.find(name);
      REQUIRE(one != nullptr);
      CHECK(!one->find("doc")->string()->empty());
      CHECK(one->find("unit")->string() != nullptr);
      if (*one->find("kind")->string() != "histogram" || name == "latency_ns") continue;
      std::uint64_t count = 0;
      double least = 0;
      if (const auto* buckets = report.find("histograms")->find(name)) {
        for (const auto& bucket : *buckets->elements()) {
          const auto& bounds = *bucket.elements();
          REQUIRE(bounds.size() == 3);
          CHECK(*bounds[0].number() >= least);
          CHECK(*bounds[1].number() > *bounds[0].number());
          least = *bounds[1].number();
          count += *bounds[2].natural();
        }
        CHECK(least > *value.find("max")->number());
      }
      CHECK(count == value.find("count")->natural());
    }
    CHECK(*described.find("latency")->find("unit")->string() == "ns");
    CHECK(*described.find("throughput_mops")->find("unit")->string() == "Mops");
  }
}

TEST_CASE("a report is what its schema and its check say, also one that knows less") {
  const TemporaryFolder folder;
  JsonValue report = report_of(run_racksim(folder, "run " + kScenarios + "quickstart.json --json" + kShort));
  CHECK_NOTHROW(check_report(report, "report"));
  const JsonValue schema = report_schema();
  for (const auto& [key, value] : *report.members()) CHECK(schema.find("properties")->find(key) != nullptr);
  JsonValue older = report;
  for (const char* key : {"format", "wall", "command", "inputs", "histograms", "metric_descriptions"}) older.erase(key);
  CHECK_NOTHROW(check_report(older, "report"));
  report.set("format", 2);
  CHECK_THROWS_WITH(check_report(report, "report"), Catch::Contains("/format: found the number 2, expected 1"));
}

}  // namespace report_document_test

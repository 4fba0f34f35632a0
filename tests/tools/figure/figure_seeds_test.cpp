// A figure whose points are run with several seeds, as a person runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"
#include "tools/statistics/mean_interval.hpp"

namespace figure_seeds_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

constexpr const char* kBase = R"({
  "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2},
  "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
  "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
  "run": {"measure": {"operations": 200}}})";
constexpr const char* kFigure = R"({
  "version": 1, "title": "Two", "base": "../base.json", "series": [{"name": "only"}],
  "metrics": {"throughput": "throughput_mops"},
  "sweep": {"label": "ratio", "path": "workload.read_ratio", "values": [0.5, 1]}})";

struct Figures {
  TemporaryFolder folder;
  Figures() {
    folder.write("base.json", kBase);
    folder.write("figures/two.json", kFigure);
  }
  Outcome run(const std::string& arguments) const {
    return run_racksim(folder, "figure figures/two.json --out points " + arguments);
  }
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

}  // namespace

TEST_CASE("what a figure has kept is not run again when it is asked for more seeds, and is the same") {
  const Figures figures;
  const auto two = figures.run("--seeds 2 --json"), three = figures.run("--seeds 3");
  CAPTURE(two.err, three.err);
  REQUIRE(three.status == 0);
  CHECK_THAT(three.out, Catch::Contains("each point with 3 seeds: the mean, its 95 % interval") &&
                            Catch::Contains("4 of 6 points were run by an earlier call"));
  const JsonValue before = parse_json(two.out, "two"), after = parse_json(figures.run("--seeds 3 --json").out, "three");
  const auto hash_of = [](const JsonValue& report, std::size_t point) {
    return *(*report.find("points")->elements())[point].find("run_hash")->string();
  };
  for (std::size_t x = 0; x < 2; ++x) {
    for (std::size_t seed = 0; seed < 2; ++seed) CHECK(hash_of(before, 2 * x + seed) == hash_of(after, 3 * x + seed));
  }
}

TEST_CASE("a figure with placements runs each seed with each of them, and more seeds run nothing again") {
  const Figures figures;
  figures.folder.write("base.json", R"({
    "version": 1, "rack": {"testbed": "starcache-8"}, "protocol": {"name": "nocache"},
    "workload": {"kind": "key-value", "keys": 1000, "rate": 1000000}, "run": {"measure": "200us", "drain": "1ms"}})");
  figures.folder.write("figures/two.json", R"({
    "version": 1, "base": "../base.json", "series": [{"name": "only"}], "placements": [4, 9],
    "metrics": {"throughput": "throughput_mops"},
    "sweep": {"label": "skew", "path": "workload.zipf", "values": [0.5, 0.9]}})");
  REQUIRE(figures.run("").status == 0);
  const auto two = figures.run("--seeds 2"), three = figures.run("--seeds 3 --json");
  // The figure's own runs have the scenario's seed, which is 1.
  CHECK_THAT(two.out, Catch::Contains("each point with 2 seeds with 2 placements each") &&
                          Catch::Contains("4 of 8 points were run by an earlier call"));
  const std::string csv = content(figures.folder.path() / "points/points.csv");
  CHECK_THAT(csv, Catch::StartsWith("skew,series,seed,placement,throughput [Mops],") &&
                      Catch::Contains("\n0.9,only,3,4,") && Catch::Contains("\n0.9,only,3,9,"));
  const JsonValue report = parse_json(three.out, "report");
  CHECK(*report.find("repeats")->string() == "3 seeds with 2 placements each");
  std::set<std::string> hashes;
  for (const JsonValue& point : *report.find("points")->elements()) hashes.insert(*point.find("run_hash")->string());
  CHECK(hashes.size() == 12);
  CHECK_THAT(*(*report.find("points")->elements())[3].find("command")->string(),
             Catch::Contains("seed=2") && Catch::Contains("workload.placement_seed=9"));
}

TEST_CASE("the interval of a point in the CSV is that of its seeds") {
  const Figures figures;
  REQUIRE(figures.run("--seeds 4").status == 0);
  std::istringstream csv(content(figures.folder.path() / "points/points.csv"));
  std::string line;
  std::getline(csv, line);
  const auto names = fields_of(line);
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  std::vector<double> values;
  std::vector<std::string> last;
  for (int seed = 0; seed < 4 && std::getline(csv, line); ++seed) {
    last = fields_of(line);
    values.push_back(std::stod(last.at(at("throughput [Mops]"))));
  }
  const auto interval = mean_interval(values);
  CHECK(std::stod(last.at(at("throughput mean [Mops]"))) == Approx(interval->mean));
  CHECK(std::stod(last.at(at("throughput half_width [Mops]"))) == Approx(*interval->half_width));
  CHECK(std::stod(last.at(at("throughput least [Mops]"))) == Approx(interval->least));
}

TEST_CASE("every point is run with the first seed before any is with the second") {
  const Figures figures;
  REQUIRE(figures.run("--seeds 2 --jobs 1").status == 0);
  const JsonValue report = parse_json(figures.run("--seeds 2 --json").out, "report");
  std::vector<std::string> in_order;
  std::istringstream kept(content(figures.folder.path() / "points/points.jsonl"));
  for (std::string line; std::getline(kept, line);) {
    in_order.push_back(*parse_json(line, "kept").find("answer")->find("hash")->string());
  }
  std::vector<std::string> expected;
  const auto& points = *report.find("points")->elements();
  for (const std::size_t point : {0U, 2U, 1U, 3U}) expected.push_back(*points[point].find("run_hash")->string());
  CHECK(in_order == expected);
}

}  // namespace figure_seeds_test

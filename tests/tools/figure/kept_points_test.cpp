// A figure's points on disk: what is found again, and what is not taken.
#include "tools/figure/kept_points.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "tests/tools/run_racksim.hpp"
#include "tools/figure/figure_runs.hpp"

namespace kept_points_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

KeptPoints open(const std::string& file, const char* program = "this program") {
  return {file, program, "racksim figure", "--out"};
}

std::vector<std::string> lines(const std::string& file) {
  std::vector<std::string> result;
  std::istringstream in(content(file));
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

/// Seeds 1 and 2 of a run of a few milliseconds.
Figure two_points(const TemporaryFolder& folder) {
  const std::string base = folder.write("base.json", R"({
    "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2},
    "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
    "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
    "run": {"measure": {"operations": 200}}})");
  return load_figure(folder.write("figures/two.json",
                                  R"({"version": 1, "title": "Two", "series": [{"name": "only"}], "base": ")" + base +
                                      R"(", "metrics": {"operations": "operations"},
    "sweep": {"label": "seed", "path": "seed", "values": [1, 2]}})"),
                     built_in_catalogue(), false);
}

}  // namespace

TEST_CASE("what was kept is found by point and program, and stays when more is added") {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "points.jsonl").string();
  open(file).add("a", R"({"values":[1.5]})");
  open(file).add("b", R"({"values":[2.5]})");
  const auto kept = open(file);
  CHECK(kept.find("a") == R"({"values":[1.5]})");
  CHECK(kept.find("b") == R"({"values":[2.5]})");
  CHECK_FALSE(kept.find("c"));
  CHECK_FALSE(open(file, "another program").find("a"));
  CHECK(lines(file).empty());  // nobody will ask for them again
}

TEST_CASE("of a damaged file the whole lines are taken, and the next point has a line of its own") {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "points.jsonl").string();
  {
    auto kept = open(file);
    for (const char* point : {"a", "b", "c"}) kept.add(point, R"({"values":[1234]})");
  }
  const auto whole = lines(file);
  REQUIRE(whole.size() == 3);
  std::string changed = whole[1];
  changed.replace(changed.find("1234"), 4, "1235");
  const std::string half = whole[2].substr(0, whole[2].size() / 2);
  // A value that is another, a line without its end, text that is no JSON, JSON that is no point.
  folder.write("points.jsonl", whole[0] + "\n" + changed + "\nno JSON\n[1]\n{}\n" + half);
  auto kept = open(file);
  CHECK(kept.find("a"));
  CHECK_FALSE(kept.find("b"));
  CHECK_FALSE(kept.find("c"));
  kept.add("c", R"({"values":[1234]})");
  CHECK(lines(file) == std::vector<std::string>{whole[0], whole[2]});
  // A line that lacks nothing but its end may have been cut in the midst of a number.
  folder.write("points.jsonl", whole[0]);
  CHECK_FALSE(open(file).find("a"));
}

TEST_CASE("a point is another one when its configuration or the metrics differ, and only then") {
  const TemporaryFolder folder;
  Figure figure = two_points(folder);
  const std::string first = point_identity(figure, figure.points[0]);
  CHECK(first == point_identity(two_points(folder), figure.points[0]));
  CHECK(first != point_identity(figure, figure.points[1]));
  figure.metric_names.push_back("throughput_mops");
  CHECK(first != point_identity(figure, figure.points[0]));
  CHECK(program_identity() == program_identity());
}

// A whole configuration is some thousand bytes long, and a program some million: what differs may stand anywhere.
TEST_CASE("a point is another one whatever of its configuration differs", "[figure]") {
  const TemporaryFolder folder;
  const Figure figure = two_points(folder);
  const std::string configuration_file = to_json(configuration(figure.points[0].scenario));
  REQUIRE(configuration_file.size() > 2000);
  std::set<std::string> identities{point_identity(figure, figure.points[0])};
  std::size_t expected = 1;
  for (const char* change : {"run.drain=6ms", "protocol.flowcc.block=64B", "workload.read_ratio=0.4", "rack.nodes=3",
                             "check.all=true", "name=other", "seed=3", "run.measure.operations=201"}) {
    CAPTURE(change);
    FigurePoint point = figure.points[0];
    point.scenario = load_scenario(figure.base, built_in_catalogue(), {change});
    CHECK(identities.insert(point_identity(figure, point)).second);
    ++expected;
  }
  CHECK(identities.size() == expected);
  CHECK(identities.count(program_identity()) == 0);
}

TEST_CASE("a point that reads a file is another one when the file says something else") {
  const TemporaryFolder folder;
  const auto identity = [&](const char* key) {
    folder.write("t.csv", std::string("op,key\nget,") + key + "\n");
    const std::string base = folder.write("base.json", R"({
      "version": 1, "rack": {"testbed": "starcache-8"}, "protocol": {"name": "nocache"},
      "workload": {"kind": "trace", "file": "t.csv", "sessions": "turn"}, "run": {"measure": {"operations": 1}}})");
    const Figure figure = load_figure(
        folder.write("one.json", R"({"version": 1, "title": "One", "series": [{"name": "only"}], "base": ")" + base +
                                     R"(", "metrics": {"operations": "operations"},
      "sweep": {"label": "seed", "path": "seed", "values": [1]}})"),
        built_in_catalogue(), false);
    return point_identity(figure, figure.points[0]);
  };
  const std::string first = identity("1");
  CHECK(identity("1") == first);
  CHECK(identity("2") != first);
}

TEST_CASE("kept points are not run again, and those that end are kept", "[figure]") {
  const TemporaryFolder folder;
  const Figure figure = two_points(folder);
  const std::string file = (folder.path() / "points.jsonl").string();
  {
    auto kept = open(file);
    kept.add(point_identity(figure, figure.points[0]),
             R"({"values":[123456],"hash":"of before","pass":true})");  // a value that no run gives
    const auto results = run_points(figure, built_in_catalogue(), 1, kept, {});
    CHECK(results[0].values == std::vector<double>{123456});
    CHECK(results[0].hash == "of before");
    CHECK(results[0].from_before);
    CHECK(results[1].values[0] >= 200);
    CHECK_FALSE(results[1].from_before);
  }
  auto kept = open(file);
  const auto again = run_points(figure, built_in_catalogue(), 1, kept, {});
  CHECK(again[0].hash == "of before");
  CHECK(again[1].from_before);
  CHECK(again[1].hash.size() == 32);
}

}  // namespace kept_points_test

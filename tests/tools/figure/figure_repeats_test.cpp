// Reading how often a figure's points are run.
#include "tools/figure/figure_repeats.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tools/figure/figure.hpp"

namespace figure_repeats_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

using Values = std::vector<std::uint64_t>;

Repeats read(const std::string& document, bool quick = false, std::uint64_t instead = 0) {
  return read_repeats(parse_json(document, "t"), {"t", ""}, quick, instead);
}
std::string refused(const std::string& document) {
  return refusal([&] { read(document); });
}

}  // namespace

TEST_CASE("seeds are a number of them or a list, placements a list, and a quick figure takes the first") {
  CHECK(read(R"({"seeds": 3})").values == Values{1, 2, 3});
  CHECK(read(R"({"seeds": [7, 42]})").values == Values{7, 42});
  CHECK(read(R"({"seeds": [7, 42]})", true).values == Values{7});
  CHECK(read(R"({"placements": [1, 2]})").path == "workload.placement_seed");
  CHECK(read("{}").count() == 1);
  CHECK(read("{}").text().empty());
  CHECK(read(R"({"seeds": 5})").text() == "5 seeds");
  CHECK(read(R"({"placements": [4]})").text() == "1 placement");
}

TEST_CASE("so many seeds may be asked for instead, of placements where the figure has those, and of a quick one too") {
  CHECK(read("{}", false, 3).values == Values{1, 2, 3});
  CHECK(read("{}", false, 3).path == "seed");
  CHECK(read(R"({"seeds": [7, 42]})", true, 2).values == Values{1, 2});
  const Repeats placements = read(R"({"placements": [4]})", true, 2);
  CHECK(placements.path == "workload.placement_seed");
  CHECK(placements.text() == "2 placements");
}

TEST_CASE("each point of a figure is run with each seed") {
  const JsonValue document = parse_json(R"({
    "version": 1, "base": "quickstart.json", "seeds": [3, 9],
    "sweep": {"path": "workload.sharing_ratio", "values": [0, 1]}, "series": [{"name": "only"}],
    "metrics": {"throughput": "throughput_mops"}})",
                                        "figure");
  const Figure figure = read_figure(document, "figure.json", built_in_catalogue(), false);
  REQUIRE(figure.points.size() == 4);
  CHECK(figure.points[0].scenario.seed == 3);
  CHECK(figure.points[1].scenario.seed == 9);
  CHECK(figure.points[1].sweep == 0);
  CHECK_THAT(figure.command_of(figure.points[3]), Catch::Contains("seed=9"));
}

TEST_CASE("a mistake in seeds is one line with its place") {
  CHECK(refused(R"({"seeds": 0})") ==
        "t: /seeds: found the number 0, expected an array of seeds, or how many from 1 on, at most 1000");
  CHECK_THAT(refused(R"({"seeds": []})"), Catch::StartsWith("t: /seeds: found an empty array"));
  CHECK_THAT(refused(R"({"seeds": [1, "x"]})"), Catch::StartsWith("t: /seeds/1: found the string \"x\""));
  CHECK_THAT(refused(R"({"placements": [1, 1]})"), Catch::StartsWith("t: /placements/1: found the number 1 again"));
  CHECK_THAT(refused(R"({"seeds": 2, "placements": [1]})"), Catch::StartsWith("t: /placements: found seeds beside it"));
}

}  // namespace figure_repeats_test

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

TEST_CASE("seeds are a number of them or a list, placements a list, and a quick figure takes the first of each") {
  CHECK(read(R"({"seeds": 3})").seeds == Values{1, 2, 3});
  CHECK(read(R"({"seeds": [7, 42]})").seeds == Values{7, 42});
  CHECK(read(R"({"seeds": [7, 42], "placements": [4, 5]})", true) == Repeats{{7}, {4}});
  CHECK(read(R"({"placements": [1, 2]})").placements == Values{1, 2});
  CHECK(read("{}").count() == 1);
  CHECK(read("{}").text().empty());
  CHECK(read(R"({"seeds": 5})").text() == "5 seeds");
  CHECK(read(R"({"placements": [4]})").text() == "1 placement");
  CHECK(read(R"({"seeds": 5, "placements": [1, 2]})").text() == "5 seeds with 2 placements each");
  CHECK(read(R"({"seeds": [7], "placements": [1, 2]})").text() == "1 seed with 2 placements");
}

TEST_CASE("so many seeds may be asked for instead, beside the figure's placements, and of a quick one too") {
  CHECK(read("{}", false, 3) == Repeats{{1, 2, 3}, {}});
  CHECK(read(R"({"seeds": [7, 42]})", true, 2).seeds == Values{1, 2});
  CHECK(read(R"({"placements": [4, 5]})", false, 2) == Repeats{{1, 2}, {4, 5}});
  CHECK(read(R"({"placements": [4, 5]})", true, 2) == Repeats{{1, 2}, {4}});
}

TEST_CASE("seeds are outermost, and a sample is a seed, or a placement where there are not several seeds") {
  const Repeats both{{7, 9}, {1, 2, 3}};
  REQUIRE(both.runs() == 6);
  CHECK(both.count() == 2);
  std::string order;
  for (std::size_t run = 0; run < both.runs(); ++run) {
    for (const Repeats::Setting& setting : both.of_run(run))
      order += std::string(setting.path) + '=' + std::to_string(setting.value) + ' ';
    order += "in " + std::to_string(both.sample_of(run)) + '\n';
  }
  CHECK(order ==
        "seed=7 workload.placement_seed=1 in 0\nseed=7 workload.placement_seed=2 in 0\n"
        "seed=7 workload.placement_seed=3 in 0\nseed=9 workload.placement_seed=1 in 1\n"
        "seed=9 workload.placement_seed=2 in 1\nseed=9 workload.placement_seed=3 in 1\n");
  CHECK(both.samples_text() == "2 seeds");
  const Repeats one_seed{{7}, {1, 2, 3}};
  CHECK(one_seed.count() == 3);
  CHECK(one_seed.sample_of(2) == 2);
  CHECK(one_seed.samples_text() == "3 placements");
  CHECK(Repeats{{7}, {}}.samples_text() == "1 seed");
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
}

}  // namespace figure_repeats_test

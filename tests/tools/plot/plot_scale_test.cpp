// Which scale a plot has where nobody says, and which ones are refused.
#include "tools/plot/plot_scale.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"

namespace plot_scale_test {

using namespace racksim::tools;
using Catch::Contains;

namespace {

std::string refused(const std::string& name, const std::vector<double>& values, bool has_names) {
  return testing::refusal([&] { scale_named(name, {"f", "/scale"}, values, has_names); });
}

}  // namespace

TEST_CASE("names and numbers too near to each other are categories, other numbers keep their proportions") {
  CHECK(usual_scale({0, 0.5, 1}, false) == PlotScale::linear);
  CHECK(usual_scale({0, 1, 2}, true) == PlotScale::categories);
  CHECK(usual_scale({1, 2, 1000}, false) == PlotScale::categories);
  CHECK(usual_scale({0, 0.9, 0.95, 0.99}, false) == PlotScale::linear);
  CHECK(usual_scale({3}, false) == PlotScale::linear);
  CHECK(usual_scale({}, false) == PlotScale::categories);
}

TEST_CASE("numbers alone are linear or logarithmic") {
  CHECK(value_scale_names() == std::vector<std::string>{"linear", "log"});
}

TEST_CASE("a scale is taken by its name, with the nearest for one mistyped, and only where it has a place for all") {
  CHECK(scale_named("log", {"f", ""}, {1, 10}, false) == PlotScale::log);
  CHECK(scale_named("categories", {"f", ""}, {0, 1}, true) == PlotScale::categories);
  CHECK_THAT(refused("lgo", {1}, false), Contains("did you mean \"log\"?"));
  CHECK_THAT(refused("log", {0, 1}, false), Contains("f: /scale: found \"log\" for 0"));
  CHECK_THAT(refused("linear", {0, 1}, true), Contains("\"linear\" for names"));
}

}  // namespace plot_scale_test

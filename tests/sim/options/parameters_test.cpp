// Declarations: an option that is declared twice is a defect that names both places.
#include "sim/options/parameters.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace parameters_test {

using Catch::Contains;
using racksim::sim::Duration;
using racksim::sim::Parameters;

namespace {

std::string place(unsigned line) {
  return "options/parameters_test.cpp:" + std::to_string(line);
}

struct Inner {
  bool on = false;
  static constexpr unsigned kLine = __LINE__ + 1;
  void declare(Parameters& p) { p.flag("on", on, "Whether it is on."); }
};

}  // namespace

TEST_CASE("an option that is declared twice is a defect, which names both places") {
  Parameters parameters;
  std::uint64_t one = 0, two = 0;
  const unsigned first = __LINE__ + 1;
  parameters.integer("size", one, 0, 9, "The size.");
  const unsigned second = __LINE__ + 1;
  const auto again = [&] { parameters.integer("size", two, 0, 9, "The size again."); };
  CHECK_THROWS_AS(again(), std::logic_error);
  CHECK_THROWS_WITH(
      again(), Contains("the option \"size\" is declared twice") && Contains(place(first)) && Contains(place(second)));
  CHECK(parameters.all().size() == 1);
}

TEST_CASE("an option of an inner object is known under its whole name") {
  Parameters parameters;
  Inner a, b, c;
  const unsigned first = __LINE__ + 1;
  parameters.flag("x.on", c.on, "Whether it is on.");
  CHECK_NOTHROW(parameters.object("y", a));
  CHECK_THROWS_WITH(parameters.object("x", b), Contains("the option \"x.on\" is declared twice") &&
                                                   Contains(place(first)) && Contains(place(Inner::kLine)));
}

TEST_CASE("a description says what a default was published as, estimated from or fitted to") {
  Parameters parameters;
  Duration published, guessed, fitted, plain;
  const Duration most = Duration::from_ps(1000);
  parameters.length("a", published, {}, most, "work").published("§7");
  parameters.length("b", guessed, {}, most, "work").estimate("a cache miss");
  parameters.length("c", fitted, {}, most, "work").calibrated("Fig. 8");
  parameters.length("d", plain, {}, most, "work");
  std::vector<std::string> described;
  for (const auto& parameter : parameters.all()) described.push_back(parameter.described());
  CHECK(described ==
        std::vector<std::string>{"work (§7)", "work (estimate: a cache miss)", "work (calibrated: Fig. 8)", "work"});
}

}  // namespace parameters_test

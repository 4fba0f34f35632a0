// Registries: entries by name, whatever the order in which they came, and a name taken twice.
#include "sim/options/registry.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using Catch::Contains;
using racksim::sim::Registration;
using racksim::sim::Registry;

namespace {

struct Animal {
  static constexpr std::string_view kWhat = "animal";
  std::string name;
  int legs = 0;
};

const Registration<Animal> ox({.name = "ox", .legs = 4});
const Registration<Animal> crane({.name = "crane", .legs = 2});
const Registration<Animal> ant({.name = "ant", .legs = 6});

struct Clash {
  static constexpr std::string_view kWhat = "clash";
  std::string name;
};

}  // namespace

TEST_CASE("a registry has its entries in the order of their names, and finds them") {
  std::vector<std::string> names;
  for (const Animal& animal : Registry<Animal>::entries()) names.push_back(animal.name);
  CHECK(names == std::vector<std::string>{"ant", "crane", "ox"});
  REQUIRE(Registry<Animal>::find("crane") != nullptr);
  CHECK(Registry<Animal>::find("crane")->legs == 2);
  CHECK(Registry<Animal>::find("cran") == nullptr);
}

TEST_CASE("a name that is registered twice is a defect, which names both places, for whoever looks") {
  const auto register_one = [] { Registration<Clash>({.name = "one"}); };
  const unsigned first = __LINE__ - 1, second = __LINE__ + 3;
  CHECK_NOTHROW(register_one());
  CHECK(Registry<Clash>::find("one") != nullptr);
  const auto register_again = [] { Registration<Clash>({.name = "one"}); };
  CHECK_NOTHROW(register_again());
  const auto place = [](unsigned line) { return "registry_test.cpp:" + std::to_string(line); };
  CHECK_THROWS_AS(Registry<Clash>::entries(), std::logic_error);
  CHECK_THROWS_WITH(Registry<Clash>::find("one"), Contains("the clash \"one\" is registered twice") &&
                                                      Contains(place(first)) && Contains(place(second)));
}

// Registries: entries by name, whatever the order in which they came, a name taken twice, and one without a maker.
#include "sim/options/registry.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace registry_test {

using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;
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

struct Made {
  static constexpr std::string_view kWhat = "made thing";
  std::string name;
  std::function<int()> make = {};
};

struct MadeOfOptions {
  static constexpr std::string_view kWhat = "thing with options";
  std::string name;
  std::function<int()> make_options = {};
};

/// Two registrations, the second of which has no maker; the line of that one.
template <class Entry>
unsigned register_without_maker(Entry first) {
  Registration<Entry>(std::move(first));
  Registration<Entry>({.name = "void"});
  return __LINE__ - 1;
}

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

TEST_CASE("an entry without what makes it is a defect, which names its place, for whoever looks") {
  const auto begins = [](const char* what) { return std::string("the ") + what + " \"void\" is registered in "; };
  const auto ends = [](unsigned line) {
    return "registry_test.cpp:" + std::to_string(line) + " without what makes it";
  };
  const unsigned made = register_without_maker(Made{.name = "one", .make = [] { return 1; }});
  CHECK_THROWS_AS(Registry<Made>::entries(), std::logic_error);
  CHECK_THROWS_WITH(Registry<Made>::find("one"), StartsWith(begins("made thing")) && EndsWith(ends(made)));
  const unsigned of_options = register_without_maker(MadeOfOptions{.name = "one", .make_options = [] { return 1; }});
  CHECK_THROWS_WITH(Registry<MadeOfOptions>::entries(),
                    StartsWith(begins("thing with options")) && EndsWith(ends(of_options)));
}

}  // namespace registry_test

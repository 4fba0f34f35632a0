// Where numbers come from: few constants of a testbed are fitted, and every number that a protocol has by default is
// published, an estimate, or fitted to a number that a figure names. That testbeds name their sources:
// shipped_files_test.cpp.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <type_traits>
#include <variant>

#include "tools/figure/figure.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/catalogue.hpp"
#include "tools/scenario/scenario.hpp"

namespace provenance_test {

using namespace racksim;
using namespace racksim::tools;
using sim::Parameter;

namespace {

std::vector<std::string> testbeds() {
  auto all = json_names_below(scenarios_folder() / "testbeds");
  std::erase_if(all, [](const std::string& name) { return name.starts_with("parts/"); });
  return all;
}

/// Calls `visit` with the name of each protocol and each of its options.
template <class Visit>
void each_default(Visit visit) {
  for (const auto& protocol : built_in_catalogue().protocols) {
    sim::Parameters parameters;
    const auto made = protocol.make(parameters);
    for (const Parameter& parameter : parameters.all()) visit(protocol.name, parameter);
  }
}

/// Whether its default is a number: a length of time too, but no null.
bool has_number(const Parameter& parameter) {
  return std::visit(
      [](const auto& kind) {
        using Kind = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, Parameter::OptionalInteger> ||
                      std::is_same_v<Kind, Parameter::OptionalReal>) {
          return kind.target->has_value();
        } else {
          return !std::is_same_v<Kind, Parameter::Flag> && !std::is_same_v<Kind, Parameter::Choice> &&
                 !std::is_same_v<Kind, Parameter::Text>;
        }
      },
      parameter.kind);
}

}  // namespace

TEST_CASE("at most three constants of a testbed are fitted, each to one number") {
  const Catalogue catalogue = built_in_catalogue();
  const std::vector<std::string> all = testbeds();
  REQUIRE(all.size() >= 5);
  for (const std::string& name : all) {
    CAPTURE(name);
    const Testbed testbed = load_testbed((scenarios_folder() / "testbeds" / (name + ".json")).string(), catalogue);
    std::set<std::string> fitted_to;
    std::size_t fitted = 0;
    for (const Annotation& annotation : testbed.annotations) {
      if (annotation.calibrated.empty()) continue;
      ++fitted;
      fitted_to.insert(annotation.calibrated);
    }
    CHECK(fitted <= 3);
    CHECK(fitted_to.size() == fitted);
  }
}

TEST_CASE("every number that a protocol has by default says where it comes from") {
  int numbers = 0;
  each_default([&](const std::string& protocol, const Parameter& parameter) {
    if (!has_number(parameter)) return;
    ++numbers;
    CAPTURE(protocol, parameter.name);
    // All that say nothing are told at once.
    CHECK(parameter.basis);
    if (parameter.basis) CHECK(parameter.basis->text.size() > 5);
  });
  CHECK(numbers >= 170);
}

TEST_CASE("a protocol's default that was fitted stands among the fitted constants of a figure") {
  // By the option's name: protocols share options, and a figure runs one of them.
  std::set<std::string> fitted;
  for (const std::string& name : json_names_below(scenarios_folder() / "figures")) {
    const auto file = (scenarios_folder() / "figures" / (name + ".json")).string();
    for (const Calibration& calibration : load_figure(file, built_in_catalogue(), true).calibrated) {
      if (!calibration.constant.starts_with("protocol.")) continue;
      fitted.insert(calibration.constant.substr(calibration.constant.find('.', 9) + 1));
    }
  }
  each_default([&](const std::string& protocol, const Parameter& parameter) {
    if (!parameter.basis || parameter.basis->of != Parameter::Basis::Of::calibrated) return;
    CAPTURE(protocol, parameter.name);
    CHECK(fitted.contains(parameter.name));
  });
}

}  // namespace provenance_test

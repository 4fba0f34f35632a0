// The strength of templates: a mechanism that is turned off is found by the template that exercises it, and one that
// leaves it alone is told to be weak.
#include "tools/fuzz/strength.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/tools/fuzz/template_plan.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/json/input_error.hpp"

namespace strength_test {

using namespace racksim;
using namespace racksim::tools;
using racksim::tools::testing::plan_of;
using racksim::tools::testing::template_file;

namespace {

Strength strength_of(const std::vector<std::string>& templates, std::uint64_t runs,
                     const std::vector<std::string>& overrides = {}) {
  static const Catalogue catalogue = built_in_catalogue();
  return measure_strength(templates, overrides, 1, plan_of(runs), catalogue, [](const auto&, const auto&) {});
}

}  // namespace

TEST_CASE("each mechanism is found within the runs by one of the templates, which is named with the oracle") {
  const Strength strength = strength_of({template_file("sel.json"), template_file("sel-locks.json")}, 40);
  CHECK(strength.fails_as_it_is.empty());
  REQUIRE(strength.searches.size() == 3);
  CHECK(strength.missed() == 0);
  for (const MechanismSearch& search : strength.searches) {
    INFO(search.mechanism.option);
    REQUIRE(search.found_after);
    CHECK(*search.found_after <= 40);
    CHECK_FALSE(search.oracle.empty());
    CHECK(search.acts);
    // Only who holds a lock across several accesses sees that it was given back too early.
    CHECK(search.template_file ==
          template_file(search.mechanism.option == "write_first" ? "sel-locks.json" : "sel.json"));
  }
}

TEST_CASE("a template that leaves a mechanism alone is weak, whether its runs go another way without it or not") {
  const Strength without_locks = strength_of({template_file("sel.json")}, 20);
  CHECK(without_locks.missed() == 1);
  CHECK(without_locks.searches.back().mechanism.option == "write_first");
  CHECK(without_locks.searches.back().acts);

  // Nobody writes, so nothing is ever sent again that must not be done twice.
  const Strength readers = strength_of({template_file("nocache.json")}, 20, {"workload.write_ratio=0", "faults=[]"});
  REQUIRE(readers.searches.size() == 1);
  CHECK(readers.missed() == 1);
}

TEST_CASE("a template that fails as it is says nothing of any mechanism") {
  const Strength broken = strength_of({template_file("sel.json")}, 20, {"protocol.sel.latch=false"});
  CHECK_THAT(broken.fails_as_it_is, Catch::Contains("sel.json, run "));
  CHECK(broken.searches.empty());
}

TEST_CASE("templates of several protocols have no mechanisms in common") {
  CHECK_THROWS_WITH(strength_of({template_file("sel.json"), template_file("nocache.json")}, 1),
                    Catch::Contains("nocache.json: /protocol/name: found \"nocache\"") && Catch::Contains("\"sel\""));
}

TEST_CASE("racksim fuzz --strength ends with 1 if a mechanism is not found, with 0 if all are, and prints each") {
  const tools::testing::TemporaryFolder folder;
  const std::string command = "fuzz " + template_file("sel.json") + " --strength --runs 20";
  const tools::testing::Outcome weak = tools::testing::run_racksim(folder, command);
  CHECK(weak.status == 1);
  CHECK_THAT(weak.out, Catch::Contains("write_first") && Catch::Contains("NOT FOUND: runs went another way") &&
                           Catch::Contains("2 of 3 mechanisms found") && Catch::Contains("verdict      FAIL"));
  const tools::testing::Outcome strong =
      tools::testing::run_racksim(folder, command + " --beside " + template_file("sel-locks.json"));
  CHECK(strong.status == 0);
  CHECK_THAT(strong.out, Catch::Contains("3 of 3 mechanisms found") && Catch::Contains("verdict      pass"));
  CHECK(tools::testing::run_racksim(folder, command + " --bless").status == 2);
  CHECK(tools::testing::run_racksim(
            folder, "fuzz " + template_file("sel.json") + " --beside " + template_file("sel-locks.json"))
            .status == 2);
}

}  // namespace strength_test

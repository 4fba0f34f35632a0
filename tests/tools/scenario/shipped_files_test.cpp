// The files that come with the program: the schema is what the declarations say, and every scenario and testbed is
// valid.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tools/files/data_files.hpp"
#include "tools/json/json_document.hpp"
#include "tools/kinds/file_schemas.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/scenario.hpp"

namespace shipped_files_test {

using namespace racksim::tools;

TEST_CASE("the committed schemas are those that racksim schema prints") {
  const Catalogue catalogue = built_in_catalogue();
  for (const FileSchema& schema : file_schemas()) {
    std::ifstream file(scenarios_folder() / "schema" / (schema.name + ".json"));
    std::stringstream committed;
    committed << file.rdbuf();
    INFO("renew it with: racksim schema " << schema.name << " > scenarios/schema/" << schema.name << ".json");
    CHECK((committed.str() == to_folded_json(schema.make(catalogue))));  // too long to be shown
  }
  CHECK(json_names_below(scenarios_folder() / "schema").size() == file_schemas().size());
}

TEST_CASE("every scenario that comes with the program is valid") {
  const Catalogue catalogue = built_in_catalogue();
  std::size_t scenarios = 0;
  for (const std::string& name : json_names_below(scenarios_folder())) {
    if (name.starts_with("schema/") || name.starts_with("figures/") || name.starts_with("claims/") ||
        name.starts_with("switch/") || name.find("baselines/") != std::string::npos) {
      continue;
    }
    const std::string path = (scenarios_folder() / (name + ".json")).string();
    INFO(path);
    if (name.starts_with("testbeds/parts/")) continue;  // no testbeds by themselves
    if (name.starts_with("testbeds/")) {
      CHECK_NOTHROW(load_testbed(path, catalogue));
      continue;
    }
    const auto cases = case_names(read_json_file(path));
    if (cases.empty()) CHECK_NOTHROW(load_scenario(path, catalogue));
    for (const auto& each : cases) CHECK_NOTHROW(load_scenario(path + "/" + each, catalogue));
    scenarios += std::max<std::size_t>(1, cases.size());
  }
  CHECK(scenarios > 200);
}

TEST_CASE("every constant of a testbed with all constants names its source") {
  const auto name = GENERATE("cckvs-9.json", "concordia-8.json", "gam-8.json", "selcc-16.json");
  INFO(name);
  const auto testbed = load_testbed((scenarios_folder() / "testbeds" / name).string(), built_in_catalogue());
  for (const auto& parameter : testbed.rack.parameters.all()) {
    INFO(parameter.name);
    const auto annotated = std::find_if(testbed.annotations.begin(), testbed.annotations.end(),
                                        [&](const Annotation& a) { return a.name == parameter.name; });
    REQUIRE(annotated != testbed.annotations.end());
    CHECK(!annotated->source.empty());
  }
}

}  // namespace shipped_files_test

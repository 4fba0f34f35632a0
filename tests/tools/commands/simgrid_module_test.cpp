// Where the program finds the module with SimGrid, and what it does without one that it can load.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace simgrid_module_test {

namespace fs = std::filesystem;
using namespace racksim::tools::testing;

namespace {

/// A copy of the program, with a module that is none, in this folder from the program's.
struct BrokenInstallation {
  explicit BrokenInstallation(const std::string& module_folder) {
    fs::create_directories(program.parent_path());
    fs::copy_file(racksim::places::racksim_program(), program);
    fs::create_directories(program.parent_path() / module_folder);
    std::ofstream(program.parent_path() / module_folder / "racksim_simgrid.so") << "no module";
  }
  Outcome run(const std::string& arguments) const { return run_racksim(folder, arguments, program.string()); }

  const TemporaryFolder folder;
  const fs::path program = folder.path() / "bin" / "racksim";
};

}  // namespace

TEST_CASE("a program that cannot load the module says so where something is to run, and ends with 3") {
  const std::string module_folder = GENERATE(".", "../lib/racksim");
  const BrokenInstallation broken(module_folder);
  for (const auto* command : {"run scenarios/quickstart.json", "fuzz scenarios/fuzz/flowcc.json --runs 1"}) {
    INFO(command);
    const auto output = broken.run(command);
    CHECK(output.status == 3);
    CHECK_THAT(output.err, Catch::StartsWith("racksim: nothing can run without racksim_simgrid.so: ") &&
                               Catch::Contains("racksim_simgrid.so: file too short"));
    CHECK(output.out.empty());
  }
}

TEST_CASE("what runs nothing does without the module") {
  const BrokenInstallation broken(".");
  for (const auto* command :
       {"list protocols", "validate scenarios/fuzz/flowcc.json", "schema scenario", "fit starcache", "table nocache"}) {
    INFO(command);
    CHECK(broken.run(command).status == 0);
  }
}

}  // namespace simgrid_module_test

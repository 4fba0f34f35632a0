// Testbeds that are kept from one reading to the next, and the files that they come from.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/tools/temporary_folder.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/scenario.hpp"

namespace testbed_files_test {

using namespace racksim::tools;
using racksim::tools::testing::TemporaryFolder;

namespace {

struct Files {
  Files() {
    folder.write("parts/few.json", R"({"nodes": 3})");
    folder.write("own.json", R"({"version": 1, "base": "parts/few.json"})");
  }
  unsigned nodes() const {
    return testbed_from_files({(folder.path() / "scenario.json").string(), "/rack/testbed"}, "own",
                              built_in_catalogue())
        .rack.options->nodes;
  }
  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("a testbed is as its files are now, however often it was read before") {
  Files files;
  CHECK(files.nodes() == 3);
  CHECK(files.nodes() == 3);
  files.folder.write("parts/few.json", R"({"nodes": 5})");  // as many bytes, and perhaps the same time
  CHECK(files.nodes() == 5);
  files.folder.write("own.json", R"({"version": 1, "base": "parts/few.json", "nodes": 4})");
  CHECK(files.nodes() == 4);
}

TEST_CASE("a testbed that has gone or is broken is refused, and read again once it is back") {
  Files files;
  CHECK(files.nodes() == 3);
  files.folder.write("parts/few.json", R"({"nodes": )");
  CHECK_THROWS_AS(files.nodes(), InputError);
  std::filesystem::remove(files.folder.path() / "parts/few.json");
  CHECK_THROWS_AS(files.nodes(), InputError);
  files.folder.write("parts/few.json", R"({"nodes": 6})");
  CHECK(files.nodes() == 6);
}

}  // namespace testbed_files_test

// What tools/prepare.sh says of a first build, and how it tells ninja's progress.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace first_build_test {

using Catch::Matchers::Contains;
using racksim::tools::testing::content;
using racksim::tools::testing::TemporaryFolder;

namespace {

/// What a line of bash says when it has the functions of tools/prepare.sh, in a tree where nothing has been built.
std::string said_by(const std::string& line) {
  const TemporaryFolder folder;
  folder.write("line", "root=" + folder.path().string() + "\nsource '" + racksim::places::source_folder() +
                           "/tools/prepare.sh'\n" + line + "\n");
  const auto said = (folder.path() / "said").string();
  CHECK(std::system(("bash " + (folder.path() / "line").string() + " >" + said + " 2>&1").c_str()) == 0);
  return content(said);
}

}  // namespace

TEST_CASE("a first build says what time and room it takes before it begins") {
  const auto said = said_by("nproc() { echo 4; }; announce release racksim");
  CHECK_THAT(said, Contains("first build of the release flavour, in build/release"));
  CHECK_THAT(said, Contains("about 4 minutes on 4 cores") && Contains("60 MB"));
  CHECK_THAT(said_by("nproc() { echo 4; }; announce release"), Contains("about 8 minutes"));
  CHECK(said_by("announce release >/dev/null 2>&1; announce release").empty());
  CHECK(said_by("mkdir -p $root/build/release; touch $root/build/release/build.ninja; announce release").empty());
  CHECK_THAT(said_by("announce clang"), !Contains("minutes") && Contains("every source"));
}

TEST_CASE("where nobody looks on, progress is a line a minute with what is left") {
  const auto said = said_by(
      "printf '@ 1 100 2.0 x\\n@ 20 100 30.0 x\\n@ 40 100 61.0 x\\n@ 41 100 62.0 x\\n@ 80 100 125.0 x\\n' | "
      "show_progress 0");
  CHECK(said ==
        "racksim: building: step 40 of 100, 61 s, about 2 minutes left\n"
        "racksim: building: step 80 of 100, 125 s, about 40 seconds left\n");
}

TEST_CASE("before a tenth of the steps is done, what is left is what was expected") {
  CHECK_THAT(said_by("printf '@ 2 100 60.0 x\\n' | show_progress 480"), Contains("about 7 minutes left"));
}

TEST_CASE("what a compiler says passes through, and nothing is said where nothing is to be built") {
  CHECK(said_by("printf 'error: no such thing\\n' | show_progress 0") == "error: no such thing\n");
  CHECK(said_by("printf 'ninja: no work to do.\\n' | show_progress 480").empty());
}

}  // namespace first_build_test

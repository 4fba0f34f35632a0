// Files that appear whole or not at all.
#include "tools/files/write_file.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"

namespace write_file_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
namespace fs = std::filesystem;

TEST_CASE("a draft that is not kept leaves what was there, and nothing beside it") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "of before");
  {
    DraftFile draft(file, "test", "--out");
    draft.stream() << "half of" << std::flush;
    CHECK(content(file) == "of before");
    CHECK(fs::exists(file + ".part"));
  }
  CHECK(content(file) == "of before");
  CHECK_FALSE(fs::exists(file + ".part"));
  write_file(file, "of now", "test", "--out");
  CHECK(content(file) == "of now");
  CHECK_FALSE(fs::exists(file + ".part"));
}

TEST_CASE("folders on the way are made, and a place that is no good is bad input") {
  const TemporaryFolder folder;
  write_file(folder.path() / "a/b/file", "text", "test", "--out");
  CHECK(content(folder.path() / "a/b/file") == "text");
  CHECK_THAT(refusal([&] { write_file(folder.path() / "a/b/file/c", "text", "test", "--out"); }),
             Catch::Contains("test: --out") && Catch::Contains("a file that can be written"));
  CHECK_THAT(refusal([&] { write_file(folder.path() / "a", "text", "test", "--out"); }), Catch::Contains("--out"));
}

TEST_CASE("a link stays one, and what is no regular file is written as it is") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "of before");
  fs::create_symlink(file, folder.path() / "link");
  write_file(folder.path() / "link", "of now", "test", "--out");
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(content(file) == "of now");

  fs::create_symlink("/dev/null", folder.path() / "nowhere");
  write_file(folder.path() / "nowhere", "text", "test", "--out");
  CHECK(fs::is_symlink(folder.path() / "nowhere"));
  CHECK(fs::is_character_file("/dev/null"));

  // A device that takes nothing: the place is good, the output is lost.
  fs::create_symlink("/dev/full", folder.path() / "full");
  CHECK_THROWS_AS(write_file(folder.path() / "full", "text", "test", "--out"), OutputError);
  CHECK(fs::is_symlink(folder.path() / "full"));
}

}  // namespace write_file_test

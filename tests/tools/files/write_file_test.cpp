// Files that appear whole or not at all.
#include "tools/files/write_file.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/files/data_files.hpp"

namespace write_file_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
namespace fs = std::filesystem;

namespace {

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::recursive_directory_iterator(folder.path()), fs::recursive_directory_iterator()));
}

}  // namespace

TEST_CASE("a draft that is not kept leaves what was there, and nothing beside it") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "of before");
  {
    DraftFile draft(file, "test", "--out");
    draft.stream() << "half of" << std::flush;
    CHECK(content(file) == "of before");
    CHECK(draft.draft().extension() == ".part");
    CHECK(content(draft.draft()) == "half of");
  }
  CHECK(content(file) == "of before");
  CHECK(files_in(folder) == 1);
  write_file(file, "of now", "test", "--out");
  CHECK(content(file) == "of now");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a draft has a name of its own and takes nobody's file") {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "file").string();
  const std::string others = folder.write("file.part", "of somebody else");
  DraftFile one(file, "test", "--out"), two(file, "test", "--out");
  CHECK(one.draft() != two.draft());
  std::string next = one.draft().filename().string();
  next.replace(next.rfind('-'), std::string::npos, "-2.part");
  const std::string taken = folder.write(next, "of somebody else");
  CHECK(DraftFile(file, "test", "--out").draft() != taken);
  one.stream() << "one";
  two.stream() << "two";
  one.keep();
  CHECK(content(file) == "one");
  two.keep();
  CHECK(content(file) == "two");
  CHECK(content(others) == "of somebody else");
  CHECK(content(taken) == "of somebody else");
  // A name of 250 characters leaves no room for a longer one.
  const fs::path longest = folder.path() / std::string(250, 'x');
  write_file(longest, "text", "test", "--out");
  CHECK(content(longest) == "text");
}

TEST_CASE("a file that is replaced keeps its mode") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "of before");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_file(file, "of now", "test", "--out");
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a link to a file that is yet to be made stays one, and so do links to links") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "inside");
  fs::create_symlink("inside/file", folder.path() / "link");
  fs::create_symlink("link", folder.path() / "another");
  write_file(folder.path() / "another", "text", "test", "--out");
  CHECK(fs::is_symlink(folder.path() / "another"));
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(content(folder.path() / "inside/file") == "text");
  fs::create_symlink("circle", folder.path() / "circle");
  CHECK_THAT(refusal([&] { write_file(folder.path() / "circle", "text", "test", "--out"); }),
             Catch::Contains("a file that can be written"));
}

TEST_CASE("an input is not written over, by whatever way it is reached") {
  const TemporaryFolder folder;
  const std::string input = folder.write("folder/input", "read");
  note_input(input);
  fs::create_symlink("folder", folder.path() / "other");
  fs::create_symlink("folder/input", folder.path() / "link");
  fs::create_hard_link(input, folder.path() / "hard");
  for (const char* way : {"folder/input", "folder/../folder/./input", "other/input", "link", "hard"}) {
    CAPTURE(way);
    CHECK(refusal([&] { write_file(folder.path() / way, "text", "test", "--out"); }) ==
          "test: --out: found \"" + (folder.path() / way).string().substr(0, 60) +
              ((folder.path() / way).string().size() > 60 ? "...\"" : "\"") + ", expected a file other than \"" +
              input.substr(0, 60) + (input.size() > 60 ? "...\"" : "\"") + ", which is read");
  }
  CHECK(content(input) == "read");
  write_file(folder.path() / "folder/output", "text", "test", "--out");
  CHECK(content(folder.path() / "folder/output") == "text");
}

TEST_CASE("places are checked without a trace") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "of before");
  check_output(folder.path() / "a/b/new", "test", "--out");
  check_output(folder.path() / "new", "test", "--out");
  check_output(file, "test", "--out");
  check_output("/dev/null", "test", "--out");
  check_output_folder(folder.path() / "a/b", "test", "--out");
  check_output_folder(folder.path(), "test", "--out");
  CHECK(content(file) == "of before");
  CHECK(files_in(folder) == 1);
  CHECK_THAT(refusal([&] { check_output(folder.path() / "file/new", "test", "--out"); }), Catch::Contains("--out"));
  CHECK_THAT(refusal([&] { check_output_folder(folder.path() / "file/new", "test", "--out"); }),
             Catch::Contains("a folder that can be made"));
  CHECK_THAT(refusal([&] { check_output_folder("/proc/racksim", "test", "--out"); }), Catch::Contains("--out"));
  CHECK_THAT(refusal([&] { check_output_folder("/proc", "test", "--out"); }), Catch::Contains("--out"));
  CHECK(files_in(folder) == 1);
}

TEST_CASE("drafts are gone where the program is ended at once") {
  const TemporaryFolder folder;
  DraftFile one(folder.path() / "one", "test", "--out"), two(folder.path() / "two", "test", "--out");
  CHECK(files_in(folder) == 2);
  remove_drafts();
  CHECK(files_in(folder) == 0);
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

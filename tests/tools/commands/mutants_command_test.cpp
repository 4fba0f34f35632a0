// `tools/mutants --check`, on the patches of the tree and on ones that do not apply.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/places.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace mutants_command_test {

using Catch::Matchers::Contains;
using racksim::tools::testing::TemporaryFolder;

namespace fs = std::filesystem;

namespace {

const fs::path kRoot = racksim::places::source_folder();

struct Outcome {
  int status;
  std::string said;  ///< standard error
};

Outcome check(const fs::path& tree) {
  const TemporaryFolder folder;
  const auto errors = (folder.path() / "errors").string();
  const int status = std::system((tree.string() + "/tools/mutants --check >/dev/null 2>" + errors).c_str());
  std::ostringstream said;
  said << std::ifstream(errors).rdbuf();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, said.str()};
}

/// A tree of its own with the command, and one protocol of one file.
class SmallTree {
 public:
  SmallTree() {
    fs::create_directories(path() / "tools");
    fs::create_directories(path() / "tests/mutants");
    for (const char* file : {"tools/mutants", "tools/prepare.sh", "tests/mutants/apply"}) {
      fs::copy_file(kRoot / file, path() / file);
    }
    folder_.write("protocols/echo/echo.cpp", "int answer() {\n  wait();\n  return 1;\n}\n");
  }
  const fs::path& path() const { return folder_.path(); }

  /// Adds a mutant that takes `line` out of lines 1 to 3 of the protocol.
  void add_mutant(const std::string& name, const std::string& line) const {
    folder_.write("tests/mutants/echo/" + name + ".patch",
                  "Answers too early.\n\n--- a/protocols/echo/echo.cpp\n+++ b/protocols/echo/echo.cpp\n"
                  "@@ -1,3 +1,2 @@\n int answer() {\n-  " +
                      line + "\n   return 1;\n");
  }
  /// Adds a mutant of that protocol that takes `line` out of the only header of another folder.
  void add_mutant_of_base(const std::string& name, const std::string& line) const {
    folder_.write("protocols/base/base.hpp", "int limit = 8;\n");
    folder_.write("tests/mutants/echo/" + name + ".patch",
                  "Knows no limit.\n\n--- a/protocols/base/base.hpp\n+++ b/protocols/base/base.hpp\n@@ -1 +1 @@\n-" +
                      line + "\n+int limit = 0;\n");
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("every mutant applies to its protocol of today") {
  const auto outcome = check(kRoot);
  INFO(outcome.said);
  CHECK(outcome.status == 0);
}

TEST_CASE("a mutant that applies passes the check and leaves its protocol as it was") {
  const SmallTree tree;
  tree.add_mutant("no-wait", "wait();");
  CHECK(check(tree.path()).status == 0);
  std::ostringstream source;
  source << std::ifstream(tree.path() / "protocols/echo/echo.cpp").rdbuf();
  CHECK_THAT(source.str(), Contains("wait();"));
}

TEST_CASE("a mutant may change a header of what its protocol is built on") {
  const SmallTree tree;
  tree.add_mutant_of_base("no-limit", "int limit = 8;");
  CHECK(check(tree.path()).status == 0);
  tree.add_mutant_of_base("no-count", "int count = 8;");
  const auto outcome = check(tree.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.said, Contains("echo/no-count") && !Contains("echo/no-limit"));
}

TEST_CASE("a mutant that no longer applies fails the check and is named") {
  const SmallTree tree;
  tree.add_mutant("no-wait", "wait();");
  tree.add_mutant("no-pause", "pause();");
  const auto outcome = check(tree.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.said, Contains("echo/no-pause") && !Contains("echo/no-wait"));
}

TEST_CASE("a mutant of a protocol that does not exist fails the check") {
  const SmallTree tree;
  fs::rename(tree.path() / "protocols/echo", tree.path() / "protocols/other");
  tree.add_mutant("no-wait", "wait();");
  const auto outcome = check(tree.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.said, Contains("protocols/echo"));
}

}  // namespace mutants_command_test

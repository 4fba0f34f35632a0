// `tools/mutants --check` and `--list`, on the patches of the tree and on ones that do not apply.
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
  std::string printed;
  std::string said;  ///< standard error
};

std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Outcome mutants(const fs::path& tree, const std::string& arguments) {
  const TemporaryFolder folder;
  const auto output = folder.path() / "output", errors = folder.path() / "errors";
  const int status = std::system(
      (tree.string() + "/tools/mutants " + arguments + " >" + output.string() + " 2>" + errors.string()).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(output), contents(errors)};
}

Outcome check(const fs::path& tree) {
  return mutants(tree, "--check");
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
  /// Adds a mutant of the layer sim that takes `line` out of the only source that a layer has.
  void add_mutant_of_layer(const std::string& name, const std::string& line, const std::string& layer = "sim") const {
    folder_.write(layer + "/kernel/clock.cpp", "int now() {\n  advance();\n  return 1;\n}\n");
    const auto file = layer + "/kernel/clock.cpp";
    folder_.write("tests/mutants/sim/" + name + ".patch",
                  "Time stands still.\nTemplate: echo\n\n--- a/" + file + "\n+++ b/" + file +
                      "\n@@ -1,3 +1,2 @@\n int now() {\n-  " + line + "\n   return 1;\n");
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("every mutant applies to the sources of today") {
  const auto outcome = check(kRoot);
  INFO(outcome.said);
  CHECK(outcome.status == 0);
}

TEST_CASE("a mutant that applies passes the check and leaves its protocol as it was") {
  const SmallTree tree;
  tree.add_mutant("no-wait", "wait();");
  CHECK(check(tree.path()).status == 0);
  CHECK_THAT(contents(tree.path() / "protocols/echo/echo.cpp"), Contains("wait();"));
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

TEST_CASE("a mutant may be one of a layer below the protocols, which the check leaves as it was") {
  const SmallTree tree;
  tree.add_mutant_of_layer("no-time", "advance();");
  CHECK(check(tree.path()).status == 0);
  CHECK_THAT(contents(tree.path() / "sim/kernel/clock.cpp"), Contains("advance();"));
  tree.add_mutant_of_layer("no-ticks", "tick();");
  const auto outcome = check(tree.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.said, Contains("sim/no-ticks") && !Contains("sim/no-time"));
}

TEST_CASE("a mutant of a layer that changes another layer fails the check with the file") {
  const SmallTree tree;
  tree.add_mutant_of_layer("no-time", "advance();", "models");
  const auto outcome = check(tree.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.said, Contains("sim/no-time") && Contains("models/kernel/clock.cpp"));
}

TEST_CASE("a mutant of a layer's source that is gone fails the check with the file") {
  const SmallTree tree;
  tree.add_mutant_of_layer("no-time", "advance();");
  fs::rename(tree.path() / "sim/kernel/clock.cpp", tree.path() / "sim/kernel/watch.cpp");
  const auto outcome = check(tree.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.said, Contains("sim/no-time") && Contains("sim/kernel/clock.cpp"));
}

TEST_CASE("mutants are listed by layer, by protocol or by their own name, with what is wrong") {
  const SmallTree tree;
  tree.add_mutant("no-wait", "wait();");
  tree.add_mutant_of_layer("no-time", "advance();");
  const auto all = mutants(tree.path(), "--list");
  CHECK(all.status == 0);
  CHECK_THAT(all.printed, Contains("echo/no-wait") && Contains("Answers too early.") && Contains("sim/no-time") &&
                              Contains("Time stands still."));
  for (const char* name : {"sim", "sim/no-time", "no-time"}) {
    const auto one = mutants(tree.path(), std::string("--list ") + name);
    CHECK_THAT(one.printed, Contains("sim/no-time") && !Contains("echo/no-wait"));
  }
  const auto none = mutants(tree.path(), "--list modles");
  CHECK(none.status == 2);
  CHECK_THAT(none.said, Contains("modles"));
}

}  // namespace mutants_command_test

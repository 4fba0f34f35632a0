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
  /// Has nothing built, and scripts stand for the programs of a mutant of a layer, for the layer's tests and for racksim.
  void fake_programs(const std::string& layer, const std::string& name, const std::string& fuzzing,
                     const std::string& testing, const std::string& tests_as_they_are = "true") const {
    folder_.write("tools/prepare.sh", "say() { echo \"$*\" >&2; }\ninstall_packages() { :; }\nbuild() { :; }\n");
    const std::string built = "build/mutants/", mutant = built + "tests/mutants/";
    const auto script = [&](const std::string& file, const std::string& does) {
      folder_.write(file, "#!/bin/bash\n" + does + '\n');
      fs::permissions(path() / file, fs::perms::owner_all);
    };
    script(built + "tools/racksim", "true");
    script(built + "tests/test_" + layer, tests_as_they_are);
    script(mutant + "racksim_mutant_" + layer + '_' + name, fuzzing);
    script(mutant + "test_mutant_" + layer + '_' + name, testing);
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

TEST_CASE("the table says whether fuzzing, a unit test, both or nothing caught a mutant below the protocols") {
  if (std::system("command -v jq >/dev/null") != 0) {
    WARN("skipped: tools/mutants reads results with jq");
    return;
  }
  const bool fuzzing = GENERATE(false, true), testing = GENERATE(false, true);
  const SmallTree tree;
  tree.add_mutant_of_layer("no-time", "advance();");
  tree.fake_programs("sim", "no-time",
                     fuzzing ? R"(echo '{"failures": [{"run": 6, "oracles": ["served", "progress"]}]}'; exit 1)"
                             : R"(echo '{"runs": 50, "failures": []}')",
                     testing ? "cat <<END; exit 1\n" + std::string(79, '-') +
                                   "\nthe clock goes on whatever happens, in this world and in all of the\nothers\n"
                                   "  in a section\n" +
                                   std::string(79, '-') + "\nclock_test.cpp:7\n" + std::string(79, '.') +
                                   "\n\nFAILED:\nEND\n"
                             : "true");
  const auto outcome = mutants(tree.path(), "--runs 50");
  INFO(outcome.said);
  CHECK(outcome.status == (fuzzing || testing ? 0 : 1));
  const std::string verdict = fuzzing && testing ? "both" : fuzzing ? "fuzzing" : testing ? "tests" : "NOT caught";
  const std::string runs = fuzzing ? "7" : "50";
  const std::string oracles = fuzzing ? "served, progress" : "";
  const std::string test =
      testing ? R"("the clock goes on whatever happens, in this world and in all of the others")" : "";
  std::istringstream table(outcome.printed);
  std::string line;
  std::getline(table, line);
  std::getline(table, line);
  CHECK_THAT(line, Contains("sim/no-time ") && Contains(' ' + verdict + ' ') && Contains(' ' + runs + "  "));
  CHECK_THAT(line, Catch::Matchers::EndsWith(oracles + (fuzzing && testing ? "; " : "") + test));
  CHECK_THAT(outcome.printed, Contains(fuzzing || testing ? "1 of 1 caught" : "0 of 1 caught"));
}

TEST_CASE("the table is not made where the tests of a layer fail without a mistake") {
  const SmallTree tree;
  tree.add_mutant_of_layer("no-time", "advance();");
  tree.fake_programs("sim", "no-time", "false", "false", "echo the world has ended; exit 1");
  const auto outcome = mutants(tree.path(), "");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.printed, Contains("the world has ended"));
  CHECK_THAT(outcome.said, Contains("a test of sim/ fails as it is"));
}

}  // namespace mutants_command_test

// Which build gave a result: what is told, where, and how the commit gets into the program.
#include "tools/experiment/provenance.hpp"

#include <catch2/catch.hpp>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"

namespace provenance_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Matchers::Contains;

namespace {

/// A folder of sources, and the source that the build's script writes for it.
class Tree {
 public:
  explicit Tree(const std::string& name = "tree") : name_(name), source_(folder_.path() / name) {
    std::filesystem::create_directories(source_);
  }
  void shell(const std::string& command) const {
    const std::string line = "cd " + source_.string() + " && (" + command + ") >/dev/null 2>&1";
    REQUIRE(std::system(line.c_str()) == 0);
  }
  void git(const std::string& arguments) const {
    shell("git -c user.name=x -c user.email=x@x -c commit.gpgsign=false " + arguments);
  }
  std::string head() const {
    shell("git rev-parse HEAD > ../head");
    const auto text = content(folder_.path() / "head");
    return text.substr(0, text.find('\n'));
  }
  /// What the script writes.
  std::string generated(const std::string& environment = "") const {
    shell(environment + " cmake -D SOURCE=" + source_.string() + " -D OUTPUT=" + output().string() + " -P " +
          racksim::places::source_folder() + "/cmake/commit.cmake");
    return content(output());
  }
  std::filesystem::path output() const { return folder_.path() / "commit.cpp"; }
  const std::filesystem::path& source() const { return source_; }

 private:
  TemporaryFolder folder_;
  std::string name_;
  std::filesystem::path source_;
};

std::string definitions(const std::string& commit, bool modified) {
  return "const char* const kCommit = \"" + commit +
         "\";\nconst bool kTreeModified = " + (modified ? "true" : "false") + ";\n";
}

}  // namespace

TEST_CASE("the commit in the program follows HEAD and tells whether the tree was changed since") {
  const Tree tree;
  tree.git("init");
  tree.shell("echo a > file; echo b > other");
  tree.git("add file");
  tree.git("commit -m first");
  const auto first = tree.head();
  REQUIRE(first.size() == 40);
  CHECK_THAT(tree.generated(), Contains(definitions(first, false)));  // what git does not know is no change

  const auto written = std::filesystem::last_write_time(tree.output());
  tree.generated();
  CHECK(std::filesystem::last_write_time(tree.output()) == written);  // so that nothing is compiled again

  tree.shell("echo c > file");
  CHECK_THAT(tree.generated(), Contains(definitions(first, true)));
  tree.git("commit -a -m second");
  REQUIRE(tree.head() != first);
  CHECK_THAT(tree.generated(), Contains(definitions(tree.head(), false)));
}

TEST_CASE("without git or a repository of its own the commit is unknown") {
  const Tree tree("outer/unpacked");
  CHECK_THAT(tree.generated(), Contains(definitions("", false)));
  // An archive unpacked inside another project's repository is not at that project's commit.
  tree.shell("cd .. && git init && echo a > file && git add file");
  tree.shell("cd .. && git -c user.name=x -c user.email=x@x -c commit.gpgsign=false commit -m theirs");
  CHECK_THAT(tree.generated(), Contains(definitions("", false)));
  // A repository without a commit.
  tree.git("init");
  CHECK_THAT(tree.generated(), Contains(definitions("", false)));
}

TEST_CASE("provenance says what is known and what is not") {
  const Provenance known{"1.2.3", "0123456789abcdef0123456789abcdef01234567", true, "gcc 12.2.0", "Release"};
  CHECK(provenance_text(known) ==
        "racksim 1.2.3 (commit 0123456789abcdef0123456789abcdef01234567, with changes; gcc 12.2.0, Release)");
  CHECK(to_canonical_json(provenance_json(known)) ==
        R"({"build_type":"Release","commit":"0123456789abcdef0123456789abcdef01234567","compiler":"gcc 12.2.0",)"
        R"("modified":true,"version":"1.2.3"})");
  const Provenance unknown{"1.2.3", "", false, "gcc 12.2.0", "Release"};
  CHECK(provenance_text(unknown) == "racksim 1.2.3 (commit unknown; gcc 12.2.0, Release)");
  CHECK(provenance_json(unknown).find("commit")->is_null());
}

TEST_CASE("the program tells its provenance, beside results and not in them") {
  const TemporaryFolder folder;
  CHECK(run_racksim(folder, "--version").out == provenance_text() + "\n");
  CHECK_THAT(provenance_text(), Contains(provenance().compiler) && Contains(provenance().build_type));

  const auto outcome = run_racksim(folder, "run quickstart.json --json --set 'run.measure={\"operations\":100}'");
  REQUIRE(outcome.status == 0);
  const JsonValue report = parse_json(outcome.out, "report");
  CHECK(*report.find("provenance") == provenance_json());
  CHECK_THAT(to_json(*report.find("config")), !Contains(provenance().compiler));
}

}  // namespace provenance_test

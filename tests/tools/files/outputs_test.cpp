// Outputs of commands: their places are checked before the work, no input is written over, what was found is told even
// where it cannot be kept, and what the system refuses ends in one line.
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/kernel/sanitizer.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"

namespace outputs_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const char* const kShort = R"({
  "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2}, "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
  "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
  "run": {"measure": {"operations": 200}}, "check": {"all": true}})";

/// A shipped template with a mechanism turned off, which its first run shows.
const std::string kFailing =
    "fuzz " + racksim::places::source_folder() + "/scenarios/fuzz/flowcc.json --set protocol.flowcc.scoreboard=false";

bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

std::size_t files_in(const TemporaryFolder& folder, const char* name) {
  return static_cast<std::size_t>(
      std::distance(fs::recursive_directory_iterator(folder.path() / name), fs::recursive_directory_iterator()));
}

}  // namespace

TEST_CASE("no output goes where an input is, by whatever way it is named", "[output]") {
  const TemporaryFolder folder;
  folder.write("in/base.json", kShort);
  folder.write("in/config.json", R"({"base": "base.json"})");
  folder.write("in/testbeds/own.json",
               R"({"base": ")" + racksim::places::source_folder() + R"(/scenarios/testbeds/concordia-8.json"})");
  fs::create_symlink("in/base.json", folder.path() / "link");
  fs::create_symlink("in", folder.path() / "folder");
  fs::create_hard_link(folder.path() / "in/config.json", folder.path() / "hard");
  const std::string base = content(folder.path() / "in/base.json"), config = content(folder.path() / "in/config.json"),
                    own = content(folder.path() / "in/testbeds/own.json");
  for (const char* arguments :
       {"run in/config.json --set observe.trace=in/config.json",
        "run in/config.json --set observe.trace=./in/../in/base.json",
        "run in/config.json --set observe.trace=folder/base.json", "run in/config.json --set observe.trace=link",
        "run in/config.json --set observe.trace=hard", "run in/config.json --out in", "run folder/config.json --out in",
        "run in/config.json --set rack.testbed=own --set observe.trace=in/testbeds/own.json",
        "explain in/config.json --key 0x1 --svg in/base.json", "shrink in/config.json --out hard",
        "test in --junit in/base.json", "run in/base.json --set observe.trace=report.json --out new"}) {
    CAPTURE(arguments);
    const Outcome outcome = run_racksim(folder, arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(is_one_line(outcome.err));
    CHECK_THAT(outcome.err, Contains("which is read") || Contains("a file that the run does not write besides"));
    CHECK(outcome.out.empty());
  }
  CHECK(content(folder.path() / "in/base.json") == base);
  CHECK(content(folder.path() / "in/config.json") == config);
  CHECK(content(folder.path() / "in/testbeds/own.json") == own);
}

TEST_CASE("places of outputs are checked before the work", "[output]") {
  const TemporaryFolder folder;
  folder.write("short.json", kShort);
  folder.write("suite/a.json", R"({"base": "../short.json", "expect": {"baseline": {"throughput_mops": "1%"}}})");
  folder.write("suite/baselines", "a file where a folder belongs");
  folder.write("file", "");
  const std::string example = racksim::places::source_folder() + "/scenarios/switch/";
  for (const std::string& arguments :
       {kFailing + " --out file/x", kFailing + " --out file/x --only 0", kFailing + " --out /proc/racksim",
        std::string("shrink short.json --out file/x"), std::string("explain short.json --svg file/x"),
        std::string("explain short.json --out file/x"), std::string("run short.json --out file/x"),
        std::string("test suite --junit file/x"), std::string("test suite --bless"),
        std::string("figure gam/fig7 --quick --out file/x")}) {
    CAPTURE(arguments);
    const Outcome outcome = run_racksim(folder, arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(is_one_line(outcome.err));
    CHECK_THAT(outcome.err, Contains("a file that can be written") || Contains("a folder that can be made"));
    CHECK(outcome.out.empty());
  }
  // Where nothing fails nothing is left.
  const Outcome passed = run_racksim(folder, "fuzz short.json --runs 1 --out new/folder");
  CHECK(passed.status == 0);
  CHECK_FALSE(fs::exists(folder.path() / "new"));
}

TEST_CASE("what was found is told where it cannot be kept", "[output]") {
  const TemporaryFolder folder;
  folder.write("short.json", kShort);
  // Files of no byte, as on a full disk; what is printed goes through a pipe.
  const auto piped = [&](const std::string& arguments) {
    return run_racksim(folder, arguments + " 2>&1) | cat", "(ulimit -f 0; exec " + racksim::places::racksim_program());
  };
  for (const std::string& arguments : {kFailing + " --runs 20 --out found", kFailing + " --runs 20 --json --out found",
                                       kFailing + " --only 0 --out found"}) {
    CAPTURE(arguments);
    const Outcome outcome = piped(arguments);
    CHECK_THAT(outcome.out,
               Contains("racksim fuzz ") && Contains("--only 0") && Contains("FAIL", Catch::CaseSensitive::No));
    CHECK_THAT(outcome.out, Contains("could not be written: File too large"));
    CHECK((!fs::exists(folder.path() / "found") || files_in(folder, "found") == 0));
  }
  CHECK_THAT(piped("run short.json --out run").out, Contains("verdict      pass") && Contains("File too large"));
  CHECK(files_in(folder, "run") == 0);
}

TEST_CASE("folders are walked once, however they are reached", "[output]") {
  const TemporaryFolder folder;
  folder.write("suite/a.json", kShort);
  folder.write("suite/inner/b.json", kShort);
  fs::create_symlink("..", folder.path() / "suite/inner/back");
  fs::create_symlink("inner", folder.path() / "suite/other");
  fs::create_symlink("suite", folder.path() / "link");
  for (const char* arguments :
       {"suite", "suite suite/", "suite ./suite link suite/inner", "suite/a.json suite", "link suite"}) {
    CAPTURE(arguments);
    CHECK_THAT(run_racksim(folder, std::string("test --bless ") + arguments).out, Contains("2 of 2 passed"));
  }
  // A baseline belongs to its scenario by whatever way that is reached.
  folder.write("suite/a.json", std::string(kShort).insert(1, R"("expect": {"baseline": {"throughput_mops": "1%"}}, )"));
  CHECK(run_racksim(folder, "test suite --bless").status == 0);
  CHECK(run_racksim(folder, "test ./suite/../suite/a.json suite --bless").status == 0);
  CHECK(fs::exists(folder.path() / "suite/baselines/a.json"));
  CHECK(run_racksim(folder, "test suite/a.json link").err.empty());
}

TEST_CASE("what the system refuses ends in one line and leaves nothing half", "[output]") {
  const TemporaryFolder folder;
  folder.write("short.json", kShort);
  folder.write("suite/a.json", kShort);
  folder.write("suite/b.json", kShort);
  const auto limited = [&](const std::string& limit, const std::string& arguments) {
    return run_racksim(folder, arguments + ")", "(ulimit " + limit + "; exec " + racksim::places::racksim_program());
  };
  std::vector<std::string> limits;
  // A sanitizer opens pipes of its own to look at memory, takes what it cannot look at for bad, and shadows terabytes.
  if (racksim::sim::kUnderAddressSanitizer) return;
  for (int descriptors = 4; descriptors < 12; ++descriptors) limits.push_back("-n " + std::to_string(descriptors));
  for (const char* kibibytes : {"60000", "120000", "200000"}) limits.push_back(std::string("-v ") + kibibytes);
  std::size_t begun = 0;
  for (const std::string& limit : limits) {
    for (const char* arguments :
         {"run short.json --out run", "test suite --quiet", "fuzz short.json --runs 4", "explain short.json",
          "diff short.json short.json --set-b seed=2", "validate short.json"}) {
      CAPTURE(limit, arguments);
      fs::remove_all(folder.path() / "run");
      const Outcome outcome = limited(limit, arguments);
      CAPTURE(outcome.err);
      if (outcome.status == 127) continue;  // the dynamic loader: racksim has not begun
      ++begun;
      CHECK((outcome.status < 2 || outcome.status == 3));
      if (outcome.status == 3)
        CHECK((is_one_line(outcome.err) && outcome.err.find("internal error") == std::string::npos));
      CHECK((!fs::exists(folder.path() / "run") || outcome.status < 2 || fs::is_empty(folder.path() / "run")));
    }
  }
  CHECK(begun > 20);
}

}  // namespace outputs_test

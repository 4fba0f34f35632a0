// Ctrl-C on a terminal and SIGTERM, for every command that takes long: exit status 130, what is complete is there,
// nothing half is, and no child process is left.
#include "tools/processes/interruption.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/places.hpp"
#include "tests/tools/terminal_session.hpp"
#include "tools/json/json_document.hpp"

namespace interruption_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;

namespace {

/// A run that ends only when it is told to.
JsonValue endless() {
  return parse_json(R"({
    "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2}, "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
    "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
    "run": {"measure": {"operations": 1000000000000}, "time_limit": "1000s"}, "check": {"all": true}})",
                    "endless");
}

/// One of a few milliseconds.
JsonValue short_run() {
  JsonValue scenario = endless();
  scenario.set_dotted("run.measure.operations", 200);
  return scenario;
}

/// Ends the session as a person or a system does; the exit status. All its children must be gone with it.
int interrupt(TerminalSession& session, bool by_key) {
  const auto children = session.children();
  if (by_key) {
    session.press_ctrl_c();
  } else {
    session.terminate();
  }
  const int status = session.finish();
  for (const pid_t child : children) {
    CAPTURE(child);
    CHECK((kill(child, 0) == -1 && errno == ESRCH));
  }
  return status;
}

/// The drafts in a folder and below.
std::vector<std::string> drafts(const TemporaryFolder& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (entry.path().extension() == ".part") found.push_back(entry.path().string());
  }
  return found;
}

/// The sets of signals that the program ignores and catches.
std::pair<std::uint64_t, std::uint64_t> signals_of(const TerminalSession& session) {
  std::ifstream status("/proc/" + std::to_string(session.process()) + "/status");
  std::uint64_t ignored = 0, caught = 0;
  for (std::string word; status >> word;) {
    if (word == "SigIgn:") status >> std::hex >> ignored;
    if (word == "SigCgt:") status >> std::hex >> caught;
  }
  return {ignored, caught};
}

bool exists(const TemporaryFolder& folder, const char* file) {
  return std::filesystem::exists(folder.path() / file);
}

}  // namespace

TEST_CASE("an interrupted run says how far it was and leaves neither report nor trace", "[interruption]") {
  const bool by_key = GENERATE(true, false);
  const TemporaryFolder folder;
  JsonValue scenario = endless();
  scenario.set_dotted("observe.trace", "trace.jsonl");
  scenario.set_dotted("observe.trace_until", "10us");
  folder.write("endless.json", to_json(scenario));
  TerminalSession session(folder, {"run", "endless.json", "--out", "run"});
  REQUIRE(session.wait_for("ms simulated"));
  CHECK(drafts(folder).size() == 1);
  CHECK(interrupt(session, by_key) == 130);
  CHECK_THAT(session.seen(), Contains("racksim: interrupted: ") && Contains("operations have ended"));
  CHECK(session.out().empty());
  CHECK_FALSE(exists(folder, "run/trace.jsonl"));
  CHECK_FALSE(exists(folder, "run/report.json"));
  CHECK(drafts(folder).empty());
}

TEST_CASE("an interrupted suite tells and writes the results that there are", "[interruption]") {
  const bool by_key = GENERATE(true, false);
  const TemporaryFolder folder;
  folder.write("suite/a-short.json", to_json(short_run()));
  folder.write("suite/b-endless.json", to_json(endless()));
  folder.write("suite/baselines/gone.json", "{}");
  folder.write("junit.xml", "of an earlier call");
  // Blessed once, so that the short one passes.
  run_racksim(folder, "test suite/a-short.json --bless");
  TerminalSession session(folder, {"test", "suite", "--jobs", "1", "--junit", "junit.xml"});
  REQUIRE(session.wait_for("1 of 2 scenarios"));
  CHECK(content(folder.path() / "junit.xml") == "of an earlier call");
  CHECK(interrupt(session, by_key) == 130);
  CHECK_THAT(session.out(),
             Contains("a-short    pass") && Contains("1 of 2 passed") && Contains("interrupted, 1 have no result"));
  CHECK_THAT(content(folder.path() / "junit.xml"), Contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\"") &&
                                                       Contains("<skipped message=\"interrupted\"/>") &&
                                                       Contains("</testsuites>"));
  CHECK(drafts(folder).empty());
}

TEST_CASE("several seeds that are interrupted tell what those that ended come to", "[interruption]") {
  const TemporaryFolder folder;
  folder.write("short.json", to_json(short_run()));
  folder.write("endless.json", to_json(endless()));
  const char* command = GENERATE("run", "diff");
  std::vector<std::string> words{command, "short.json"};
  if (command == std::string("diff")) words.emplace_back("short.json");
  for (const char* word : {"--seeds", "100000", "--jobs", "1"}) words.emplace_back(word);
  TerminalSession session(folder, words);
  REQUIRE(session.wait_for("00 runs"));
  CHECK(interrupt(session, true) == 130);
  CHECK_THAT(session.out(), Contains("throughput_mops"));
  CHECK_THAT(session.seen(), Contains("racksim: interrupted: what is told is of the first "));
  TerminalSession none(folder, {"run", "endless.json", "--seeds", "2"});
  REQUIRE(none.wait_for("0 of 2 runs"));
  CHECK(interrupt(none, true) == 130);
  CHECK(none.out().empty());
  CHECK_THAT(none.seen(), Contains("no run had ended"));
}

TEST_CASE("a scenario of which some seeds were not run has no result", "[interruption]") {
  const TemporaryFolder folder;
  // A thousand runs of some milliseconds, each of which reaches its time limit.
  JsonValue scenario = short_run();
  scenario.set_dotted("run.measure.operations", 1'000'000);
  scenario.set_dotted("run.time_limit", "20ms");
  scenario.set("expect", parse_json(R"({"violation": "time-limit"})", "expect"));
  folder.write("suite/a.json", to_json(scenario));
  TerminalSession session(folder, {"test", "suite", "--jobs", "1", "--seeds", "1000"});
  REQUIRE(session.wait_for("runs with other seeds"));
  CHECK(interrupt(session, true) == 130);
  CHECK_THAT(session.out(), Contains("0 of 1 passed") && Contains("interrupted, 1 have no result"));
}

TEST_CASE("an interrupted renewal of baselines renews none", "[interruption]") {
  const TemporaryFolder folder;
  folder.write("suite/a-short.json", to_json(short_run()));
  folder.write("suite/b-endless.json", to_json(endless()));
  folder.write("suite/baselines/gone.json", "{}");
  TerminalSession session(folder, {"test", "suite", "--jobs", "1", "--bless"});
  REQUIRE(session.wait_for("1 of 2 scenarios"));
  CHECK(interrupt(session, true) == 130);
  CHECK_THAT(session.seen(), Contains("no baseline was renewed"));
  CHECK_FALSE(exists(folder, "suite/baselines/a-short.json"));
  CHECK(exists(folder, "suite/baselines/gone.json"));
}

TEST_CASE("an interrupted renewal of a template's baseline writes none", "[interruption]") {
  const TemporaryFolder folder;
  std::filesystem::copy_file(racksim::places::source_folder() + "/scenarios/fuzz/flowcc.json",
                             folder.path() / "flowcc.json");
  folder.write("baselines/kept.json", "{}");
  TerminalSession session(folder, {"fuzz", "flowcc.json", "--bless", "--runs", "1000000000", "--jobs", "2"});
  REQUIRE(session.wait_for(" runs, "));
  CHECK(interrupt(session, false) == 130);
  CHECK_THAT(session.seen(), Contains("not renewed"));
  CHECK_FALSE(exists(folder, "baselines/flowcc.json"));
}

TEST_CASE("an interrupted fuzzing campaign reports the runs that it made", "[interruption]") {
  const bool by_key = GENERATE(true, false), json = GENERATE(false, true);
  const TemporaryFolder folder;
  std::vector<std::string> arguments{
      "fuzz", racksim::places::source_folder() + "/scenarios/fuzz/flowcc.json", "--runs", "1000000000", "--jobs", "2"};
  if (json) arguments.push_back("--json");
  TerminalSession session(folder, arguments);
  // As JSON it shows no progress: two children, one after the other, are a sign that it is at work.
  REQUIRE((json ? session.wait_for_children(2) : session.wait_for(" runs, ")));
  CHECK(interrupt(session, by_key) == 130);
  if (json) {
    const auto report = parse_json(session.out(), "report");
    CHECK(*report.find("interrupted")->boolean());
    CHECK(*report.find("verdict")->string() == "interrupted");
  } else {
    CHECK_THAT(session.out(),
               Contains("; then interrupted") && Contains("failures     0") && Contains("verdict      interrupted"));
  }
  CHECK(drafts(folder).empty());
}

TEST_CASE("shrinking that is interrupted keeps the smallest scenario so far", "[interruption]") {
  const bool by_key = GENERATE(true, false);
  const TemporaryFolder folder;
  TerminalSession session(
      folder,
      {"shrink", racksim::places::source_folder() + "/scenarios/regress/flowcc/mechanisms.json/without-scoreboard",
       "--out", "small.json"});
  REQUIRE(session.wait_for("shrinking: "));
  CHECK_FALSE(exists(folder, "small.json"));
  CHECK(interrupt(session, by_key) == 130);
  CHECK_THAT(session.out(), Contains("when it was interrupted") && Contains("replay       racksim run small.json"));
  CHECK(run_racksim(folder, "run small.json --quiet").status == 1);
  CHECK(drafts(folder).empty());
}

TEST_CASE("diff, explain and bench that are interrupted end their processes", "[interruption]") {
  const bool by_key = GENERATE(true, false);
  const TemporaryFolder folder;
  folder.write("a.json", to_json(endless()));
  folder.write("b.json", to_json(endless()));
  const std::string other = racksim::places::racksim_program();
  struct Case {
    std::vector<std::string> arguments;
    std::size_t children;
    const char* says;
  };
  for (const auto& [arguments, children, says] :
       {Case{{"diff", "a.json", "b.json"}, 2, "nothing was compared"},
        Case{{"diff", "a.json", "b.json", "--program-b", other}, 2, "nothing was compared"},
        Case{{"explain", "a.json"}, 1, "nothing was explained"}, Case{{"bench"}, 1, "numbers were measured"}}) {
    CAPTURE(arguments);
    TerminalSession session(folder, arguments);
    REQUIRE(session.wait_for_children(children));
    CHECK(interrupt(session, by_key) == 130);
    CHECK_THAT(session.seen(), Contains("racksim: interrupted: ") && Contains(says));
  }
}

TEST_CASE("an interrupted figure keeps its points, and the next call runs only the others", "[interruption]") {
  const bool by_key = GENERATE(true, false);
  const TemporaryFolder folder;
  folder.write("base.json", to_json(short_run()));
  const auto figure =
      [&](const char* operations) {
        JsonValue document = parse_json(R"({"version": 1, "title": "Two points", "base": "base.json",
        "series": [{"name": "only"}], "metrics": {"throughput": "throughput_mops"}})",
                                        "figure");
        document.set("base", (folder.path() / "base.json").string());
        document.set("sweep", parse_json(std::string(R"({"label": "operations", "path": "run.measure.operations",
        "values": [200, )") + operations + "]}",
                                         "sweep"));
        folder.write("figures/two.json", to_json(document));
      };
  figure("1000000000000");
  TerminalSession session(folder, {"figure", "figures/two.json", "--jobs", "1", "--out", "points"});
  REQUIRE(session.wait_for("1 of 2 points"));
  CHECK(interrupt(session, by_key) == 130);
  CHECK_THAT(session.seen(), Contains("interrupted: 1 of 2 points are kept in points/points.jsonl"));
  CHECK_FALSE(exists(folder, "points/points.csv"));
  CHECK(drafts(folder).empty());

  figure("300");  // so that the other point ends
  const Outcome again = run_racksim(folder, "figure figures/two.json --jobs 1 --out points");
  CHECK(again.status == 0);
  CHECK_THAT(again.out, Contains("1 of 2 points were run by an earlier call"));
  CHECK_THAT(content(folder.path() / "points/points.csv"), Contains("\n200,only,") && Contains("\n300,only,"));
}

TEST_CASE("a run is ended in its functional warm-up too, and where it waits for input", "[interruption]") {
  const TemporaryFolder folder;
  JsonValue scenario = endless();
  scenario.set_dotted("workload.working_set", "256MiB");
  scenario.set_dotted("workload.warm_passes", 1000);
  scenario.set_dotted("observe.trace", "trace.jsonl");
  folder.write("warm.json", to_json(scenario));
  TerminalSession warm(folder, {"run", "warm.json"});
  for (int i = 0; i < 3000 && drafts(folder).empty(); ++i) usleep(10'000);
  usleep(200'000);
  CHECK(interrupt(warm, GENERATE(true, false)) == 130);
  CHECK_THAT(warm.seen(), Contains("racksim: interrupted: nothing that it was doing was complete"));
  CHECK(drafts(folder).empty());

  REQUIRE(mkfifo((folder.path() / "pipe.json").c_str(), 0600) == 0);
  TerminalSession waiting(folder, {"validate", "pipe.json"});
  // Where somebody reads, it can be written to.
  int writer = -1;
  for (int i = 0; i < 3000 && writer < 0; ++i) {
    usleep(10'000);
    writer = open((folder.path() / "pipe.json").c_str(), O_WRONLY | O_NONBLOCK);
  }
  CHECK(interrupt(waiting, false) == 130);
  close(writer);
}

TEST_CASE("a terminal that goes away is an interruption", "[interruption]") {
  const TemporaryFolder folder;
  JsonValue scenario = endless();
  scenario.set_dotted("observe.trace", "trace.jsonl");
  folder.write("endless.json", to_json(scenario));
  TerminalSession session(folder, {"run", "endless.json"});
  REQUIRE(session.wait_for("ms simulated"));
  kill(session.process(), SIGHUP);
  CHECK(session.finish() == 130);
  CHECK(drafts(folder).empty());
}

// As nohup and shells in the background have it.
TEST_CASE("a signal that the program was started to ignore stays ignored", "[interruption]") {
  const TemporaryFolder folder;
  folder.write("endless.json", to_json(endless()));
  TerminalSession session(folder, {"run", "endless.json"}, {SIGINT});
  REQUIRE(session.wait_for("ms simulated"));
  const auto [ignored, caught] = signals_of(session);
  CHECK((ignored >> (SIGINT - 1) & 1) == 1);
  CHECK((caught >> (SIGTERM - 1) & 1) == 1);
  CHECK(interrupt(session, false) == 130);
}

}  // namespace interruption_test

// The shipped litmus scenarios, as a person runs them: what they find, how a wrong one is refused, and what a protocol
// without one of its mechanisms is accused of.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/tools/run_racksim.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/files/data_files.hpp"

namespace litmus_scenarios_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

Outcome run(const std::string& name, const std::string& settings) {
  const TemporaryFolder folder;
  return run_racksim(folder, "run " + (scenarios_folder() / "litmus" / (name + ".json")).string() + " " + settings);
}

std::string hash_in(const Outcome& outcome) {
  const auto at = outcome.out.find("run hash");
  REQUIRE(at != std::string::npos);
  return outcome.out.substr(at, outcome.out.find('\n', at) - at);
}

void check_refusal(const Outcome& outcome, const std::string& line) {
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK_THAT(outcome.err, Catch::Contains(": " + line));
}

/// What fits no run: the two commands say the same.
void refused(const std::string& name, const std::string& settings, const std::string& line) {
  const TemporaryFolder folder;
  const auto file = (scenarios_folder() / "litmus" / (name + ".json")).string();
  for (const char* command : {"validate ", "run "}) {
    check_refusal(run_racksim(folder, command + file + " " + settings), line + "\n");
  }
}

}  // namespace

TEST_CASE("every litmus scenario passes with several seeds, sees what it requires, and runs alike in every mode") {
  std::size_t scenarios = 0;
  for (const std::string& name : json_names_below(scenarios_folder() / "litmus")) {
    ++scenarios;
    for (const std::string seed : {"1", "2", "3"}) {
      const Outcome fused = run(name, "--seed " + seed);
      INFO(name << " with seed " << seed << fused.out << fused.err);
      CHECK(fused.status == 0);
      if (seed != "1") continue;
      CHECK(hash_in(run(name, "--set run.execution=stepped")) == hash_in(fused));
    }
  }
  CHECK(scenarios == 8);
}

TEST_CASE("SELCC and SEL are sequentially consistent across lines, and SELCC in its relaxed mode keeps TSO",
          "[claim:selcc-inv-sc]") {
  const std::string roles = "--set 'rack.roles={\"compute\":4,\"memory\":2}' --set protocol.name=";
  const std::string relaxed = roles + "selcc --set protocol.selcc.relaxed=true --set workload.model=";
  for (const std::string program : {"sb", "mp", "lb", "iriw", "wrc", "coherence"}) {
    for (const std::string& settings : {roles + "selcc", roles + "sel", relaxed + "tso --set workload.required="}) {
      const Outcome outcome = run(program, settings);
      INFO(program << " with " << settings << outcome.out << outcome.err);
      CHECK(outcome.status == 0);
    }
  }
  CHECK(run("sb", relaxed + "tso --set 'workload.required=r0=0 & r1=0'").status == 0);
  CHECK(run("sb", relaxed + "sc --set workload.required=").status == 1);
}

TEST_CASE("validate and run refuse a litmus test that is wrong, in one line, at its character") {
  const std::string nothing_required = " --set workload.required=";
  refused("sb", "--set 'workload.program=P0: x=1; r0=q1 | P1: y'" + nothing_required,
          "/workload/program: found 'y' at character 22, expected an operation: x=1, r0=x, r0=cas(x,0,1), r0=faa(x,1), "
          "lock(x), rlock(x), unlock(x) or fence");
  refused("sb", "--set 'workload.program=P0: x=1; fenec; r0=y'" + nothing_required,
          "/workload/program: found 'fenec' at character 10, expected an operation: x=1, r0=x, r0=cas(x,0,1), "
          "r0=faa(x,1), lock(x), rlock(x), unlock(x) or fence (did you mean \"fence\"?)");
  refused("sb", "--set 'workload.program=P0: x=1 | p1: r0=x'" + nothing_required,
          "/workload/program: found 'p1' at character 11, expected the session P1 (did you mean \"P1\"?)");
  refused("sb", "--set 'workload.program={flga@1} P0: flag=1; r0=data'" + nothing_required,
          "/workload/program: found 'flga' at character 2, expected an object that the program uses (did you mean "
          "\"flag\"?)");
  refused(
      "sb", "--set workload.program=sb+fence" + nothing_required,
      "/workload/program: found 'sb+fence', expected one of sb, sb+fences, mp, mp+fences, sb+locks, mp+locks, "
      "sb+lock, mp+lock, r, r+fences, 2+2w, 2+2w+fences, s, s+fences, lb, iriw, corr, coherence, words, words+back, "
      "wrc, or a program "
      "such as \"P0: "
      "x=1; r0=y | P1: y=1; r1=x\" (did you mean \"sb+fences\"?)");
  refused("sb", "--set 'workload.required=r0=7'",
          "/workload/required: found '7' at character 4, expected 0 or the number of a write of y");
  refused("sb", "--set 'workload.forbidden=r0=1 & r2=0'",
          "/workload/forbidden: found 'r2' at character 8, expected a register of the program (did you mean \"r0\"?)");
  refused("sb", "--set 'workload.allowed=r0=1 & r1=1'",
          "/workload/required: found r0=1 & r1=1 again, expected outcomes of which each is declared once");
}

TEST_CASE("a litmus test of a file is refused with the file's name, and those that are shipped are valid") {
  const TemporaryFolder folder;
  std::ifstream shipped(scenarios_folder() / "litmus" / "sb.json");
  std::string text{std::istreambuf_iterator<char>(shipped), {}};
  const std::string_view program = "\"program\": \"sb\"";
  REQUIRE(text.find(program) != std::string::npos);
  text.replace(text.find(program), program.size(), "\"program\": \"P0: x=1; r0=y | P1: y=1; r0=x\"");
  const auto file = folder.write("own.json", text);
  CHECK(run_racksim(folder, "validate " + file).err ==
        file + ": /workload/program: found 'r0' at character 26, expected a register that is not set anywhere else\n");
  for (const std::string& name : json_names_below(scenarios_folder() / "litmus")) {
    CHECK(run_racksim(folder, "validate litmus/" + name + ".json").status == 0);
  }
}

TEST_CASE("a litmus test that asks for what the protocol does not offer is refused before the run") {
  const std::string error = "/workload/program: found a program that needs ";
  const std::string rest = ", expected one that needs no more than the protocol offers: ";
  check_refusal(run("sb", "--set 'workload.program=P0: r0=cas(x,0,1)' --set workload.required="),
                error + "compare-and-swap" + rest +
                    "read, write, fence, lock, shared lock, try-lock, shared try-lock, unlock, allocate and free");
  check_refusal(run("store-mp", "--set workload.program=mp+fences"), error + "fence" + rest + "read and write");
}

TEST_CASE("a cache that keeps what was overwritten fails a litmus test, whose violation says what was read") {
  const Outcome outcome = run("store-mp",
                              "--set protocol.starcache.invalidate=false --set workload.repetitions=20 "
                              "--set 'check={\"litmus\": true}'");
  INFO(outcome.out);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Catch::Contains("checked      litmus (") && Catch::Contains("verdict      FAIL"));
  CHECK_THAT(outcome.out, Catch::Contains("  litmus at ") && Catch::Contains("repetition ") &&
                              Catch::Contains("P1 on node1/thread0"));
}

TEST_CASE("a crash of a client's node hangs no litmus test: it goes on after the restart, or the run is over") {
  const std::string nocache = "--set protocol.name=nocache --set workload.required= --set expect={} ";
  const Outcome restarted =
      run("store-mp", nocache + "--set 'faults=[{\"kind\":\"crash\",\"node\":0,\"from\":\"3ms\",\"until\":\"6ms\"}]'");
  INFO(restarted.out << restarted.err);
  CHECK(restarted.status == 0);
  CHECK_THAT(restarted.out, Catch::Matches("(.|\n)*litmus.abandoned +1 repetitions(.|\n)*"));
  CHECK_THAT(restarted.out, Catch::Matches("(.|\n)*litmus.repetitions +499 repetitions(.|\n)*"));
  const Outcome gone = run(
      "store-mp", nocache + "--set 'faults=[{\"kind\":\"crash\",\"node\":1,\"from\":\"3ms\",\"stays_down\":true}]'");
  INFO(gone.out << gone.err);
  CHECK(gone.status == 0);
}

}  // namespace litmus_scenarios_test

// Sub-commands, their output and exit statuses, in this process.
#include "tools/commands/command_line.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "tests/places.hpp"
#include "tests/tools/scenario/fake_catalogue.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/formats/file_schemas.hpp"
#include "tools/scenario/scenario.hpp"

namespace command_line_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

struct Outcome {
  int status;
  std::string out, err;
};

Outcome run_with(const Catalogue& catalogue, std::vector<std::string> arguments) {
  std::ostringstream out, err;
  const int status = run_command_line(std::move(arguments), catalogue, out, err);
  return {status, out.str(), err.str()};
}

Outcome run(std::vector<std::string> arguments) {
  return run_with(fake_catalogue(), std::move(arguments));
}

/// Who validates builds what a run would, which fakes cannot.
Outcome run_real(std::vector<std::string> arguments) {
  return run_with(built_in_catalogue(), std::move(arguments));
}
constexpr std::string_view kReal = R"({
  "version": 1, "rack": "concordia-8", "protocol": {"name": "flowcc"}, "workload": {"kind": "litmus", "program": "sb"}})";

bool one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

}  // namespace

TEST_CASE("a wrong command line is bad input, in one line") {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {""},
                                                    {"lsit"},
                                                    {"list"},
                                                    {"list", "protocls"},
                                                    {"list", "protocols", "more"},
                                                    {"validate"},
                                                    {"--nonsense"},
                                                    {"validate", "--nonsense", "x.json"},
                                                    {"schema", "x"},
                                                    {"schema", "suite", "more"}};
  for (const auto& arguments : wrong) {
    CAPTURE(arguments);
    const auto outcome = run(arguments);
    CHECK(outcome.status == exit_bad_input);
    CHECK(outcome.out.empty());
    CHECK(one_line(outcome.err));
  }
  CHECK_THAT(run({"lsit"}).err, Catch::Contains("did you mean \"list\"?"));
  CHECK_THAT(run({"list", "protocls"}).err, Catch::Contains("did you mean \"protocols\"?"));
}

TEST_CASE("help and version are no errors") {
  CHECK(run({"--help"}).status == exit_ok);
  CHECK_THAT(run({"--help"}).out, Catch::Contains("validate"));
  CHECK_THAT(run({"validate", "--help"}).out, Catch::Contains("--set"));
  CHECK_THAT(run({"--version"}).out, Catch::StartsWith("racksim "));
}

TEST_CASE("list shows what the catalogue holds") {
  CHECK(run({"list", "protocols"}).out == "alpha  A fake.\nbeta   A fake.\n");
  CHECK(run({"list", "workloads"}).out == "micro  A fake.\n");
  CHECK(run({"list", "programs"}).out == "alpha-program  A fake program.\n");
  CHECK_THAT(run({"list", "oracles"}).out, Catch::Contains("conservation"));
  for (const char* kind : {"testbeds", "scenarios", "figures"}) CHECK(run({"list", kind}).status == exit_ok);
}

TEST_CASE("validate says of each file whether it is valid") {
  const TemporaryFolder folder;
  const auto testbed = folder.write("testbeds/fake-4.json", kFakeTestbed);
  const auto good = folder.write("good.json", kReal);
  const auto bad = folder.write("bad.json", R"({"version": 1, "rack": "concordia-8", "protocol": {"name": "gamma"}})");

  CHECK(run({"validate", testbed}).out == testbed + ": valid testbed\n");
  const std::string shipped = racksim::places::source_folder() + "/scenarios/testbeds/gam-8.json";
  CHECK(run_real({"validate", good, shipped}).status == exit_ok);
  CHECK(run_real({"validate", good, shipped}).out == good + ": valid scenario\n" + shipped + ": valid testbed\n");
  const auto mixed = run_real({"validate", good, bad, good});
  CHECK(mixed.status == exit_bad_input);
  CHECK(mixed.out == good + ": valid scenario\n" + good + ": valid scenario\n");
  CHECK_THAT(mixed.err, Catch::StartsWith(bad + ": /protocol/name: found the string \"gamma\", expected \"cckvs\""));
  CHECK(one_line(mixed.err));
}

TEST_CASE("validate tells the kind of a file by what it holds, wherever it lies") {
  const TemporaryFolder folder;
  const auto testbed = folder.write("fake-4.json", kFakeTestbed);
  CHECK(run({"validate", testbed}).out == testbed + ": valid testbed\n");
  const auto among_figures = folder.write("figures/good.json", kReal);
  CHECK(run_real({"validate", among_figures}).out == among_figures + ": valid scenario\n");
  const auto among_testbeds = folder.write("testbeds/good.json", kReal);
  CHECK(run_real({"validate", among_testbeds}).out == among_testbeds + ": valid scenario\n");
  const std::string shipped = racksim::places::source_folder() + "/scenarios/";
  for (const auto& [file, kind] : {std::pair{"quickstart.json", "scenario"},
                                   {"testbeds/concordia-8.json", "testbed"},
                                   {"figures/concordia/fig9.json", "figure"},
                                   {"claims/concordia.json", "list of claims"},
                                   {"claims/recorded/starcache/fig14.json", "record of claims"},
                                   {"switch/chain.json", "packet file for example-chain"},
                                   {"fuzz/baselines/flowcc.json", "fuzz baseline"}}) {
    CHECK(run_real({"validate", shipped + file}).out == shipped + file + ": valid " + kind + "\n");
  }
  // One mistake does not make it another kind of file.
  const auto figure =
      folder.write("fig.json", R"({"version": 1, "base": "figures/good.json", "sweeep": {}, "series": []})");
  CHECK_THAT(run_real({"validate", figure}).err,
             Catch::Contains("found the unknown key \"sweeep\"") && Catch::Contains("did you mean \"sweep\"?"));
  const auto nothing = folder.write("nothing.json", R"({"version": 1})");
  CHECK_THAT(run({"validate", nothing}).err, Catch::Contains("expected \"rack\" with the name of a testbed"));
}

TEST_CASE("validate applies overrides") {
  const TemporaryFolder folder;
  const auto good = folder.write("good.json", kReal);
  CHECK(run_real({"validate", good, "--set", "protocol.name=gam", "--set", "seed=3"}).status == exit_ok);
  CHECK(run_real({"validate", "--set", "seed=3", good}).status == exit_ok);
  const auto outcome = run_real({"validate", good, "--set", "protocol.name=gamma"});
  CHECK(outcome.status == exit_bad_input);
  CHECK_THAT(outcome.err, Catch::StartsWith("--set protocol.name=gamma: /protocol/name"));
}

TEST_CASE("a missing file brings the nearest existing one to mind") {
  const TemporaryFolder folder;
  const auto good = folder.write("quickstart.json", kSmallest);
  const auto outcome = run({"validate", (folder.path() / "quikstart.json").string()});
  CHECK(outcome.status == exit_bad_input);
  CHECK_THAT(outcome.err, Catch::Contains("did you mean") && Catch::Contains(good));
}

TEST_CASE("schema prints JSON") {
  const auto outcome = run({"schema"});
  CHECK(outcome.status == exit_ok);
  CHECK(parse_json(outcome.out, "schema") == scenario_schema(fake_catalogue()));
  CHECK(run({"schema", "scenario"}).out == outcome.out);
}

TEST_CASE("schema prints the schema of each kind of file that its help names") {
  const auto help = run({"schema", "--help"}).out;
  for (const FileSchema& schema : file_schemas()) {
    CAPTURE(schema.name);
    CHECK_THAT(help, Catch::Contains(schema.name));
    const auto outcome = run({"schema", schema.name});
    CHECK(outcome.status == exit_ok);
    const auto printed = parse_json(outcome.out, "schema");
    CHECK(*printed.find("$schema")->string() == "https://json-schema.org/draft/2020-12/schema");
    CHECK(printed.find("title")->string());
    // Its own kind of file may name it.
    for (const char* part : {"then", "else"}) {
      const auto* object = printed.find(part) ? printed.find(part) : &printed;
      CHECK(object->find("properties")->find("$schema"));
    }
  }
  CHECK_THAT(run({"schema", "suit"}).err, Catch::Contains("did you mean \"suite\"?"));
}

TEST_CASE("validate believes what a file says of its kind") {
  const TemporaryFolder folder;
  const auto part = folder.write("part.json", R"({"$schema": "testbed-part.json"})");
  CHECK(run({"validate", part}).out == part + ": valid part of a testbed\n");
  const auto whole = folder.write("whole.json", R"({"$schema": "testbed.json", "nodes": 3})");
  CHECK_THAT(run({"validate", whole}).err, Catch::Contains("no \"version\""));
  const auto wrong = folder.write("wrong.json", R"({"$schema": "testbed-part.json", "linc": {}})");
  CHECK_THAT(run({"validate", wrong}).err, Catch::Contains("did you mean \"link\"?"));
}

TEST_CASE("validate checks reports and baselines") {
  const TemporaryFolder folder;
  const auto baseline = folder.write("a.json", R"({"metrics": {"throughput_mops": 1.5}})");
  CHECK(run({"validate", baseline}).out == baseline + ": valid baseline\n");
  const auto fuzz = folder.write("b.json", R"({"runs": 200, "race_points": []})");
  CHECK(run({"validate", fuzz}).out == fuzz + ": valid fuzz baseline\n");
  const char* report = R"({"scenario": "s", "protocol": "p", "seed": 1, "verdict": "pass", "violations": [],
      "violation_count": 0, "lost_writes": [], "lost_write_count": 0, "failed_expectations": [],
      "run_hash": "00000000000000000000000000000000", "events": 1, "simulated_ns": 2.5, "wall_s": 0.1, "metrics": {},
      "whole_run": {}, "provenance": {}, "config": {}})";
  const auto good = folder.write("c.json", report);
  CHECK(run({"validate", good}).out == good + ": valid report\n");
  std::string text = report;
  text.replace(text.find("pass"), 4, "pest");
  const auto bad = folder.write("d.json", text);
  CHECK(run({"validate", bad}).err == bad + ": /verdict: found the string \"pest\", expected \"pass\" or \"fail\"\n");
}

TEST_CASE("a defect inside racksim is status 3") {
  auto catalogue = fake_catalogue();
  catalogue.rack.make = [](racksim::sim::Parameters&) -> std::shared_ptr<racksim::models::RackOptions> {
    throw std::logic_error("broken");
  };
  const auto outcome = run_with(catalogue, {"schema"});
  CHECK(outcome.status == exit_internal_error);
  CHECK_THAT(outcome.err, Catch::Contains("internal error: broken"));
}

}  // namespace command_line_test

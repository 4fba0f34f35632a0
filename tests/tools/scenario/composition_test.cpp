#include "tools/scenario/composition.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/formats/file_kinds.hpp"
#include "tools/scenario/scenario.hpp"

namespace composition_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

/// A folder with files that tests write.
struct Files {
  TemporaryFolder folder;

  std::string write(const std::string& name, const std::string& text) const { return folder.write(name, text); }
  std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  /// The document that comes of a file, as one line.
  std::string text(const std::string& name) const { return to_canonical_json(Composition(at(name)).document()); }
};

constexpr const char* kBase = R"({
  "version": 1, "name": "base", "doc": "the base", "rack": "concordia-8", "protocol": {"name": "flowcc"},
  "workload": {"kind": "micro", "threads": 2, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
  "run": {"measure": {"operations": 200}},
  "faults": [{"kind": "noise", "loss": 0.01}], "check": {"all": true}})";

}  // namespace

TEST_CASE("objects are merged by key, arrays and single values replaced, and null removes") {
  const Files files;
  files.write("a.json", R"({"o": {"x": 1, "y": {"z": 2, "w": 3}}, "list": [1, 2], "s": "old", "gone": {"a": 1}})");
  files.write("b.json", R"({"base": "a.json", "o": {"y": {"z": 5}, "n": null}, "list": [3], "s": 4, "gone": null})");
  // A null where the base has nothing is a value like any other.
  CHECK(files.text("b.json") == R"({"list":[3],"o":{"n":null,"x":1,"y":{"w":3,"z":5}},"s":4})");
}

TEST_CASE("a chain of bases is followed, each path from the folder of the file that names it") {
  const Files files;
  files.write("one/a.json", R"({"a": 1, "b": 1, "c": 1})");
  files.write("one/b.json", R"({"base": "a.json", "b": 2, "c": 2})");
  files.write("two/c.json", R"({"base": "../one/b.json", "c": 3})");
  CHECK(files.text("two/c.json") == R"({"a":1,"b":2,"c":3})");
}

TEST_CASE("of several bases each goes over those before it, and the file over all") {
  const Files files;
  files.write("a.json", R"({"o": {"x": "a", "y": "a", "z": "a"}})");
  files.write("b.json", R"({"o": {"y": "b", "z": "b"}})");
  files.write("c.json", R"({"base": ["a.json", "b.json"], "o": {"z": "c"}})");
  CHECK(files.text("c.json") == R"({"o":{"x":"a","y":"b","z":"c"}})");
}

TEST_CASE("a value with its source is replaced whole, and what speaks of a file is not inherited") {
  const Files files;
  files.write("a.json", R"({"name": "a", "doc": "of a", "$schema": "s",
                            "mtu": {"value": 1, "source": "old", "note": "of the old value"}})");
  files.write("b.json", R"({"base": "a.json", "mtu": {"value": 2, "source": "new"}})");
  CHECK(files.text("b.json") == R"({"mtu":{"source":"new","value":2}})");
}

TEST_CASE("a case is the rest of its suite with its own members and its set over it") {
  const Files files;
  files.write("base.json", kBase);
  files.write("suite.json", R"({"base": "base.json", "seed": 7, "cases": {
    "quiet": {"doc": "no faults", "set": {"faults": null, "workload.threads": 3}, "expect": {"verdict": "pass"}},
    "later": {"set": {"faults.0.loss": 0.5, "rack.nodes": 5}}}})");
  const JsonValue quiet = Composition(files.at("suite.json/quiet")).document();
  CHECK(
      to_canonical_json(quiet) ==
      R"({"check":{"all":true},"doc":"no faults","expect":{"verdict":"pass"},"name":"suite/quiet",)"
      R"("protocol":{"name":"flowcc"},"rack":{"testbed":"concordia-8"},"run":{"measure":{"operations":200}},)"
      R"("seed":7,"version":1,"workload":{"kind":"micro","shared_bytes":"64KiB","threads":3,"warm_passes":0,"working_set":"1MiB"}})");
  const JsonValue later = Composition(files.at("suite.json/later")).document();
  CHECK(to_canonical_json(*later.find("faults")) == R"([{"kind":"noise","loss":0.5}])");
  CHECK(to_canonical_json(*later.find("rack")) == R"({"nodes":5,"testbed":"concordia-8"})");
  CHECK(case_names(read_json_file(files.at("suite.json"))) == std::vector<std::string>{"quiet", "later"});
}

TEST_CASE("an error names the file and the place where the value stands") {
  const Files files;
  const auto base = files.write("base.json", kBase);
  const auto suite = files.write("suite.json", R"({"base": "base.json", "workload": {"threads": 0}, "cases": {
    "inherits": {"seed": 2}, "sets": {"set": {"workload.threads": -1}}, "merges": {"workload": {"threads": -2}},
    "lacks": {"workload": {"threads": 1, "kind": null}}, "unknown": {"set": {"workload.threads": 2, "workload.thread": 2}},
    "whole": {"set": {"workload": {"kind": "micro", "threads": -3}}}}})");
  const auto says = [&](const std::string& path) {
    return refusal([&] { load_scenario(path, built_in_catalogue()); });
  };
  CHECK_THAT(says(suite + "/inherits"), Catch::StartsWith(suite + ": /workload/threads: found the number 0"));
  CHECK_THAT(says(suite + "/sets"),
             Catch::StartsWith(suite + ": /cases/sets/set/workload.threads: found the number -1"));
  CHECK_THAT(says(suite + "/merges"),
             Catch::StartsWith(suite + ": /cases/merges/workload/threads: found the number -2"));
  CHECK_THAT(says(suite + "/lacks"), Catch::StartsWith(suite + ": /cases/lacks/workload: found no \"kind\""));
  CHECK_THAT(says(suite + "/unknown"),
             Catch::StartsWith(suite + ": /cases/unknown/set/workload.thread: found the unknown"));
  // What stood in an object that is replaced whole is nobody's any more.
  CHECK_THAT(says(suite + "/whole"),
             Catch::StartsWith(suite + ": /cases/whole/set/workload/threads: found the number -3"));
  // What the base says wrongly is shown in the base.
  files.write("base.json", R"({"version": 1, "rack": "concordia-8", "protocol": {"name": "flowcc"},
    "workload": {"kind": "micro", "read_ratio": 7}})");
  files.write("other.json", R"({"base": "base.json", "workload": {"threads": 1}})");
  CHECK_THAT(says(files.at("other.json")), Catch::StartsWith(base + ": /workload/read_ratio: found the number 7"));
}

TEST_CASE("a testbed that a base names is found from the base's folder") {
  const Files files;
  files.write("one/own.json", R"({"base": "testbeds/concordia-8.json", "name": "own", "nodes": 3})");
  files.write("one/base.json", R"({"version": 1, "rack": {"testbed": "./own.json"}, "protocol": {"name": "flowcc"},
    "workload": {"kind": "micro"}})");
  files.write("two/derived.json", R"({"base": "../one/base.json", "seed": 2})");
  CHECK(load_scenario(files.at("two/derived.json"), built_in_catalogue()).rack.options->nodes == 3);
}

TEST_CASE("a figure may build on a figure, whose scenario it keeps") {
  const Files files;
  files.write("base.json", kBase);
  files.write("figure.json", R"({"version": 1, "title": "one", "base": "base.json",
    "sweep": {"path": "workload.threads", "values": [1, 2]}, "series": [{"name": "a"}],
    "metrics": {"throughput": "throughput_mops"}})");
  files.write("sub/other.json", R"({"base": "../figure.json", "title": "two", "sweep": {"values": [3]}})");
  const JsonValue other = Composition(files.at("sub/other.json")).document();
  CHECK(*other.find("title")->string() == "two");
  CHECK(to_canonical_json(*other.find("sweep")) == R"({"path":"workload.threads","values":[3]})");
  CHECK(check_file(files.at("sub/other.json"), {}, built_in_catalogue()) == "figure");
}

TEST_CASE("circles, too many files, missing files and wrong cases are refused where they are named") {
  const Files files;
  const auto a = files.write("a.json", R"({"base": "b.json"})");
  const auto b = files.write("b.json", R"({"base": "a.json"})");
  const auto says = [&](const std::string& path) { return refusal([&] { Composition{path}; }); };
  CHECK(says(a) ==
        b + ": /base: found a circle: " + a + " -> " + b + " -> " + a + ", expected a base that ends somewhere");
  files.write("leaf.json", "{}");
  files.write("wide0.json", R"({"base": ["leaf.json", "leaf.json"]})");
  for (int i = 1; i < 8; ++i) {
    const std::string below = "\"wide" + std::to_string(i - 1) + ".json\"";
    files.write("wide" + std::to_string(i) + ".json", "{\"base\": [" + below + ", " + below + "]}");
  }
  CHECK_THAT(says(files.at("wide7.json")), Catch::Contains("more than 32 files"));
  CHECK_THAT(says(files.write("c.json", R"({"base": "leav.json"})")),
             Catch::Contains("/base: found \"leav.json\", expected an existing file") &&
                 Catch::Contains("did you mean \"leaf.json\"?"));
  for (const char* base : {"3", "[]", "[\"leaf.json\", 3]", "{}", "null"}) {
    CHECK_THAT(says(files.write("d.json", std::string("{\"base\": ") + base + "}")),
               Catch::Contains("d.json: /base") && Catch::Contains("expected the path of a file, or an array of such"));
  }
  const auto suite = files.write("suite.json", R"({"cases": {"one": {}, "two": {}}})");
  CHECK(says(suite) == suite + ": /: found a suite of 2 cases, expected a case, --case NAME: \"one\" or \"two\"");
  CHECK_THAT(says(suite + "/ones"), Catch::Contains("did you mean \"one\"?"));
  CHECK_THAT(says(files.at("leaf.json/one")), Catch::Contains("has no \"cases\""));
  CHECK_THAT(says(files.write("e.json", R"({"base": "suite.json"})")), Catch::Contains("e.json: /base: found a suite"));
  for (const char* cases : {"[]", "3", "{}", R"({"../x": {}})", R"({"": {}})", R"({"a": 3})"}) {
    CHECK_THAT(says(files.write("f.json", std::string("{\"cases\": ") + cases + "}") + "/a"),
               Catch::Contains("f.json: /cases"));
  }
  CHECK_THAT(says(files.write("g.json", R"({"cases": {"a": {"base": "leaf.json"}}})") + "/a"),
             Catch::Contains("g.json: /cases/a/base"));
  CHECK_THAT(says(files.write("h.json", R"({"cases": {"a": {"set": {"a..b": 1}}}})") + "/a"),
             Catch::Contains("h.json: /cases/a/set/a..b: found an empty name"));
  CHECK_THAT(says(files.write("j.json", R"({"cases": {"a": {"set": {"a=3": 1}}}})") + "/a"),
             Catch::Contains("j.json: /cases/a/set/a=3: found an \"=\" in the path"));
  CHECK_THAT(says(files.write("i.json", R"({"x": 1, "cases": {"a": {"set": {"x.y": 1}}}})") + "/a"),
             Catch::Contains("i.json: /cases/a/set/x.y: found the number 1, expected an object"));
}

TEST_CASE("what expand prints runs as the case does, and run, fuzz, shrink, explain and diff take a case") {
  const Files files;
  files.write("base.json", kBase);
  files.write("suite.json", R"({"base": "base.json", "cases": {"one": {"set": {"workload.threads": 3}},
    "unsafe": {"set": {"protocol.flowcc.check_table": false}}}})");
  const auto run = [&](const std::string& arguments) { return run_racksim(files.folder, arguments); };
  const Outcome expanded = run("expand suite.json --case one");
  REQUIRE(expanded.status == 0);
  files.write("expanded.json", expanded.out);
  CHECK(run("diff expanded.json suite.json/one").status == 0);
  CHECK(run("diff expanded.json suite.json/unsafe").status == 1);
  CHECK_THAT(run("run suite.json --case one").out, Catch::Contains("scenario     suite/one (flowcc, seed 1)"));
  CHECK(run("run suite.json").status == 2);
  CHECK(run("fuzz suite.json --case one --runs 2").status == 0);
  CHECK_THAT(run("shrink suite.json --case one").err, Catch::Contains("a scenario that passes"));
  CHECK(run("explain suite.json --case one").status == 0);
  CHECK(run("validate suite.json suite.json/one").out ==
        "suite.json: valid suite of 2 cases\nsuite.json/one: valid scenario\n");
  // Each case has its own row and its own baseline.
  CHECK(run("test suite.json --bless").status == 0);
  CHECK(std::filesystem::exists(files.at("baselines/suite/one.json")));
  CHECK_THAT(run("test .").out, Catch::Contains("suite/one") && Catch::Contains("suite/unsafe"));
  files.write("suite.json", R"({"base": "base.json", "cases": {"unsafe": {}}})");
  CHECK_THAT(run("test suite.json .").err,
             Catch::Contains("baselines/suite/one.json: a baseline whose scenario is gone"));
}

}  // namespace composition_test

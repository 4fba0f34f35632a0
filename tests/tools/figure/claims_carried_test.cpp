// The lists of the papers' claims against what is in the tree: whatever is said to test a claim carries its id, and
// whatever carries an id is in the list.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "tests/places.hpp"
#include "tools/figure/figure.hpp"
#include "tools/figure/paper_claims.hpp"
#include "tools/files/data_files.hpp"

namespace claims_carried_test {

using namespace racksim::tools;
namespace fs = std::filesystem;

namespace {

struct TestCase {
  std::string name, tags;
};

/// The string literals that stand one after the other at `at`, joined; `at` goes behind them.
std::string literals_at(const std::string& source, std::size_t& at) {
  std::string text;
  for (at = source.find_first_not_of(" \n", at); at < source.size() && source[at] == '"';
       at = source.find_first_not_of(" \n", at + 1)) {
    while (source[++at] != '"') {
      if (source[at] == '\\') ++at;
      text += source[at];
    }
  }
  return text;
}

/// The test cases of a source file, with their tags.
std::vector<TestCase> test_cases_of(const std::string& source) {
  static const std::string kMacro = "\nTEST_CASE(";
  std::vector<TestCase> cases;
  for (std::size_t at = source.find(kMacro); at != std::string::npos; at = source.find(kMacro, at)) {
    at += kMacro.size();
    TestCase test;
    test.name = literals_at(source, at);
    if (source[at] == ',') test.tags = literals_at(source, ++at);
    cases.push_back(std::move(test));
  }
  return cases;
}

std::vector<TestCase> all_test_cases() {
  std::vector<TestCase> cases;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(racksim::places::source_folder()) / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string source{std::istreambuf_iterator<char>(in), {}};
    for (TestCase& test : test_cases_of(source)) cases.push_back(std::move(test));
  }
  return cases;
}

/// The ids in a test's tags that begin with this kind, "claim" or "off".
std::set<std::string> ids_in(const std::string& tags, const std::string& kind) {
  std::set<std::string> ids;
  const std::string begin = "[" + kind + ":";
  for (std::size_t at = tags.find(begin); at != std::string::npos; at = tags.find(begin, at + 1)) {
    const std::size_t from = at + begin.size();
    ids.insert(tags.substr(from, tags.find(']', from) - from));
  }
  return ids;
}

/// The ids that a figure judges, and those that it leaves out.
struct FigureIds {
  std::set<std::string> judged, left_out;
};

std::map<std::string, FigureIds> all_figure_ids() {
  std::map<std::string, FigureIds> figures;
  const fs::path folder = scenarios_folder() / "figures";
  for (const std::string& name : json_names_below(folder)) {
    const JsonValue document = read_json_file((folder / (name + ".json")).string());
    for (const auto& [key, ids] :
         {std::pair{"claims", &figures[name].judged}, std::pair{"not_modelled", &figures[name].left_out}}) {
      const auto* list = document.find(key);
      if (!list) continue;
      for (const JsonValue& claim : *list->elements()) ids->insert(*claim.find("id")->string());
    }
  }
  return figures;
}

/// All that is wrong, one line each.
std::string problems(const std::vector<PaperClaim>& claims, const std::vector<TestCase>& tests,
                     const std::map<std::string, FigureIds>& figures) {
  std::string text;
  const auto wrong = [&](const std::string& line) { text += line + '\n'; };
  std::map<std::string, const PaperClaim*> list;
  std::map<std::string, std::string> tags_of;
  for (const TestCase& test : tests) tags_of[test.name] += test.tags;

  for (const PaperClaim& claim : claims) {
    list[claim.id] = &claim;
    bool shown_off = false;
    for (const std::string& name : claim.tests) {
      const auto test = tags_of.find(name);
      if (test == tags_of.end()) {
        wrong(claim.id + ": there is no test \"" + name + '"');
        continue;
      }
      const bool off = ids_in(test->second, "off").contains(claim.id);
      shown_off = shown_off || off;
      if (!off && !ids_in(test->second, "claim").contains(claim.id)) {
        wrong(claim.id + ": the test \"" + name + "\" does not carry the id");
      }
    }
    if (shown_off != !claim.off.empty()) wrong(claim.id + ": \"off\" and the tags [off:...] disagree");
    if (claim.figure.empty()) continue;
    const std::set<std::string>& judged = figures.at(claim.figure).judged;
    const auto part = judged.lower_bound(claim.id + "/");
    const bool in_parts = part != judged.end() && part->starts_with(claim.id + "/");
    if (!judged.contains(claim.id) && !in_parts)
      wrong(claim.id + ": the figure " + claim.figure + " does not judge it");
  }

  for (const TestCase& test : tests) {
    for (const char* kind : {"claim", "off"}) {
      for (const std::string& id : ids_in(test.tags, kind)) {
        const auto claim = list.find(id);
        const bool named =
            claim != list.end() && std::count(claim->second->tests.begin(), claim->second->tests.end(), test.name) == 1;
        if (!named) wrong("the list does not name the test \"" + test.name + "\" for " + id);
      }
    }
  }
  for (const auto& [name, ids] : figures) {
    for (const std::string& id : ids.judged) {
      if (id.starts_with("own/")) continue;  // not a paper's
      const auto claim = list.find(id.substr(0, id.find('/')));
      if (claim == list.end() || claim->second->figure != name) wrong("the list does not name " + name + " for " + id);
    }
    for (const std::string& id : ids.left_out) {
      const auto claim = list.find(id);
      if (claim == list.end() || claim->second->not_modelled.empty()) {
        wrong(name + " leaves out " + id + ", which the list does not call not modelled");
      }
    }
  }
  return text;
}

PaperClaim claim_with(const std::string& id, const std::string& figure, const std::vector<std::string>& tests) {
  PaperClaim claim;
  claim.id = id;
  claim.figure = figure;
  claim.tests = tests;
  return claim;
}

}  // namespace

TEST_CASE("every claim that is listed as tested names tests and figures that carry its id, and the other way round") {
  const auto claims = load_paper_claims(scenarios_folder());
  const auto tests = all_test_cases();
  const auto figures = all_figure_ids();
  CHECK(claims.size() > 150);
  CHECK(tests.size() > 500);
  CHECK(figures.size() > 10);
  CHECK(problems(claims, tests, figures) == "");
}

TEST_CASE("every claim that is off or unclear says why, and no claim gives a reason that is out of date") {
  for (const PaperClaim& claim : load_paper_claims(scenarios_folder())) {
    CAPTURE(claim.id);
    const bool unmet = claim.standing == Standing::off || claim.standing == Standing::unclear;
    CHECK((!unmet || !claim.why.empty()));
    CHECK((claim.reason.empty() || claim.standing == Standing::off || claim.standing == Standing::unclear));
  }
}

TEST_CASE("each record of a figure has the figure's claims, with what the figure file expects of them") {
  const fs::path folder = scenarios_folder() / "claims" / "recorded";
  for (const std::string& name : json_names_below(folder)) {
    CAPTURE(name);
    const FigureRecord record = read_figure_record((folder / (name + ".json")).string());
    const Figure figure = load_figure(find_figure_file(name), built_in_catalogue(), false);
    CHECK(record.figure == name);
    CHECK(record.repeats == figure.repeats);
    CHECK(record.run_hashes.size() == figure.points.size() * figure.criteria());
    REQUIRE(record.claims.size() == figure.claims.size());
    for (std::size_t i = 0; i < record.claims.size(); ++i) {
      CHECK(record.claims[i].id == figure.claims[i].id);
      CHECK(record.claims[i].paper == figure.claims[i].paper.text);
    }
  }
}

TEST_CASE("the search for claims' ids finds tests with tags, and what is wrong") {
  const auto tests = test_cases_of(
      "\nTEST_CASE(\"one\") {\n}\nTEST_CASE(\n    \"a \\\"long\\\" \"\n    \"name\",\n    \"[x][claim:p-1]\"\n    "
      "\"[off:p-2]\") {}\n");
  REQUIRE(tests.size() == 2);
  CHECK(tests[0].name == "one");
  CHECK(tests[0].tags == "");
  CHECK(tests[1].name == "a \"long\" name");
  CHECK(ids_in(tests[1].tags, "claim") == std::set<std::string>{"p-1"});
  CHECK(ids_in(tests[1].tags, "off") == std::set<std::string>{"p-2"});

  const std::string name = tests[1].name;
  PaperClaim off = claim_with("p-2", "", {name});
  off.off = "it is so";
  PaperClaim left_out = claim_with("p-4", "", {});
  left_out.not_modelled = "why";
  const std::vector<PaperClaim> good{claim_with("p-1", "", {name}), off, claim_with("p-3", "p/f", {}), left_out};
  const std::map<std::string, FigureIds> figures{{"p/f", {{"p-3/part", "own/p-9"}, {"p-4"}}}};
  CHECK(problems(good, tests, figures) == "");

  const auto with = [&](std::size_t i, const PaperClaim& claim) {
    auto claims = good;
    claims[i] = claim;
    return problems(claims, tests, figures);
  };
  CHECK_THAT(with(0, claim_with("p-1", "", {name, "two"})), Catch::Contains("no test \"two\""));
  CHECK_THAT(with(0, claim_with("p-1", "", {name, "one"})), Catch::Contains("does not carry the id"));
  CHECK_THAT(with(0, claim_with("p-1", "", {})), Catch::Contains("does not name the test"));
  CHECK_THAT(with(0, claim_with("p-11", "", {})), Catch::Contains("for p-1"));
  CHECK_THAT(with(1, claim_with("p-2", "", {name})), Catch::Contains("disagree"));
  CHECK_THAT(with(2, claim_with("p-3", "", {})), Catch::Contains("does not name p/f for p-3/part"));
  CHECK_THAT(with(2, claim_with("p-30", "p/f", {})), Catch::Contains("does not judge it"));
  CHECK_THAT(with(3, claim_with("p-4", "", {})), Catch::Contains("leaves out p-4"));
}

}  // namespace claims_carried_test

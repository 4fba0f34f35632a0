// What a suite consists of, how its children's endings are judged, and its reports.
#include "tools/suite/suite.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/suite/suite_report.hpp"

namespace suite_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

std::vector<std::string> names(const SuiteFiles& files) {
  std::vector<std::string> result;
  for (const auto& entry : files.scenarios) result.push_back(entry.name);
  return result;
}

SuiteScenario scenario_named(std::string folder, std::string name) {
  return {{std::move(folder), name, name + ".json"}, {}, {}};
}

/// True if every tag is closed in order and no raw markup stands in text: enough for what we write.
bool balanced(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = xml.find("?>") + 2;
  while ((at = xml.find('<', at)) != std::string::npos) {
    const auto end = xml.find('>', at);
    if (end == std::string::npos || xml.find('<', at + 1) < end) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find(' '));
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty();
}

}  // namespace

TEST_CASE("a suite is every scenario at any depth but what is in folders of other kinds") {
  const TemporaryFolder folder;
  for (const char* file :
       {"b.json", "a.json", "deep/er/c.json", "baselines/a.json", "baselines/gone.json", "deep/baselines/old.json",
        "testbeds/t.json", "figures/f.json", "schema/s.json", ".hidden/h.json", "notes.txt"}) {
    folder.write(file, "{}");
  }
  const auto files = find_suite({folder.path().string()});
  CHECK(names(files) == std::vector<std::string>{"a", "b", "deep/er/c"});
  CHECK(files.stale_baselines == std::vector<std::string>{(folder.path() / "deep/baselines/old.json").string(),
                                                          (folder.path() / "baselines/gone.json").string()});
  CHECK(names(find_suite({(folder.path() / "b.json").string()})) == std::vector<std::string>{"b"});
}

TEST_CASE("a folder that is missing or holds no scenario is refused") {
  const TemporaryFolder folder;
  folder.write("baselines/a.json", "{}");
  CHECK_THAT(refusal([&] { find_suite({folder.path().string()}); }), Catch::Contains("found no scenario below it"));
  CHECK_THAT(refusal([&] { find_suite({"no/such/folder"}); }), Catch::Contains("found no such file or folder"));
}

TEST_CASE("a child that crashed, hung or threw fails with what happened and reaches no verdict") {
  using Ending = ChildResult::Ending;
  for (const auto ending : {Ending::killed, Ending::timed_out, Ending::threw}) {
    const auto result = judge({}, std::nullopt, {0, ending, "why"});
    CHECK_FALSE(result.passed());
    CHECK_FALSE(result.ended);
    CHECK(result.failures == std::vector<std::string>{"why"});
  }
}

TEST_CASE("a run that failed is not held against the baseline") {
  const ChildResult child{0, ChildResult::Ending::answered,
                          R"({"failures": ["single-writer at 1 ns: two"], "run_hash": "", "metrics": {}})"};
  const auto result = judge({}, std::nullopt, child);
  CHECK(result.ended);
  CHECK(result.failures.size() == 1);
  CHECK(result.baseline.failures.empty());
}

TEST_CASE("the modes beside a scenario's own are the others") {
  const auto overrides = [](Execution execution, IdlePasses idle_passes) {
    Scenario scenario;
    scenario.run.execution = execution;
    scenario.run.idle_passes = idle_passes;
    std::vector<std::vector<std::string>> all;
    for (const ExecutionMode& mode : other_modes(scenario)) all.push_back(mode.overrides());
    return all;
  };
  const std::vector<std::string> skip{"run.execution=fused", "run.idle_passes=skip"},
      run{"run.execution=fused", "run.idle_passes=run"}, stepped{"run.execution=stepped"},
      interpreted{"run.execution=interpreted"};
  using Modes = std::vector<std::vector<std::string>>;
  CHECK(overrides(Execution::fused, IdlePasses::skip) == Modes{run, stepped, interpreted});
  CHECK(overrides(Execution::fused, IdlePasses::run) == Modes{skip, stepped, interpreted});
  CHECK(overrides(Execution::stepped, IdlePasses::skip) == Modes{skip, run, interpreted});
  CHECK(overrides(Execution::stepped, IdlePasses::run) == Modes{skip, run, interpreted});
}

TEST_CASE("a mode that gives another report fails with what differs and the command that explains it") {
  const ExecutionMode stepped{Execution::stepped};
  const auto judged = [&](const char* text, ChildResult::Ending ending = ChildResult::Ending::answered) {
    SuiteResult result;
    result.ended = true;
    result.report = R"({"metrics":{"operations":10,"passes":7},"run_hash":"aa"})";
    judge_mode("f.json", stepped, {0, ending, text}, result);
    CHECK(result.modes == 2);
    return result.failures;
  };
  CHECK(judged(R"({"metrics":{"operations":10,"passes":7},"run_hash":"aa"})").empty());
  CHECK(judged(R"({"metrics":{"operations":10,"passes":8},"run_hash":"bb"})") ==
        std::vector<std::string>{"with run.execution=stepped: metrics.passes is 8, not 7",
                                 "with run.execution=stepped: run_hash is bb, not aa",
                                 "2 in all; see racksim diff f.json f.json --set-b run.execution=stepped"});
  CHECK(judged(R"({"metrics":{"operations":10},"run_hash":"aa"})").front() ==
        "with run.execution=stepped: metrics.passes is missing, not 7");
  CHECK(judged("ended by signal 11", ChildResult::Ending::killed) ==
        std::vector<std::string>{"with run.execution=stepped: ended by signal 11"});
}

TEST_CASE("text is made fit for XML") {
  CHECK(xml_escaped("a<b>&\"c") == "a&lt;b&gt;&amp;&quot;c");
  CHECK(xml_escaped(std::string_view("\0\x1b[31m", 6)) == "??[31m");
  CHECK(xml_escaped("line\ntab\t") == "line&#10;tab&#9;");
  CHECK(xml_escaped("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") == "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  // Cut short, overlong, a surrogate, beyond Unicode, a stray continuation, and U+FFFE, which XML leaves out.
  CHECK(xml_escaped("\xc3") == "?");
  CHECK(xml_escaped("\xc0\xaf") == "??");
  CHECK(xml_escaped("\xed\xa0\x80") == "???");
  CHECK(xml_escaped("\xf5\x80\x80\x80") == "????");
  CHECK(xml_escaped("\x80") == "?");
  CHECK(xml_escaped("\xef\xbf\xbe") == "???");
}

TEST_CASE("JUnit XML counts failures and errors by folder and stays well-formed whatever the messages say") {
  std::vector<SuiteScenario> scenarios{scenario_named("one", "good"), scenario_named("one", "off"),
                                       scenario_named("t<w>o", "crashed")};
  std::vector<SuiteResult> results(3);
  results[0].ended = results[1].ended = true;
  results[1].baseline.failures = {"x is 1 < 2 & \"more\"", "]]>"};
  results[2].failures = {"ended by signal 11\n\x01"};
  results[1].seconds = 1.5;
  const auto xml = suite_junit(scenarios, results);
  CHECK(balanced(xml));
  CHECK_THAT(xml, Catch::Contains(
                      "<testsuite name=\"one\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"1.500\">"));
  CHECK_THAT(xml, Catch::Contains("<testsuite name=\"t&lt;w&gt;o\" tests=\"1\" failures=\"0\" errors=\"1\""));
  CHECK_THAT(xml, Catch::Contains("<failure message=\"x is 1 &lt; 2 &amp; &quot;more&quot;\">"));
  CHECK_THAT(xml, Catch::Contains("<error message=\"ended by signal 11&#10;?\">"));
  CHECK_THAT(suite_text(scenarios, results, 2), Catch::EndsWith("1 of 3 passed in 2.0 s\n"));
}

}  // namespace suite_test

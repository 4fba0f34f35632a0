// Safety mechanisms: each has a regression that turns off nothing else, expects a failure, and passes with the mechanism.
// That it fails without is what `racksim test scenarios/regress` holds it to.
#include "tools/scenario/mechanisms.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "tests/tools/run_racksim.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/files/data_files.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/suite/suite.hpp"

namespace mechanisms_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

/// Regressions that fail on purpose and that no mechanism names.
const std::map<std::string, std::string> kOthers{
    {"applications/transactions.json/to-code-rules", "the public code's rules of timestamps, of no protocol"},
    {"applications/two-phase-commit.json/early-release", "the public code's release of locks, of no protocol"},
    {"cckvs/learning.json/sc-printed", "the hand-over as printed under SC too"},
    {"cckvs/shipped.json/sc-roaming", "sessions that SC does not promise to keep, which unsafe_sessions lets in"},
    {"cckvs/mechanisms.json/sc-with-a-tenth-of-its-history", "update_timestamps as a tenth of a history shows it"},
    {"cckvs/mechanisms.json/lin-without-tie-break", "tie_break under Lin too"},
    {"cckvs/mechanisms.json/lin-without-update-timestamps", "update_timestamps under Lin too"},
    {"cckvs/litmus.json/without-invalid-state", "invalid_state as a litmus test sees it"},
    {"cckvs/litmus.json/without-update-timestamps", "update_timestamps as a litmus test sees it"},
    {"flowcc/applications.json/allocation-without-last-executed", "last_executed, and the chunks of the allocator"},
    {"flowcc/printed.json/lost-unlocks", "idempotence as printed, where unlocks are lost"},
    {"flowcc/printed.json/overtaken", "idempotence as printed, where requests overtake each other"},
    {"flowcc/printed.json/spurious-timeouts", "idempotence as printed, where timeouts are short"},
    {"flowcc/mechanisms.json/slow-agent-without-scoreboard", "scoreboard on perfect wires too"},
    {"gam/recovery.json/one-message-crash", "two_messages, and what a log knows after a crash"},
};
/// Options that a regression must have at an unsafe value for its own to matter.
const std::map<std::string, std::string> kBesides{
    // Its doc says why: with versions the other switch never takes its copies for valid.
    {"starcache/racks.json/without-own-servers", "coherence"},
};

bool expects_failure(const Scenario& scenario) {
  return scenario.expect.pass == false || !scenario.expect.violation.empty();
}

std::string regression_file(std::string_view name) {
  return (scenarios_folder() / "regress" / name).string();
}

const JsonValue* value_at(const JsonValue& object, const std::string& path) {
  const auto dot = path.find('.');
  const JsonValue* member = object.find(path.substr(0, dot));
  return member == nullptr || dot == std::string::npos ? member : value_at(*member, path.substr(dot + 1));
}

std::vector<Mechanism> all_mechanisms(const Catalogue& catalogue) {
  std::vector<Mechanism> all;
  for (const auto& protocol : catalogue.protocols) {
    for (Mechanism& mechanism : mechanisms_of(protocol)) all.push_back(std::move(mechanism));
  }
  return all;
}

/// What the options of a protocol are if nobody says anything.
JsonValue defaults_of(const Catalogue& catalogue, const std::string& protocol) {
  sim::Parameters parameters;
  const auto options = find_entry(catalogue.protocols, protocol)->make(parameters);
  return values_in_effect(parameters);
}

/// What the oracles object to, or why the options are refused.
std::string verdict_of(const Scenario& scenario) {
  return answer_of(
             [&] {
               sim::Metrics metrics;
               try {
                 const RunResult result = run_experiment(scenario, metrics, "", {});
                 if (!result.violations.empty()) return result.violations.front().what;
                 return std::string(result.pass ? "pass" : "fail");
               } catch (const InputError&) {
                 return std::string("refused");
               }
             },
             "in a test")
      .text;
}

}  // namespace

TEST_CASE("each safety mechanism names a regression that turns off nothing else, fails, and passes with it") {
  const Catalogue catalogue = built_in_catalogue();
  std::set<std::string> shown;
  for (const auto& [protocol, option, unsafe, breaks, regression] : all_mechanisms(catalogue)) {
    INFO(protocol << "." << option << " = " << to_canonical_json(unsafe) << ": " << regression);
    CHECK(!breaks.empty());
    const Scenario scenario = load_scenario(regression_file(regression), catalogue);
    CHECK(expects_failure(scenario));
    const std::string& runs = scenario.protocol.name;
    const JsonValue values = values_in_effect(scenario.protocol.parameters);
    // Protocols that share a declaration share its regression, which is one of theirs.
    REQUIRE(value_at(values, option) != nullptr);
    CHECK(*value_at(values, option) == unsafe);
    for (const Mechanism& other : mechanisms_of(*find_entry(catalogue.protocols, runs))) {
      const auto besides = kBesides.find(std::string(regression));
      if (other.option == option || (besides != kBesides.end() && besides->second == other.option)) continue;
      INFO("besides " << other.option);
      CHECK_FALSE(*value_at(values, other.option) == other.unsafe);
    }
    const JsonValue defaults = defaults_of(catalogue, runs);
    const JsonValue& safe = *value_at(defaults, option);
    CHECK_FALSE(safe == unsafe);
    if (!shown.insert(std::string(regression)).second) continue;
    Scenario with = load_scenario(regression_file(regression), catalogue,
                                  {"protocol." + runs + "." + option + "=" + to_canonical_json(safe)});
    with.expect = {};
    const std::string verdict = verdict_of(with);
    CHECK((verdict == "pass" || verdict == "refused"));
  }
  CHECK(shown.size() > 60);
}

TEST_CASE("each regression that expects a failure shows a safety mechanism, or says what else") {
  const Catalogue catalogue = built_in_catalogue();
  std::set<std::string> named;
  for (const Mechanism& mechanism : all_mechanisms(catalogue)) named.insert(std::string(mechanism.regression));
  const std::string folder = (scenarios_folder() / "regress").string();
  for (const SuiteEntry& entry : find_suite({folder}).scenarios) {
    const std::string name = entry.file.substr(folder.size() + 1);
    INFO(name);
    const bool listed = named.contains(name) || kOthers.contains(name);
    CHECK(expects_failure(load_scenario(regression_file(name), catalogue)) == listed);
    CHECK_FALSE((named.contains(name) && kOthers.contains(name)));
  }
}

TEST_CASE("racksim list mechanisms prints option, unsafe value, what goes wrong and regression") {
  const testing::TemporaryFolder folder;
  const auto run = [&](const std::string& arguments) { return testing::run_racksim(folder, arguments); };
  const auto of_gam = run("list mechanisms gam");
  CHECK(of_gam.status == 0);
  CHECK_THAT(of_gam.out, Catch::StartsWith("option ") && Catch::Contains("gam.dying_reads") &&
                             Catch::Contains("paper") && Catch::Contains("gam/mechanisms.json/without-dying-wait"));
  CHECK_THAT(of_gam.out, !Catch::Contains("flowcc.scoreboard"));
  const auto json = parse_json(run("list mechanisms selcc --json").out, "list");
  REQUIRE(json.elements());
  for (const JsonValue& one : *json.elements()) {
    CHECK(*one.find("protocol")->string() == "selcc");
    if (*one.find("option")->string() == "gamma") CHECK(one.find("unsafe")->is_null());
  }
  CHECK_THAT(run("list mechanisms").out, Catch::Contains("flowcc.scoreboard"));
  CHECK_THAT(run("list mechanisms flowc").err, Catch::Contains("did you mean \"flowcc\"?"));
  CHECK(run("list protocols selcc").status == 2);
}

}  // namespace mechanisms_test

// An oracle that is listed as having watched a run has judged something in it. Who judges what follows from what the
// oracles are about: a store has no blocks of which a node could have permission, a memory has no items to return.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/service/memory_service.hpp"
#include "tests/places.hpp"
#include "tests/tools/experiment/bare_run.hpp"
#include "tools/fuzz/swarm.hpp"
#include "tools/report/report.hpp"
#include "tools/report/report_text.hpp"

namespace judged_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

struct Watched {
  std::vector<Judged> judged;
  bool of_store = false;
  bool of_blocks = false;  ///< values are of whole lines
};

Watched run(const Scenario& scenario) {
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  const auto* memory = dynamic_cast<models::MemoryService*>(&assembly.protocol().service());
  const bool of_blocks = memory != nullptr && memory->shape().object_bytes == memory->shape().block_bytes;
  return {testing::bare_run(assembly, scenario).judged, memory == nullptr, of_blocks};
}

/// Whether an oracle can judge anything of such a protocol.
bool has_something_for(const std::string& oracle, bool of_store, bool of_blocks) {
  if (oracle == "one-call") return !of_blocks;
  if (oracle == "single-writer" || oracle == "mutual-exclusion" || oracle == "lock-fairness") return !of_store;
  if (oracle == "returned-key" || oracle == "torn" || oracle == "answered-once") return of_store;
  return true;
}

}  // namespace

TEST_CASE("in some run of each template every oracle that has something to judge has judged it, and no other has") {
  const Catalogue catalogue = built_in_catalogue();
  std::size_t templates = 0;
  for (const auto& file : std::filesystem::directory_iterator(places::source_folder() + "/scenarios/fuzz")) {
    if (file.path().extension() != ".json") continue;
    ++templates;
    const Swarm swarm = load_swarm(file.path().string(), catalogue, {}, 1);
    std::map<std::string, std::uint64_t> counts;
    bool of_store = false, of_blocks = false;
    // More where the first ones leave an oracle without anything: perfect wires are drawn in some runs alone.
    const auto lacks = [&] {
      return std::any_of(counts.begin(), counts.end(), [&](const auto& one) {
        return one.second == 0 && has_something_for(one.first, of_store, of_blocks);
      });
    };
    for (std::uint64_t index = 0, runs = 0; (runs < 6 || (runs < 12 && lacks())) && index < 40; ++index) {
      try {
        const Watched watched = run(read_scenario(swarm.derive(index), swarm.file(), catalogue));
        of_store = watched.of_store;
        of_blocks = watched.of_blocks;
        for (const Judged& one : watched.judged) counts[one.oracle] += one.count;
        ++runs;
      } catch (const InputError&) {  // drawn options that do not fit
      } catch (const sim::OptionError&) {
      }
    }
    CHECK(counts.size() >= 6);
    for (const auto& [oracle, count] : counts) {
      // Locks are asked for where the template says so, and whether somebody dies with one the draws say.
      if (oracle == "told-of-death") continue;
      const bool of_locks = oracle == "mutual-exclusion" || oracle == "lock-fairness";
      if (of_locks && file.path().string().find("locks") == std::string::npos) continue;
      INFO(file.path().stem().string() << ": " << oracle << " judged " << count);
      CHECK((count > 0) == has_something_for(oracle, of_store, of_blocks));
    }
  }
  CHECK(templates >= 22);
}

TEST_CASE("a report counts what each oracle judged, and lists apart who had nothing, and whether it was promised") {
  Scenario scenario = load_scenario("scenarios/quickstart.json", built_in_catalogue(), {"run.measure.operations=300"});
  sim::Metrics metrics;
  const RunResult result = [&] {
    RunResult of_run;
    Assembly assembly(parts_of(scenario, nullptr), metrics);
    static_cast<RunOutcome&>(of_run) = testing::bare_run(assembly, scenario);
    return of_run;
  }();
  std::map<std::string, Judged> judged;
  for (const Judged& one : result.judged) judged[one.oracle] = one;
  const auto whole = std::get<sim::Counter>(metrics.find("operations")->value).value;
  CHECK(judged.at("data-value").count == whole);  // all of them reads and writes
  CHECK(judged.at("progress").count == whole);
  CHECK(judged.at("served").count == whole);
  CHECK(judged.at("quiescence").count == 1);
  CHECK(judged.at("mutual-exclusion").count == 0);
  CHECK(judged.at("mutual-exclusion").promised);
  CHECK_FALSE(judged.at("torn").promised);
  const std::string text = report_text(scenario, result, metrics, {});
  CHECK_THAT(text, Catch::Contains("data-value (" + std::to_string(whole) + " operations)") &&
                       Catch::Contains("quiescence (1 state at the end)") &&
                       Catch::Contains("\nnot judged   answered-once, cost (promised), lock-fairness (promised), "
                                       "mutual-exclusion (promised), "));
  const JsonValue report = report_json(scenario, result, metrics);
  const JsonValue* of_locks = report.find("judged")->find("mutual-exclusion");
  REQUIRE(of_locks != nullptr);
  CHECK(of_locks->find("count")->natural() == 0);
  CHECK(*of_locks->find("promised")->boolean());
}

}  // namespace judged_test

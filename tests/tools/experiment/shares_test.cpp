// What a report divides: each share is the quotient of counters that stand in the same report.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/service/protocol.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/files/data_files.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/report/report.hpp"
#include "tools/scenario/scenario.hpp"

namespace shares_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

/// The sum of counters as the report has them.
double sum(const JsonValue& report, const sim::Metrics& metrics, const sim::Quotient::Counters& counters) {
  double all = 0;
  for (const sim::Counter* counter : counters) {
    const auto found = std::find_if(metrics.all().begin(), metrics.all().end(), [&](const auto& named) {
      return std::get_if<sim::Counter>(&named.second.value) == counter;
    });
    if (found == metrics.all().end()) throw std::logic_error("a share is of what is no metric");
    all += *report.find("metrics")->find(found->first)->number();
  }
  return all;
}

/// The names of a run's shares, a line each; of what is wrong with one there is a line that says so. Last, in how many
/// counters the window differs from the whole run.
std::string shares_of(const std::string& template_name) {
  const Scenario scenario =
      load_scenario(find_scenario_file("fuzz/" + template_name + ".json"), built_in_catalogue(),
                    {"run.warmup=50us", R"(run.measure={"operations": 1000})", "check.all=false"});
  sim::Metrics metrics;
  Scenario unjudged = scenario;
  unjudged.expect = {};
  const RunResult result = run_experiment(unjudged, metrics, "", {});
  const JsonValue report = report_json(unjudged, result, metrics);
  std::string lines;
  std::size_t differing = 0;
  for (const auto& [name, metric] : metrics.all()) {
    if (const auto* counter = std::get_if<sim::Counter>(&metric.value)) {
      const double window = *report.find("metrics")->find(name)->number();
      const double whole_run = *report.find("whole_run")->find(name)->number();
      if (window > whole_run || whole_run != static_cast<double>(counter->value)) lines += "wrong: " + name + '\n';
      differing += window < whole_run;
    }
    const auto* share = std::get_if<sim::Quotient>(&metric.value);
    if (share == nullptr) continue;
    const double part = sum(report, metrics, share->part), whole = sum(report, metrics, share->whole);
    const double expected = whole == 0 ? 0 : (share->rest ? whole - part : part) / whole;
    const double printed = *report.find("metrics")->find(name)->number();
    lines += printed == expected ? name + '\n' : fmt::format("wrong: {} is {}, not {}\n", name, printed, expected);
  }
  return lines + std::to_string(differing);
}

}  // namespace

TEST_CASE("every share that a protocol reports is the quotient of counters that it reports, in the measured phase") {
  for (const auto& protocol : models::protocols()) {
    INFO(protocol.name);
    const ChildResult child = answer_of([&] { return shares_of(protocol.name); }, "as shares were compared");
    REQUIRE(child.answered());
    INFO(child.text);
    CHECK_THAT(child.text, !Catch::Contains("wrong"));
    // Something happened before the window or after it.
    CHECK(std::stoul(child.text.substr(child.text.rfind('\n') + 1)) > 5);
    static const std::map<std::string, std::string> known{{"flowcc", "flowcc.local_hit_share"},
                                                          {"gam", "gam.hit_ratio"},
                                                          {"selcc", "selcc.invalidation_share"},
                                                          {"rpc-directory", "rpc_directory.local_share"},
                                                          {"nocache", "store.loss"},
                                                          {"starcache", "store.overflow_share"},
                                                          {"cckvs", "store.cache_share"}};
    if (const auto share = known.find(protocol.name); share != known.end()) {
      CHECK_THAT(child.text, Catch::Contains(share->second));
    }
  }
}

}  // namespace shares_test

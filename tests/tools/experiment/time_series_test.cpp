// What a run tells over time: operations by interval, and the size of StarCache's cache.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tests/tools/run_racksim.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/json_document.hpp"

namespace experiment_time_series_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

std::vector<double> values_of(const JsonValue& report, const std::string& series) {
  std::vector<double> values;
  for (const JsonValue& value : *report.find("metrics")->find(series)->find("values")->elements()) {
    values.push_back(*value.number());
  }
  return values;
}

}  // namespace

TEST_CASE("the series of a run add up to its operations, and the cache changes by a key a round") {
  const TemporaryFolder folder;
  const Outcome run = run_racksim(folder, "run " + find_scenario_file("regress/starcache/shipped.json/dynamic") +
                                              " --set observe.series_interval=500us --json");
  REQUIRE(run.status == 0);
  const JsonValue report = parse_json(run.out, "report");
  const auto operations = values_of(report, "operations_over_time");
  CHECK(std::accumulate(operations.begin(), operations.end(), 0.0) >=
        *report.find("metrics")->find("operations")->number());  // which counts the measured phase alone
  const auto sizes = values_of(report, "starcache.cache_size_over_time");
  REQUIRE(sizes.size() > 5);
  CHECK(sizes.front() >= 16);  // what the scenario begins with
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    INFO("interval " << i);
    CHECK(std::abs(sizes[i] - sizes[i - 1]) <= 1);  // §3.8: by one a round, and a round takes an interval at least
  }
}

}  // namespace experiment_time_series_test

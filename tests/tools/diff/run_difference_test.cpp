// Parameters and metrics that differ.
#include "tools/diff/run_difference.hpp"

#include <catch2/catch.hpp>

namespace run_difference_test {

using namespace racksim::tools;

TEST_CASE("parameters that differ are named by their paths and what only judges a run is left out") {
  const auto a = parse_json(R"({"name": "x", "seed": 1, "rack": {"nodes": 4, "rtt": "1us"}, "check": {"all": true},
                                "faults": [{"kind": "loss", "loss": 0.1}]})",
                            "a");
  const auto b = parse_json(R"({"name": "y", "seed": 1, "rack": {"rtt": "2us", "nodes": 4}, "check": {"all": false},
                                "faults": [{"kind": "loss", "loss": 0.1}, {"kind": "down"}]})",
                            "b");
  const auto differences = parameter_differences(a, b);
  REQUIRE(differences.size() == 2);
  CHECK(differences[0].parameter == "rack.rtt");
  CHECK((differences[0].a == "1us" && differences[0].b == "2us"));
  CHECK(differences[1].parameter == "faults.1.kind");
  CHECK((differences[1].a == std::nullopt && differences[1].b == "down"));
  CHECK(parameter_differences(a, a).empty());
}

TEST_CASE("metrics come by the size of their change in per cent") {
  const auto a =
      parse_json(R"({"same": 5, "grown": 100, "latency": {"p50": 10, "max": 8}, "fresh": 0, "only_a": 1})", "a");
  const auto b =
      parse_json(R"({"same": 5, "grown": 103, "latency": {"p50": 9, "max": 8}, "fresh": 2, "only_b": 1})", "b");
  const auto metrics = metric_differences(a, b);
  std::vector<std::string> names;
  for (const auto& metric : metrics) {
    if (metric.differs()) names.push_back(metric.metric);
  }
  CHECK(names == std::vector<std::string>{"fresh", "only_a", "only_b", "latency.p50", "grown"});
  CHECK(metrics.size() == 7);
}

}  // namespace run_difference_test

// The metric registry: stable references, order of names, refused names.
#include "sim/metrics/metrics.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace metrics_test {

using namespace racksim::sim;

TEST_CASE("what a component counts is what the registry shows") {
  Metrics metrics;
  auto& received = metrics.counter("flowcc.home_agent.packets_received", "packets", "Packets that reached it.");
  auto& latency = metrics.histogram("latency", "Time from request to completion.");
  auto& progress = metrics.time_series("progress", "operations", "Operations completed.", 1_us);
  metrics.gauge("hit_share", "ratio", "Accesses that hit the local cache.", 0.25);
  // Many more registrations must not move what was handed out before.
  for (int i = 0; i < 1000; ++i) metrics.counter("other.c" + std::to_string(i), "events", "Filler.");

  ++received.value;
  latency.record(5_ns);
  progress.add(Time::from_ps(1'500'000));

  const auto* found = metrics.find("flowcc.home_agent.packets_received");
  REQUIRE(found != nullptr);
  CHECK(found->unit == "packets");
  CHECK(found->doc == "Packets that reached it.");
  CHECK(std::get<Counter>(found->value).value == 1);
  CHECK(std::get<Gauge>(metrics.find("hit_share")->value).value == 0.25);
  CHECK(std::get<Histogram>(metrics.find("latency")->value).count() == 1);
  CHECK(std::get<TimeSeries>(metrics.find("progress")->value).values() == std::vector<std::uint64_t>{0, 1});
  CHECK(metrics.find("flowcc.home_agent") == nullptr);
}

TEST_CASE("metrics are enumerated in the order of their names, whatever the order of registration") {
  Metrics metrics;
  for (const auto* name : {"b", "a.z", "c", "a.b.c"}) metrics.counter(name, "events", "Test.");
  std::vector<std::string> names;
  for (const auto& [name, metric] : metrics.all()) names.push_back(name);
  CHECK(names == std::vector<std::string>{"a.b.c", "a.z", "b", "c"});
}

TEST_CASE("cleared counts are as if nothing had happened, and gauges keep what was computed") {
  Metrics metrics;
  auto& counter = metrics.counter("a", "events", "Test.");
  auto& histogram = metrics.histogram("b", "Test.");
  auto& series = metrics.time_series("c", "events", "Test.", 1_us);
  metrics.gauge("d", "ratio", "Test.", 0.5);
  counter.value = 3;
  histogram.record(5_ns);
  series.add(Time::from_ps(2'500'000));
  metrics.clear_counts();
  CHECK(counter.value == 0);
  CHECK(histogram.count() == 0);
  CHECK(histogram.max() == Duration{});
  CHECK(series.values().empty());
  CHECK(std::get<Gauge>(metrics.find("d")->value).value == 0.5);
  series.add(Time::from_ps(500'000));
  CHECK(series.values() == std::vector<std::uint64_t>{1});
}

TEST_CASE("a name that is taken is a defect, which names both places, and the first metric stays") {
  Metrics metrics;
  const unsigned first = __LINE__ + 1;
  metrics.counter("switch.passes", "packets", "Passes.").value = 7;
  const unsigned second = __LINE__ + 1;
  const auto again = [&] { metrics.gauge("switch.passes", "ratio", "Other.", 1); };
  CHECK_THROWS_AS(again(), std::logic_error);
  const auto place = [](unsigned line) { return "metrics/metrics_test.cpp:" + std::to_string(line); };
  CHECK_THROWS_WITH(
      again(), Catch::Contains("switch.passes") && Catch::Contains(place(first)) && Catch::Contains(place(second)));
  CHECK(std::get<Counter>(metrics.find("switch.passes")->value).value == 7);
}

TEST_CASE("a name that is no dotted path is refused by name") {
  Metrics metrics;
  for (const auto* name : {"", ".", "a.", ".a", "a..b", "a b", "A", "a-b"}) {
    CHECK_THROWS_WITH(metrics.counter(name, "events", "Test."), Catch::Contains(std::string("'") + name + "'"));
  }
  CHECK(metrics.all().empty());
}

}  // namespace metrics_test

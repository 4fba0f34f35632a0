// The metric registry: stable references, order of names, refused names.
#include "sim/metrics/metrics.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <utility>
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

TEST_CASE("a window cuts what counters say of a run, and nothing of how they count") {
  Metrics metrics;
  auto& lost = metrics.trouble("lost", "packets", "Test.");
  auto& verdicts = metrics.counter_of_run("verdicts", "repetitions", "Test.");
  const auto& share = metrics.share("share", "Test.", {&lost}, {&lost, &verdicts});
  metrics.rate("lost_mops", "Test.", lost);
  double size = 2, at_opening = 0;
  metrics.when_window_opens([&] { at_opening = size; });
  metrics.computed("size", "keys", "Test.", [&] { return size; });
  const auto number = [&](const char* name) { return metrics.find(name)->number(); };
  const auto count = [&](std::uint64_t n) {
    lost.value += n;
    verdicts.value += n;
  };
  count(5);
  CHECK(number("lost") == 5.0);  // until a window opens it is the whole run
  CHECK_FALSE(metrics.measuring());
  metrics.open_window(Time() + 1_us);
  CHECK(metrics.measuring());
  CHECK(at_opening == 2);
  CHECK(number("lost") == 0.0);
  CHECK(share.value() == 0);
  count(3);
  size = 7;
  metrics.close_window(Time() + 3_us);
  CHECK_FALSE(metrics.measuring());
  count(10);
  size = 9;
  CHECK(lost.value == 18);
  CHECK(number("lost") == 3.0);
  CHECK(number("verdicts") == 18.0);
  CHECK(number("share") == Approx(3 / 21.0));
  CHECK(number("lost_mops") == Approx(1.5));
  CHECK(number("size") == 7.0);
  CHECK(metrics.window_length() == 2_us);
  for (const auto& [at, inside] : {std::pair(0_us, false), {1_us, true}, {2_us, true}, {3_us, false}}) {
    CHECK(metrics.in_window(Time() + at) == inside);
  }
  CHECK_THROWS_AS(metrics.open_window(Time() + 4_us), std::logic_error);
  CHECK_THROWS_AS(metrics.close_window(Time() + 4_us), std::logic_error);
}

TEST_CASE("a window that closes without having opened is empty") {
  Metrics metrics;
  metrics.counter("a", "events", "Test.").value = 4;
  metrics.close_window(Time() + 1_us);
  CHECK(metrics.find("a")->number() == 0.0);
  CHECK(metrics.window_length() == 0_us);
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

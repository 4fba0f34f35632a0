#include "tools/experiment/run_metrics.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

namespace run_metrics_test {

using namespace racksim;
using namespace racksim::tools;

TEST_CASE("counters, gauges, statistics of histograms and the report's own figures have names and values") {
  sim::Metrics metrics;
  auto& lost = metrics.counter("packets.lost", "packets", "Lost.");
  lost.value = 7;
  metrics.gauge("share", "share", "A share.", 0.25);
  auto& latency = metrics.histogram("latency", "Of operations.");
  for (const std::int64_t ns : {10, 20, 30}) latency.record(sim::Duration::from_ps(ns * 1'000));
  auto& operations = metrics.counter("operations", "operations", "Ended.");
  operations.value = 500;
  metrics.open_window(sim::Time());
  operations.value += 3'000;
  lost.value += 3;
  metrics.close_window(sim::Time::from_ps(1'000'000'000));  // 1 ms: 3 Mops
  lost.value += 10;
  const auto value = [&](const char* name) { return metric_value(metrics, name); };
  CHECK(value("packets.lost") == 3.0);
  CHECK(value("packets.lost.whole_run") == 20.0);
  CHECK(value("operations.whole_run") == 3'500.0);
  CHECK(value("packets.lost.mega_per_second") == Approx(0.003));
  CHECK(value("share") == 0.25);
  CHECK(value("operations") == 3'000.0);
  CHECK(value("throughput_mops") == Approx(3));
  CHECK(value("latency.count") == 3.0);
  CHECK(value("latency.mean") == Approx(20));
  CHECK(value("latency_ns.max") == value("latency.max"));
  CHECK_FALSE(value("latency").has_value());
  CHECK_FALSE(value("latency.p42").has_value());
  CHECK_FALSE(value("nothing").has_value());
  CHECK_FALSE(value("share.mean").has_value());
  CHECK_FALSE(value("share.mega_per_second").has_value());
  CHECK_FALSE(value("nothing.mega_per_second").has_value());
  CHECK_FALSE(value("share.whole_run").has_value());
}

TEST_CASE("a metric's unit is its own, or that of what is asked of it") {
  sim::Metrics metrics;
  metrics.counter("packets.lost", "packets", "Lost.");
  metrics.counter("operations", "operations", "Ended.");
  metrics.gauge("share", "share", "A share.", 0.25);
  metrics.histogram("latency", "Of operations.");
  metrics.time_series("over_time", "operations", "Ended.", sim::Duration::from_ps(1'000'000));
  const auto unit = [&](const char* name) { return metric_unit(metrics, name); };
  CHECK(unit("throughput_mops") == "Mops");
  CHECK(unit("operations.mega_per_second") == "Mops");
  CHECK(unit("packets.lost") == "packets");
  CHECK(unit("packets.lost.whole_run") == "packets");
  CHECK(unit("packets.lost.mega_per_second") == "million packets/s");
  CHECK(unit("share") == "share");
  CHECK(unit("latency.p99") == "ns");
  CHECK(unit("latency_ns.p99") == "ns");
  CHECK(unit("latency.count").empty());
  CHECK(unit("over_time.low_share") == "share");
  CHECK(unit("over_time.mega_per_second") == "Mops");
  CHECK(unit("nothing").empty());
}

TEST_CASE("every name that is listed has a value if anything of it was measured, and the list is in order") {
  sim::Metrics metrics;
  metrics.counter("operations", "operations", "Ended.");
  metrics.counter("a", "packets", "A.");
  metrics.histogram("latency", "Of operations.").record(sim::Duration::from_ps(1));
  metrics.histogram("latency.write", "Of those that write, of which there was none.");
  const auto names = metric_names_in(metrics);
  CHECK(std::is_sorted(names.begin(), names.end()));
  // One of the report, two counters each with its rate and its whole run, seven statistics under two names.
  CHECK(names.size() == 1 + 2 * 3 + 7 * 2 + 7);
  for (const auto& name : names) {
    INFO(name);
    // What was measured of nothing has no value; how often that was has.
    const bool of_nothing = name.starts_with("latency.write.") && name != "latency.write.count";
    CHECK(metric_value(metrics, name).has_value() == !of_nothing);
  }
}

TEST_CASE("of a series, the whole intervals in the measured time tell how low it falls and for how long") {
  sim::Metrics metrics;
  const sim::Duration ms = sim::Duration::from_ps(1'000'000'000);
  auto& series = metrics.time_series("operations_over_time", "operations", "Ended.", ms);
  // Ten whole intervals are measured, from 2.5 ms to 13 ms: the one that begins at 3 ms is the first.
  const std::vector<std::uint64_t> values{0, 0, 7, 100, 100, 100, 60, 80, 95, 100, 99, 100, 98, 400};
  for (std::size_t i = 0; i < values.size(); ++i) {
    series.add(sim::Time{} + ms * static_cast<std::int64_t>(i), values[i]);
  }
  metrics.open_window(sim::Time{} + ms * 5 / 2);
  metrics.close_window(sim::Time{} + ms * 13);
  CHECK(metric_value(metrics, "operations_over_time.lowest_share") == Approx(0.6));
  CHECK(metric_value(metrics, "operations_over_time.low_share") == Approx(0.2));
  CHECK_FALSE(metric_value(metrics, "operations_over_time.mean").has_value());
  CHECK(metric_value(metrics, "operations_over_time.mega_per_second") == Approx(932 / 10e-3 / 1e6));

  // Of another time, which may go on when nothing happens any more.
  const auto rate = [&](std::int64_t from, std::int64_t to) {
    return metric_value_within(metrics, "operations_over_time.mega_per_second", sim::Time{} + ms * from,
                               sim::Time{} + ms * to);
  };
  CHECK(rate(2, 4) == Approx(107 / 2e-3 / 1e6));
  CHECK(rate(0, 2) == 0.0);
  CHECK(rate(13, 17) == Approx(400 / 4e-3 / 1e6));
  CHECK(rate(20, 30) == 0.0);
  CHECK_FALSE(rate(4, 4).has_value());
  CHECK_FALSE(metric_value_within(metrics, "throughput_mops", {}, sim::Time{} + ms).has_value());
  const auto names = metric_names_in(metrics);
  CHECK(std::count(names.begin(), names.end(), "operations_over_time.low_share") == 1);
}

TEST_CASE("nothing is told of a series where the measured time has no whole interval") {
  sim::Metrics metrics;
  const sim::Duration ms = sim::Duration::from_ps(1'000'000'000);
  auto& series = metrics.time_series("operations_over_time", "operations", "Ended.", ms);
  for (int i = 0; i < 5; ++i) series.add(sim::Time{} + ms * i, 100);
  metrics.open_window(sim::Time{} + ms * 5 / 2);
  metrics.close_window(sim::Time{} + ms * 3);
  CHECK_FALSE(metric_value(metrics, "operations_over_time.lowest_share").has_value());
}

}  // namespace run_metrics_test

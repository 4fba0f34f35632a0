// A row of a series has what its interval has counted, whatever was before, and cells are empty where there is nothing.
#include "tools/experiment/metric_series.hpp"

#include <catch2/catch.hpp>
#include <utility>

namespace metric_series_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::sim::literals;

namespace {

const JsonLocation kAsked{"mine.json", "/observe/series/metrics"};

struct Counted {
  sim::Metrics metrics;
  sim::Counter& operations = metrics.counter("operations", "operations", "that ended");
  sim::Counter& hits = metrics.counter("cache.hits", "operations", "that a cache answered");
  sim::Gauge& size = metrics.gauge("cache.size", "keys", "in the cache", 3);
  sim::Histogram& latency = metrics.histogram("latency", "time");
  sim::TimeSeries& over_time = metrics.time_series("cache.size_over_time", "keys", "in the cache", 1_us);

  Counted() {
    metrics.share("cache.hit_share", "hits", {&hits}, {&operations});
    metrics.rest("cache.miss_share", "misses", {&hits}, {&operations});
    metrics.computed("cache.fairness", "", "of nodes", [] { return 1.0; });
  }
  MetricSeries series(const std::vector<std::string>& names) { return {metrics, names, 2_us, kAsked}; }
};

}  // namespace

TEST_CASE("the header names the columns with their units, where they have one") {
  Counted run;
  CHECK(run.series({"throughput_mops", "latency_ns.p99", "latency.count", "cache.hit_share", "cache.size"}).header() ==
        "time_us,throughput_mops [Mops],latency_ns.p99 [ns],latency.count,cache.hit_share [share],cache.size [keys]\n");
}

TEST_CASE("counters, rates, shares and levels are those of the interval") {
  Counted run;
  MetricSeries series = run.series({"operations", "operations.whole_run", "throughput_mops",
                                    "cache.hits.mega_per_second", "cache.hit_share", "cache.miss_share", "cache.size"});
  run.operations.value = 7;  // before the run
  series.begin();
  run.operations.value += 8;
  run.hits.value += 2;
  CHECK(series.next() == "0,8,15,4,1,0.25,0.75,3\n");
  run.size.value = 5;
  CHECK(series.next() == "2,0,15,0,0,,,5\n");
  run.operations.value += 1;
  run.hits.value += 1;
  CHECK(series.next() == "4,1,16,0.5,0.5,1,0,5\n");
}

TEST_CASE("statistics of a histogram are of what it recorded in the interval") {
  Counted run;
  MetricSeries series = run.series({"latency_ns.count", "latency_ns.mean", "latency.max", "latency_ns.p50"});
  run.latency.record(900_us);  // before the run
  series.begin();
  run.latency.record(100_ps);
  run.latency.record(200_ps);
  CHECK(series.next() == "0,2,0.15,0.2,0.1\n");  // exact, as all durations below 256 ps
  CHECK(series.next() == "2,0,,,\n");
  run.latency.record(50_ps);
  CHECK(series.next() == "4,1,0.05,0.05,0.05\n");
}

TEST_CASE("a histogram's statistics are told before and behind the window too, which the histogram itself leaves out") {
  Counted run;
  MetricSeries series = run.series({"latency_ns.count", "latency.max"});
  const auto record = [&](sim::Duration took) { run.metrics.record(run.latency, took, run.metrics.measuring()); };
  record(900_us);  // before the run
  series.begin();
  record(100_ps);
  CHECK(series.next() == "0,1,0.1\n");
  record(50_ps);
  run.metrics.open_window(sim::Time{} + 3_us);
  record(200_ps);
  CHECK(series.next() == "2,2,0.2\n");
  run.metrics.close_window(sim::Time{} + 4_us);
  record(70_ps);
  CHECK(series.next() == "4,1,0.07\n");
  CHECK(series.next() == "6,0,\n");
  CHECK(run.latency.count() == 1);
  CHECK(run.latency.max() == 200_ps);
}

TEST_CASE("a number that is computed when the window closes is told if it knows what it was since it was asked") {
  sim::Metrics metrics;
  double worked = 7;
  metrics.computed("busy.cores", "share", "", [] { return 1.0; }).over_time = [&worked] {
    return [&worked] { return std::exchange(worked, 0); };
  };
  MetricSeries series(metrics, {"busy.cores"}, sim::Duration::from_ps(2'000'000), kAsked);
  CHECK(series.header() == "time_us,busy.cores [share]\n");
  series.begin();
  worked = 0.25;
  CHECK(series.next() == "0,0.25\n");
  CHECK(series.next() == "2,0\n");
}

TEST_CASE("the begin of a row is told to the picosecond, without zeros at its end") {
  Counted run;
  MetricSeries series(run.metrics, {"operations"}, sim::Duration::from_ps(1'234'560), kAsked);
  series.begin();
  for (const char* line : {"0,0\n", "1.23456,0\n", "2.46912,0\n"}) CHECK(series.next() == line);
}

TEST_CASE("what has no value in an interval is refused, and an unknown name with the nearest one that has") {
  Counted run;
  const auto refusal = [&](const char* name) {
    try {
      run.series({"operations", name});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const char* whole : {"cache.fairness", "cache.size_over_time.lowest_share"}) {
    CHECK_THAT(refusal(whole), Catch::StartsWith("mine.json: /observe/series/metrics/1: found") &&
                                   Catch::Contains("which is of the whole window"));
  }
  CHECK_THAT(refusal("cache.hit_shar"), Catch::EndsWith("(did you mean \"cache.hit_share\"?)"));
  CHECK_THAT(refusal("latency_ns.p98"), Catch::Contains("did you mean \"latency_ns.p9"));
  for (const char* none : {"latency", "cache.size.mean", "operations.p99", "cache.hit_share.count"}) {
    CHECK(!refusal(none).empty());
  }
}

}  // namespace metric_series_test

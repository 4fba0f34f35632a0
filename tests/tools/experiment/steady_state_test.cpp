// Whether a run was warm, and what interval it has by itself, of made-up operations.
#include "tools/experiment/steady_state.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/random/random.hpp"
#include "tests/tools/run_racksim.hpp"

namespace steady_state_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

constexpr std::int64_t kMicrosecond = 1'000'000, kMillisecond = 1'000'000'000;  // in picoseconds

sim::Time at(std::int64_t ps) {
  return sim::Time::from_ps(ps);
}
sim::Duration lasting(std::int64_t ps) {
  return sim::Duration::from_ps(ps);
}

/// Operations for 20 ms, one a microsecond in the mean, that take one to three; `slow` times as long, and `rare` times as
/// seldom, until `settled`.
sim::WindowSums operations(std::int64_t settled, double slow, double rare = 1, std::uint64_t seed = 1) {
  sim::RandomStream random(seed, "operations");
  sim::WindowSums sums;
  for (std::int64_t now = 0; now < 20 * kMillisecond;) {
    const bool early = now < settled;
    const double gap = (early ? rare : 1) * 1e6;
    now += random.exponential(lasting(static_cast<std::int64_t>(gap))).ps();
    sums.add(at(now), lasting(static_cast<std::int64_t>((early ? slow : 1) * (1 + 2 * random.unit()) * 1e6)));
  }
  return sums;
}

}  // namespace

TEST_CASE("a warm-up that ends while latencies are still high ends too early, by how long they are") {
  const auto steady = steady_state_of(operations(3 * kMillisecond, 5), at(kMillisecond), lasting(19 * kMillisecond));
  REQUIRE(steady.latency.settled);
  CHECK(steady.latency.early);
  CHECK(steady.latency.settled->ps() >= 3 * kMillisecond);
  CHECK(steady.latency.settled->ps() <= 3.6 * kMillisecond);
  CHECK_FALSE(steady.throughput.early);
  const std::string text = steady_state_text(steady, false);
  CHECK_THAT(text, Catch::StartsWith("warm-up      ends 2") && Catch::EndsWith(" ms too early (MSER-5 of latency)\n"));
}

TEST_CASE("a rate that rises is found as latencies are") {
  const auto steady = steady_state_of(operations(3 * kMillisecond, 5, 4), at(kMillisecond), lasting(19 * kMillisecond));
  CHECK(steady.throughput.early);
  CHECK(steady.latency.early);
  CHECK_THAT(steady_state_text(steady, false), Catch::Contains("too early (MSER-5 of throughput and latency)"));
}

TEST_CASE("nothing is said of a warm-up that was long enough, unless all is asked for") {
  const std::uint64_t seed = GENERATE(range(1, 9));
  const auto steady =
      steady_state_of(operations(3 * kMillisecond, 5, 4, seed), at(4 * kMillisecond), lasting(16 * kMillisecond));
  CHECK(steady_state_text(steady, false).empty());
  CHECK_THAT(steady_state_text(steady, true),
             Catch::Contains("warm-up      long enough (MSER-5 of throughput and latency)\n") &&
                 Catch::Contains("interval     throughput ± ") && Catch::Contains("mean latency ± "));
}

TEST_CASE("what moves the mean by less than one in a hundred is not told") {
  // A fifteenth of the measured time with latencies 5 % higher.
  const auto steady = steady_state_of(operations(2 * kMillisecond, 1.05), at(kMillisecond), lasting(19 * kMillisecond));
  CHECK(steady_state_text(steady, false).empty());
}

TEST_CASE("a run that settles in its second half is too short to tell") {
  const auto steady = steady_state_of(operations(14 * kMillisecond, 5), at(kMillisecond), lasting(19 * kMillisecond));
  CHECK(steady.latency.too_short);
  CHECK_THAT(steady_state_text(steady, false),
             Catch::Contains("warm-up      the run is too short to tell where it ends (MSER-5 of latency)\n"));
}

TEST_CASE("the interval is of the measured time, and covers the true mean") {
  unsigned throughput = 0, latency = 0;
  constexpr unsigned kRuns = 100;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const auto steady =
        steady_state_of(operations(2 * kMillisecond, 5, 3, seed), at(4 * kMillisecond), lasting(16 * kMillisecond));
    REQUIRE(steady.throughput.batches);
    REQUIRE(steady.latency.batches);
    const BatchMeans &rate = *steady.throughput.batches, &took = *steady.latency.batches;
    throughput += rate.half_width && std::abs(rate.mean - 1e-6) <= *rate.half_width ? 1 : 0;
    latency += took.half_width && std::abs(took.mean - 2e6) <= *took.half_width ? 1 : 0;
  }
  CHECK(throughput >= 85);  // 95 in the mean, with three standard deviations to spare
  CHECK(latency >= 85);
}

TEST_CASE("a run without operations, or none that is measured, says so and has no number that is none") {
  const sim::WindowSums none;
  for (const auto& steady :
       {steady_state_of(none, at(0), lasting(20 * kMillisecond)), steady_state_of(none, at(0), lasting(0)),
        SteadyState{}, steady_state_of(operations(0, 1), at(20 * kMillisecond), lasting(0)),
        steady_state_of(operations(0, 1), at(30 * kMillisecond), lasting(kMillisecond))}) {
    CHECK(steady_state_text(steady, false).empty());
    CHECK_THAT(steady_state_text(steady, true), !Catch::Contains("nan") && !Catch::Contains("inf"));
    CHECK(steady_state_json(steady).find("latency_ns")->find("half_width")->is_null());
  }
}

TEST_CASE("a run of a few operations is too short for anything") {
  sim::WindowSums sums;
  for (std::int64_t i = 0; i < 20; ++i) sums.add(at(i * kMicrosecond), lasting(kMicrosecond));
  const auto steady = steady_state_of(sums, at(0), lasting(20 * kMicrosecond));
  CHECK_FALSE(steady.latency.settled);
  CHECK(steady_state_text(steady, false).empty());
}

TEST_CASE("a run's report has it, of the same operations as its metrics, whatever the mode") {
  const testing::TemporaryFolder folder;
  folder.write("small.json", R"({
    "version": 1, "name": "small", "rack": {"testbed": "concordia-8", "nodes": 3},
    "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
    "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
    "run": {"warmup": "500us", "measure": "2ms"}})");
  const auto report_of = [&](const std::string& more) {
    return parse_json(testing::run_racksim(folder, "run small.json --json" + more).out, "report");
  };
  const JsonValue report = report_of("");
  const JsonValue &steady = *report.find("steady_state"), &metrics = *report.find("metrics");
  // But for parts of a window at either end.
  CHECK(*steady.find("throughput_mops")->find("mean")->number() ==
        Approx(*metrics.find("throughput_mops")->number()).epsilon(0.01));
  CHECK(*steady.find("latency_ns")->find("mean")->number() ==
        Approx(*metrics.find("latency_ns")->find("mean")->number()).epsilon(0.01));
  CHECK(steady.find("latency_ns")->find("half_width")->number().value_or(0) > 0);
  CHECK(*report_of(" --set run.execution=stepped").find("steady_state") == steady);
  CHECK_THAT(testing::run_racksim(folder, "run small.json --verbose").out,
             Catch::Contains("\nwarm-up      ") && Catch::Contains("\ninterval     throughput"));
  CHECK_THAT(testing::run_racksim(folder, "run small.json").out, !Catch::Contains("\ninterval "));
}

TEST_CASE("JSON has the numbers in the units of the report") {
  const auto json =
      steady_state_json(steady_state_of(operations(3 * kMillisecond, 5), at(kMillisecond), lasting(19 * kMillisecond)));
  const JsonValue &throughput = *json.find("throughput_mops"), &latency = *json.find("latency_ns");
  CHECK(*throughput.find("mean")->number() == Approx(1).epsilon(0.05));
  CHECK(*throughput.find("half_width")->number() < 0.1);
  CHECK(*latency.find("mean")->number() == Approx(2000 * (1 + 4 * 2.0 / 19)).epsilon(0.05));
  CHECK(*latency.find("early_ns")->number() == Approx(*latency.find("settled_ns")->number() - 1e6));
  CHECK(throughput.find("early_ns")->is_null());
  CHECK(*json.find("window_ns")->number() == 2 * 16777.216);
}

}  // namespace steady_state_test

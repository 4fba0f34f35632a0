// How a run went, by slots.
#include "tools/experiment/run_over_time.hpp"

#include <catch2/catch.hpp>

namespace run_over_time_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

sim::Time at(double slots, sim::Duration width) {
  return sim::Time::from_ps(static_cast<std::int64_t>(slots * static_cast<double>(width.ps())));
}

}  // namespace

TEST_CASE(
    "a slot has operations by its length and their percentile, and a last one that is cut by what there is of it") {
  sim::LatencyOverTime latency;
  const sim::Duration width = latency.width(), took = sim::Duration::from_ps(9 << 16);
  for (int i = 0; i < 10; ++i) latency.add(at(0.5, width), took);
  for (int i = 0; i < 6; ++i) latency.add(at(2.2, width), took);
  const RunOverTime run = run_over_time_of(latency, at(1, width), at(1, width) - sim::Time(), at(2.6, width));
  REQUIRE(run.slots.size() == 3);
  CHECK(run.slots[0].mops == Approx(10 / (width.ns() / 1e3)));
  CHECK(run.slots[1].mops == 0);
  CHECK(run.slots[2].mops == Approx(6 / (0.6 * width.ns() / 1e3)));
  CHECK(run.slots[0].p99_ns == Approx(took.ns()).epsilon(0.07));
  CHECK_FALSE(run.slots[1].p99_ns);
  CHECK(run.begin == 1);
  CHECK(run.end == 2);
}

TEST_CASE("a last slot of which the run had less than half is left out, and a window's end with it") {
  sim::LatencyOverTime latency;
  const sim::Duration width = latency.width();
  const RunOverTime run = run_over_time_of(latency, {}, at(2.3, width) - sim::Time(), at(2.4, width));
  CHECK(run.slots.size() == 2);
  CHECK(run.end == 2);
  CHECK(run_over_time_of(latency, {}, {}, {}).slots.empty());
}

}  // namespace run_over_time_test

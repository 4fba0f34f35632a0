// A server's budget, its cost a byte and the share of requests that is lost, against closed forms.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/protocols/nocache/nocache_run.hpp"

namespace budget_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::nocache::testing;

namespace {

/// Keys in open loop from two client nodes, and servers that read `budget` requests in each 10 ms.
struct Load {
  std::uint64_t rate = 0, budget = 0, partitions = 1;
  double zipf = 0;
  std::uint64_t keys = 1000;
  sim::Duration measure = 200_ms;
};

models::KeyValueOptions workload_of(const Load& load) {
  models::KeyValueOptions workload;
  workload.threads = 2;
  workload.keys = load.keys;
  workload.swap_keys = 1;
  workload.rate = load.rate;
  workload.zipf = load.zipf;
  workload.small_share = 1;
  return workload;
}

Setup setup_of(const Load& load) {
  Setup setup;
  setup.workload = workload_of(load);
  setup.rack.cores = 16;
  setup.rack.nic.receive_ring = 16;
  setup.plan.warmup = {20_ms, std::nullopt};
  setup.plan.measure = {load.measure, std::nullopt};
  setup.plan.drain = 100_ms;
  setup.plan.expect_timeouts = true;
  setup.tapped = false;
  return setup;
}

nocache::NoCacheOptions options_of(const Load& load) {
  nocache::NoCacheOptions options = small();
  options.partitions = load.partitions;
  options.attempts = 1;
  options.timeout = 30_ms;
  options.budget = load.budget;
  options.budget_window = 10_ms;
  return options;
}

}  // namespace

TEST_CASE("a server reads its budget in each window and not one request more") {
  const Load load{.rate = 100'000, .budget = 100};
  NoCacheRun run(setup_of(load), options_of(load));
  for (std::uint64_t window = 1; window <= 5; ++window) {
    // A thousand come in a window; the first hundred are read within some 1.2 ms.
    run.advance_to(sim::Time{} + 10_ms * static_cast<std::int64_t>(window) - 5_ms);
    CHECK(run.store->partition(0).served() == 100 * window);
    run.advance_to(sim::Time{} + 10_ms * static_cast<std::int64_t>(window));
    CHECK(run.store->partition(0).served() == 100 * window);
  }
}

TEST_CASE("a budget that is not spent holds nothing up") {
  const Load load{.rate = 20'000, .budget = 1000};
  NoCacheRun with(setup_of(load), options_of(load));
  with.finish();
  Load unlimited = load;
  unlimited.budget = 0;
  NoCacheRun without(setup_of(unlimited), options_of(unlimited));
  without.finish();
  CHECK(with.counter("store.answers") == without.counter("store.answers"));
  CHECK(with.gauge("store.loss") == 0);
  CHECK(std::get<sim::Histogram>(with.metrics.find("latency")->value).max() ==
        std::get<sim::Histogram>(without.metrics.find("latency")->value).max());
}

TEST_CASE("what is lost is what comes to each server beyond its budget") {
  // 8 servers of 20,000/s; Zipf over 200 keys. Of the load R a server with the share p loses R p - 20,000.
  const Load load{.rate = 200'000, .budget = 200, .partitions = 8, .zipf = 0.99, .keys = 200, .measure = 1_s};
  std::vector<double> shares(8);
  double sum = 0;
  for (std::uint64_t key = 0; key < load.keys; ++key) sum += std::pow(static_cast<double>(key + 1), -load.zipf);
  for (std::uint64_t key = 0; key < load.keys; ++key) {
    shares[server_of(key_hash(sim::Key(key), 128), 8)] += std::pow(static_cast<double>(key + 1), -load.zipf) / sum;
  }
  double lost = 0;
  for (const double share : shares) lost += std::max(0.0, static_cast<double>(load.rate) * share - 20'000);
  const double expected = lost / static_cast<double>(load.rate);
  REQUIRE(expected > 0.15);
  NoCacheRun run(setup_of(load), options_of(load));
  run.finish();
  // 200,000 arrivals: a standard deviation of about 0.1 %, four times.
  CHECK(run.gauge("store.loss") == Approx(expected).margin(0.004));
  CHECK(run.violations() == "");
}

TEST_CASE("a cost a byte bounds a saturated server's rate, for what it receives and what it sends") {
  const Load load{.rate = 400'000, .measure = 50_ms};
  const auto served = [&](sim::Duration per_byte) {
    nocache::NoCacheOptions options = options_of(load);
    options.byte_work = per_byte;
    NoCacheRun run(setup_of(load), options);
    run.advance(20_ms);
    const std::uint64_t before = run.store->partition(0).served();
    run.advance(20_ms);
    return static_cast<double>(run.store->partition(0).served() - before);
  };
  const models::RackOptions rack{};
  const double fixed = 1000 + rack.cpu.receive.ns() + rack.cpu.post.ns();
  // A read brings a key of 16 bytes and takes it back with 64 of value: 96 bytes at 50 ns.
  const double expected = 20e6 / (fixed + 96 * 50);
  CHECK(served(50_ns) == Approx(expected).epsilon(0.01));
  CHECK(served(0_ns) > 1.5 * expected);
}

TEST_CASE("loss is of the requests that began in the measured time, whenever they end") {
  // Nobody answers while the server is down: before the measured time, and from its last millisecond on.
  const Load load{.rate = 100'000, .measure = 10_ms};
  Setup setup = setup_of(load);
  setup.plan.warmup = {10_ms, std::nullopt};
  nocache::NoCacheOptions options = options_of(load);
  options.timeout = 1_ms;
  NoCacheRun run(setup, options);
  const auto lose = [&](sim::Time from, sim::Time until) {
    models::WireFaults faults;
    faults.loss = 1;
    run.rack.uplink(0).set_faults(faults, from, until);
    run.rack.uplink(1).set_faults(faults, from, until);
  };
  lose(sim::Time{} + 5_ms, sim::Time{} + 10_ms);
  lose(sim::Time{} + 19_ms, sim::Time{} + 40_ms);
  run.finish();
  // Those of the last of ten milliseconds, which time out after it; not those of before, which time out in it.
  CHECK(run.gauge("store.loss") == Approx(0.1).margin(0.02));
}

}  // namespace budget_test

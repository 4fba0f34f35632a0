// NetCache under faults of nodes and the switch: it survives those that it promises to, alike in both execution modes.
#include <catch2/catch.hpp>

#include "models/service/tolerated.hpp"
#include "tests/protocols/netcache/netcache_run.hpp"

namespace net_faults_test {

using namespace racksim;
using namespace racksim::netcache;
using namespace racksim::netcache::testing;

namespace {

struct Outcome {
  std::string hash, violations;
  std::uint64_t begun = 0;
};

Setup faulty(std::uint64_t seed, bool updates, tools::Execution execution = tools::Execution::fused) {
  Setup setup;
  setup.seed = seed;
  setup.measure(1'500);
  setup.netcache.updates = updates;
  setup.rounds = true;
  setup.plan.execution = execution;
  return setup;
}

Outcome outcome_of(NetCacheRun& run) {
  run.finish();
  return {run.hash(), run.violations(), run.event_log.count(sim::Observed::fault_begun)};
}

Outcome under_drawn(const std::string& kind, std::uint64_t seed, bool updates, tools::Execution execution) {
  Setup setup = faulty(seed, updates, execution);
  setup.draw_faults(500_us, {kind});
  NetCacheRun run(setup);
  return outcome_of(run);
}

std::vector<std::string> tolerated() {
  for (const auto& entry : models::protocols()) {
    if (entry.name == "netcache") return models::tolerated_by_default(entry);
  }
  throw std::logic_error("netcache is not registered");
}

}  // namespace

TEST_CASE("NetCache survives each kind of fault that it promises to, in either execution mode") {
  for (const std::string& kind : tolerated()) {
    for (const bool updates : {false, true}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        INFO(kind << ", seed " << seed << (updates ? ", updates" : ""));
        const Outcome fused = under_drawn(kind, seed, updates, tools::Execution::fused);
        CHECK(fused.violations == "");
        CHECK(fused.begun >= 1);
        CHECK(fused.hash == under_drawn(kind, seed, updates, tools::Execution::stepped).hash);
      }
    }
  }
}

TEST_CASE("a server that crashes and comes back leaves NetCache's cache coherent") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const bool updates : {false, true}) {
      Setup setup = faulty(seed, updates);
      setup.add_fault("crash", R"({"node": 3, "from": "200us", "until": "500us"})");
      NetCacheRun run(setup);
      INFO("seed " << seed);
      CHECK(outcome_of(run).violations == "");
      CHECK(run.hits() > 50);
    }
  }
}

TEST_CASE("a switch that has lost its state is filled again, and serves no value from before") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const bool updates : {false, true}) {
      Setup setup = faulty(seed, updates);
      setup.measure(3'000);
      setup.add_fault("switch-restart", R"({"from": "200us", "dead_time": "100us"})");
      NetCacheRun run(setup);
      INFO("seed " << seed);
      CHECK(outcome_of(run).violations == "");
      CHECK(run.counter("netcache.installs") >= 16);
      CHECK(run.hits() > 50);  // since the restart: the counter was lost with the rest
    }
  }
}

}  // namespace net_faults_test

// NetCache under faults of nodes and the switch: it survives those that it promises to, alike in both execution modes.
#include <algorithm>
#include <catch2/catch.hpp>

#include "models/faults/fault_menu.hpp"
#include "tests/protocols/netcache/rig.hpp"

using namespace racksim;
using namespace racksim::netcache;
using namespace racksim::netcache::testing;

namespace {

struct Outcome {
  std::string hash, violations;
  std::uint64_t begun = 0;
};

Setup faulty(std::uint64_t seed, bool updates, models::PassMode mode) {
  Setup setup;
  setup.seed = seed;
  setup.operations = 1'500;
  setup.netcache.updates = updates;
  setup.rounds = true;
  setup.rack.network_switch.passes = mode;
  return setup;
}

Outcome run(Rig& rig) {
  rig.run();
  return {rig.journal.hash().hex(), rig.violations(), rig.journal.count(sim::Observed::fault_begun)};
}

Outcome run_drawn(const std::string& kind, std::uint64_t seed, bool updates, models::PassMode mode) {
  const Setup setup = faulty(seed, updates, mode);
  Rig rig(setup);
  sim::RandomStream menu(seed, "faults");
  for (auto& drawn : models::draw_faults(menu, {setup.rack.nodes, 500_us}, {kind})) {
    rig.faults.add(drawn.kind, drawn.fault);
  }
  return run(rig);
}

/// A fault of a kind with these lengths and this node.
std::shared_ptr<models::Fault> fault(const std::string& kind, sim::Duration from, sim::Duration until,
                                     std::optional<std::uint64_t> node) {
  const auto& kinds = models::faults();
  const auto entry = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == kind; });
  auto made = entry->make();
  sim::Parameters parameters;
  made->declare(parameters);
  for (const auto& p : parameters.all()) {
    if (p.name == "from") *std::get<sim::Parameter::Length>(p.kind).target = from;
    if (p.name == "until" || p.name == "dead_time") *std::get<sim::Parameter::Length>(p.kind).target = until;
    if (p.name == "node" && node) *std::get<sim::Parameter::Integer>(p.kind).target = *node;
  }
  return made;
}

const std::vector<std::string>& tolerated() {
  for (const auto& entry : models::protocols()) {
    if (entry.name == "netcache") return entry.tolerates;
  }
  throw std::logic_error("netcache is not registered");
}

}  // namespace

TEST_CASE("NetCache survives each kind of fault that it promises to, in either execution mode") {
  for (const std::string& kind : tolerated()) {
    for (const bool updates : {false, true}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        INFO(kind << ", seed " << seed << (updates ? ", updates" : ""));
        const Outcome fused = run_drawn(kind, seed, updates, models::PassMode::fused);
        CHECK(fused.violations == "");
        CHECK(fused.begun >= 1);
        CHECK(fused.hash == run_drawn(kind, seed, updates, models::PassMode::stepped).hash);
      }
    }
  }
}

TEST_CASE("a server that crashes and comes back leaves NetCache's cache coherent") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const bool updates : {false, true}) {
      Rig rig(faulty(seed, updates, models::PassMode::fused));
      rig.faults.add("crash", fault("crash", 200_us, 500_us, 3));
      INFO("seed " << seed);
      CHECK(run(rig).violations == "");
      CHECK(rig.hits() > 50);
    }
  }
}

TEST_CASE("a switch that has lost its state is filled again, and serves no value from before") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const bool updates : {false, true}) {
      Setup setup = faulty(seed, updates, models::PassMode::fused);
      setup.operations = 3'000;
      Rig rig(setup);
      rig.faults.add("switch-restart", fault("switch-restart", 200_us, 100_us, std::nullopt));
      INFO("seed " << seed);
      CHECK(run(rig).violations == "");
      CHECK(rig.counter("netcache.installs") >= 16);
      CHECK(rig.hits() > 50);  // since the restart: the counter was lost with the rest
    }
  }
}

// FlowCC under faults: it survives those that it promises to, and the others end with a verdict.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "models/faults/fault_menu.hpp"
#include "tests/protocols/flowcc/rig.hpp"

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

/// A hash of what is observed in the first 10 ms. A run that never comes to rest is cut while packets are in the
/// switch, where a fused pass has recorded ahead what a stepped one has not yet.
class Beginning final : public sim::Observer {
 public:
  void observe(const sim::Observation& o) override {
    if (o.at > sim::Time{} + 10_ms) return;
    sim::HashMixer mixer(o.source.index);
    for (const std::uint64_t word : {serials_[o.source.index]++, static_cast<std::uint64_t>(o.at.ps()),
                                     static_cast<std::uint64_t>(o.what), o.detail[0], o.detail[1], o.detail[2]}) {
      mixer.add(word);
    }
    hash += mixer.finish();
  }
  sim::RunHash hash;

 private:
  std::map<std::uint32_t, std::uint64_t> serials_;
};

struct Outcome {
  std::string hash, beginning, violations;
  std::uint64_t begun = 0;
};

Outcome run(const std::vector<std::string>& kinds, std::uint64_t seed, models::PassMode mode,
            FlowCcOptions::Ownership ownership = FlowCcOptions::Ownership::switch_owned) {
  Setup setup;
  setup.seed = seed;
  setup.operations = 400;
  setup.limit = 10_ms;
  setup.flowcc.ownership = ownership;
  setup.rack.network_switch.passes = mode;
  Rig rig(setup);
  sim::RandomStream menu(seed, "faults");
  for (auto& drawn : models::draw_faults(menu, {setup.rack.nodes, 200_us}, kinds)) {
    rig.faults.add(drawn.kind, drawn.fault);
  }
  Beginning beginning;
  rig.journal.attach(beginning);
  rig.run();
  return {rig.journal.hash().hex(), beginning.hash.hex(), rig.violations(),
          rig.journal.count(sim::Observed::fault_begun)};
}

const std::vector<std::string>& tolerated() {
  for (const auto& entry : models::protocols()) {
    if (entry.name == "flowcc") return entry.tolerates;
  }
  throw std::logic_error("flowcc is not registered");
}

}  // namespace

TEST_CASE("FlowCC survives each kind of fault that it promises to, in either execution mode") {
  for (const std::string& kind : tolerated()) {
    for (const auto ownership : {FlowCcOptions::Ownership::switch_owned, FlowCcOptions::Ownership::home}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        INFO(kind << ", seed " << seed << (ownership == FlowCcOptions::Ownership::home ? ", home" : ", switch"));
        const Outcome fused = run({kind}, seed, models::PassMode::fused, ownership);
        CHECK(fused.violations == "");
        CHECK(fused.begun >= 1);
        CHECK(fused.hash == run({kind}, seed, models::PassMode::stepped, ownership).hash);
      }
    }
  }
}

TEST_CASE("FlowCC survives mixtures of the faults that it promises to survive") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    CHECK(run(tolerated(), seed, models::PassMode::fused).violations == "");
  }
}

TEST_CASE("FlowCC ends with violations when a node is lost for good or the switch forgets, and alike in both modes") {
  for (const char* kind : {"crash", "switch-restart"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      INFO(kind << ", seed " << seed);
      const Outcome fused = run({kind}, seed, models::PassMode::fused);
      CHECK(fused.violations != "");
      CHECK(fused.beginning == run({kind}, seed, models::PassMode::stepped).beginning);
    }
  }
}

TEST_CASE("an outage that outlasts the retries of a block transfer is a stuck request and no abort") {
  const auto& kinds = models::faults();
  const auto down = std::find_if(kinds.begin(), kinds.end(), [](const auto& entry) { return entry.name == "down"; });
  bool cut_a_transfer = false;  // whether one is under way when the wire goes down is a matter of timing
  for (std::uint64_t seed = 1; seed <= 20 && !cut_a_transfer; ++seed) {
    Setup setup;
    setup.seed = seed;
    setup.operations = 2'000;
    setup.limit = 10_ms;
    Rig rig(setup);
    const auto fault = down->make();
    sim::Parameters parameters;
    fault->declare(parameters);
    for (const auto& p : parameters.all()) {
      if (p.name == "from") *std::get<sim::Parameter::Length>(p.kind).target = 50_us;
      if (p.name == "node") *std::get<sim::Parameter::OptionalInteger>(p.kind).target = 1;
    }
    rig.faults.add("down", fault);
    rig.run();
    cut_a_transfer = rig.counter("failed_transfers") > 0;
    if (cut_a_transfer) CHECK(rig.violations() != "");
  }
  CHECK(cut_a_transfer);
}

// FlowCC under faults: it survives those that it promises to, and the others end with a verdict.
#include <catch2/catch.hpp>
#include <map>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace faults_test {

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

Outcome outcome_of(const std::vector<std::string>& kinds, std::uint64_t seed, tools::Execution execution,
                   FlowCcOptions::Ownership ownership = FlowCcOptions::Ownership::switch_owned) {
  Setup setup;
  setup.seed = seed;
  setup.measure(400);
  setup.flowcc.ownership = ownership;
  setup.plan.execution = execution;
  setup.draw_faults(200_us, kinds);
  FlowCcRun run(setup);
  Beginning beginning;
  run.event_log.attach(beginning);
  run.finish();
  return {run.hash(), beginning.hash.hex(), run.violations(), run.event_log.count(sim::Observed::fault_begun)};
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
        const Outcome fused = outcome_of({kind}, seed, tools::Execution::fused, ownership);
        CHECK(fused.violations == "");
        CHECK(fused.begun >= 1);
        CHECK(fused.hash == outcome_of({kind}, seed, tools::Execution::stepped, ownership).hash);
      }
    }
  }
}

TEST_CASE("FlowCC survives mixtures of the faults that it promises to survive") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    CHECK(outcome_of(tolerated(), seed, tools::Execution::fused).violations == "");
  }
}

TEST_CASE("FlowCC ends with violations when a node is lost for good or the switch forgets, and alike in both modes") {
  for (const char* kind : {"crash", "switch-restart"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      INFO(kind << ", seed " << seed);
      const Outcome fused = outcome_of({kind}, seed, tools::Execution::fused);
      CHECK(fused.violations != "");
      CHECK(fused.beginning == outcome_of({kind}, seed, tools::Execution::stepped).beginning);
    }
  }
}

TEST_CASE("an outage that outlasts the retries of a block transfer is a stuck request and no abort") {
  bool cut_a_transfer = false;  // whether one is under way when the wire goes down is a matter of timing
  for (std::uint64_t seed = 1; seed <= 20 && !cut_a_transfer; ++seed) {
    Setup setup;
    setup.seed = seed;
    setup.measure(2'000);
    setup.add_fault("down", R"({"from": "50us", "node": 1})");
    FlowCcRun run(setup);
    run.finish();
    cut_a_transfer = run.counter("failed_transfers") > 0;
    if (cut_a_transfer) CHECK(run.violations() != "");
  }
  CHECK(cut_a_transfer);
}

}  // namespace faults_test

// Litmus tests on GAM under each of its models: what the model allows beyond sequential consistency is seen, and what
// it forbids never, in 3,000 repetitions over a network with loss and jitter.
#include <catch2/catch.hpp>

#include "models/workloads/litmus_tests.hpp"
#include "models/workloads/litmus_workload.hpp"
#include "tests/protocols/gam/gam_run.hpp"

namespace gam_litmus_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;

namespace {

class LitmusRun : public racksim::testing::ProtocolRun {
 public:
  LitmusRun(const Setup& setup, const models::LitmusOptions& litmus)
      : ProtocolRun(setup, tools::bound<models::ProtocolOptions>("gam", setup.options),
                    tools::bound<models::WorkloadOptions>("litmus", litmus)) {}
};

void run_litmus_tests(Consistency consistency, models::LitmusModel model) {
  for (const models::LitmusTest& test : models::litmus_tests()) {
    INFO(test.name);
    Setup setup;
    setup.options.consistency = consistency;
    setup.options.cache_bytes = 4 * setup.options.line_bytes;
    setup.rack.faults.loss = 0.002;
    setup.rack.faults.jitter = 1_us;
    setup.measure(10'000'000);
    models::LitmusOptions litmus;
    litmus.program = test.program;
    litmus.model = model;
    litmus.repetitions = 3'000;
    litmus.spread = 4_us;
    litmus.pause = 300_ns;
    litmus.looks = 0.2;
    (test.allowed(model) ? litmus.required : litmus.forbidden) = test.outcome;
    LitmusRun run(setup, litmus);
    run.finish();
    CHECK(run.violations() == "");
    CHECK(run.counter("litmus.repetitions") == 3'000);
  }
}

}  // namespace

TEST_CASE("GAM shows the litmus outcomes that partial store order allows, and no other", "[claim:gam-inv-pso]") {
  run_litmus_tests(Consistency::pso, models::LitmusModel::pso);
}

TEST_CASE("GAM with writes in order shows the litmus outcomes that total store order allows, and no other") {
  run_litmus_tests(Consistency::tso, models::LitmusModel::tso);
}

TEST_CASE("GAM whose writes wait shows no litmus outcome that sequential consistency forbids") {
  run_litmus_tests(Consistency::sc, models::LitmusModel::sc);
}

}  // namespace gam_litmus_test

// Litmus tests on a store whose puts return before all copies have them, as with ccKVS-SC: what `settle` is for.
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "models/workloads/litmus_workload.hpp"
#include "sim/oracles/oracle.hpp"
#include "tests/models/service/fake_protocol.hpp"
#include "tests/models/service/fake_store.hpp"

namespace litmus_settle_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr sim::Duration kAnswer = 500_ns, kPropagation = 5_us;

/// Figure 5 of the ccKVS paper, with two puts.
LitmusOptions figure_5(sim::Duration settle) {
  LitmusOptions options;
  options.program = "P0: x=1; x=2; r0=x | end: r1=x";
  options.repetitions = 100;
  options.spread = 0_ns;
  options.looks = 1;
  options.settle = settle;
  return options;
}

/// Each node has a copy. A put takes effect at its own node as it returns, and at the others `kPropagation` later; the
/// greatest (version, node) wins, where a put's version is one more than that of the copy it meets.
struct Copies : TestRack {
  explicit Copies(const LitmusOptions& options) : store(rack, 4, options.threads_per_node()) {
    store.delay = kAnswer;
    store.distort = [this](const FakeStore::Asked& asked, Answer& answer) {
      const NodeId node = asked.session.node;
      const Put newest = copy_of(node);
      if (!asked.write) answer.value = newest.value;
      if (asked.write) puts.push_back({newest.version + 1, node, asked.value, calendar.now()});
    };
    WorkloadContext context{rack, protocol};
    workload = options.build(context);
    workload->warm_up();
    workload->start();
    calendar.run_until();
    workload->oracle()->finish(calendar.now());
  }

  struct Put {
    std::uint64_t version = 0;
    NodeId node = 0;
    sim::Value value{};
    sim::Time at;
  };
  Put copy_of(NodeId node) const {
    Put newest;
    for (const Put& put : puts) {
      if (put.node != node && put.at + kPropagation > calendar.now()) continue;
      if (std::tie(put.version, put.node) > std::tie(newest.version, newest.node)) newest = put;
    }
    return newest;
  }

  FakeStore store;
  FakeProtocol protocol{store};
  std::vector<Put> puts;
  std::unique_ptr<Workload> workload;
};

}  // namespace

TEST_CASE("A put that is under way when it returns is over before the next repetition, if that waits for long enough") {
  LitmusOptions options = figure_5(kPropagation);
  options.required = "r0=2 & r1=0";
  const Copies settled(options);
  CHECK(settled.workload->oracle()->violations().empty());
  CHECK(settled.counter("litmus.repetitions") == options.repetitions);

  // The session `end` gives a first value to a copy that has neither put: both come after it in the key's order.
  const Copies hasty(figure_5(0_ns));
  REQUIRE(!hasty.workload->oracle()->violations().empty());
  CHECK_THAT(hasty.workload->oracle()->violations().front().what, Catch::Contains("goes on reading x"));
}

TEST_CASE("Before each repetition a litmus test does nothing for as long as it is to settle") {
  LitmusOptions options = figure_5(20_us);
  options.program = "P0: x=1; r0=x";
  options.looks = 0;
  const Copies t(options);
  REQUIRE(t.store.asked.size() == 3 * options.repetitions);  // the first value, and the program
  CHECK(t.store.asked[0].at == sim::Time{} + 20_us);
  for (std::size_t i = 1; i < t.store.asked.size(); ++i) {
    const sim::Duration pause = i % 3 == 0 ? kAnswer + 20_us : kAnswer;
    REQUIRE(t.store.asked[i].at == t.store.asked[i - 1].at + pause);
  }
}

}  // namespace litmus_settle_test

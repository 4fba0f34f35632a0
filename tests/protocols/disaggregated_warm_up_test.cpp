// The functional warm-up of SELCC, SEL and the RPC directory ends where timed execution of the same accesses, one after
// the other, ends: in caches and, word by word, in the memory of the memory servers.
#include <catch2/catch.hpp>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "protocols/sel/sel.hpp"
#include "sim/random/random.hpp"
#include "tests/protocols/rpc_directory/rpc_directory_run.hpp"
#include "tests/protocols/selcc/selcc_run.hpp"

namespace disaggregated_warm_up_test {

using namespace racksim;

namespace {

/// What must agree.
struct State final : sim::StateVisitor {
  std::map<std::pair<std::uint64_t, sim::Holder>, std::pair<std::uint64_t, sim::CopyState>> copies;
  std::map<std::pair<models::NodeId, std::uint64_t>, std::uint64_t> memory;  // latch words too

  State(racksim::testing::DisaggregatedRun& run, const models::Protocol& protocol) {
    protocol.show_state(*this);
    for (models::NodeId node = 4; node < 6; ++node) {
      run.rack.server(node).nic().memory().visit_words([&](std::uint64_t address, std::uint64_t word) {
        memory[{node, address}] = word;
      });
    }
  }
  void home(sim::Key, sim::Value) override {}
  void copy(sim::Key key, sim::Holder holder, sim::Value value, sim::CopyState state) override {
    copies[{key.number(), holder}] = {value.number(), state};
  }
  void lost(sim::Key) override { FAIL("nothing is lost"); }
};

/// Accesses at random, of few nodes to more lines than caches hold.
template <class Run, class Setup>
void compare(Setup setup, std::uint64_t seed) {
  setup.seed = seed;
  Run warm(setup), timed(setup);
  auto& warm_protocol = dynamic_cast<models::Protocol&>(warm.memory);
  auto& timed_protocol = dynamic_cast<models::Protocol&>(timed.memory);
  sim::RandomStream random(seed, "accesses");
  for (int step = 1; step <= 600; ++step) {
    const models::Session session{static_cast<models::NodeId>(random.below(4)),
                                  static_cast<std::uint16_t>(random.below(2))};
    const models::GlobalAddress address{warm.line(random.below(24)).value + 8 * random.below(32)};
    const bool write = random.chance(0.4);
    warm.memory.warm_access(session, address, write);
    REQUIRE(timed.access(session, address, write) < sim::Duration::from_ps(100'000'000));
    if (step % 20 != 0) continue;
    const State a(warm, warm_protocol), b(timed, timed_protocol);
    INFO("after " << step << " accesses with seed " << seed);
    REQUIRE(a.copies == b.copies);
    REQUIRE(a.memory == b.memory);
  }
  CHECK(timed_protocol.leaks().empty());
}

/// Many accesses at once end where they end one after the other.
template <class Run, class Setup>
void compare_batches(const Setup& setup) {
  Run one_by_one(setup), together(setup);
  sim::RandomStream random(5, "accesses");
  std::vector<models::MemoryService::WarmAccess> batch;
  for (int step = 1; step <= 2'000; ++step) {
    batch.push_back({{static_cast<models::NodeId>(random.below(4)), static_cast<std::uint16_t>(random.below(2))},
                     {one_by_one.line(random.below(24)).value + 8 * random.below(32)},
                     random.chance(0.4)});
    one_by_one.memory.warm_access(batch.back().session, batch.back().address, batch.back().write);
    if (step % 50 == 0) together.memory.warm_accesses(std::exchange(batch, {}));
  }
  const State a(one_by_one, dynamic_cast<models::Protocol&>(one_by_one.memory));
  const State b(together, dynamic_cast<models::Protocol&>(together.memory));
  CHECK(a.copies == b.copies);
  CHECK(a.memory == b.memory);
}

}  // namespace

TEST_CASE("The functional warm-up by many accesses at once ends where it ends one by one") {
  compare_batches<selcc::testing::SelccScript>(selcc::testing::Setup{});
  compare_batches<rpc_directory::testing::Script>(rpc_directory::testing::Setup{});
}

TEST_CASE("SELCC's functional warm-up ends in the state of timed execution") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    selcc::testing::Setup setup;
    compare<selcc::testing::SelccScript>(setup, seed);
    setup.selcc.dirty_boundaries = false;
    setup.selcc.cache_bytes = 3 * setup.selcc.line_bytes;
    compare<selcc::testing::SelccScript>(setup, seed);
  }
}

TEST_CASE("The functional warm-up of the RPC directory ends in the state of timed execution") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    compare<rpc_directory::testing::Script>(rpc_directory::testing::Setup{}, seed);
  }
}

TEST_CASE("SEL's functional warm-up ends in the state of timed execution") {
  struct Setup : racksim::testing::DisaggregatedSetup {
    sel::Options sel;
    Setup() { sel.line_bytes = kLineBytes; }
  };
  struct Run : racksim::testing::DisaggregatedRun {
    explicit Run(const Setup& s)
        : DisaggregatedRun(s, tools::bound<models::ProtocolOptions>("sel", s.sel), Work::script) {}
  };
  compare<Run>(Setup{}, 1);
}

}  // namespace disaggregated_warm_up_test

// GAM's functional warm-up ends where timed execution of the same accesses, one after the other, ends: in caches,
// directories and memory.
#include <catch2/catch.hpp>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/random/random.hpp"
#include "tests/protocols/gam/gam_run.hpp"

namespace gam_warm_up_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;

namespace {

constexpr std::uint64_t kLines = 24;

/// What must agree.
struct State {
  std::map<std::pair<NodeId, std::uint64_t>, std::tuple<CacheState, std::map<std::uint16_t, std::uint64_t>>> copies;
  std::map<std::uint64_t, std::tuple<DirectoryState, NodeId, std::vector<NodeId>>> entries;
  std::map<std::pair<NodeId, std::uint64_t>, std::uint64_t> memory;
  bool operator==(const State&) const = default;

  explicit State(const Run& run) {
    for (NodeId node = 0; node < 4; ++node) {
      run.protocol.node(node).cache().frames().for_each([&](const Frame& frame) {
        auto& copy = copies[{node, frame.line.number()}];
        std::get<0>(copy) = frame.state;
        auto& values = std::get<1>(copy);  // no structured binding: clang 14 captures none
        frame.data.for_each([&](std::uint16_t object, sim::Value value) { values[object] = value.number(); });
      });
      run.protocol.node(node).server().nic().memory().visit_words([&](std::uint64_t offset, std::uint64_t value) {
        memory[{node, offset}] = value;
      });
    }
    for (std::uint64_t i = 0; i < kLines; ++i) {
      const Entry* entry = run.protocol.directory_of(run.key(i)).find(run.key(i));
      if (entry == nullptr) continue;
      const NodeId owner = entry->state == DirectoryState::dirty ? entry->owner.node : NodeId{0};
      entries[i] = {entry->state, owner, run.sharers(i)};
    }
  }
};

}  // namespace

TEST_CASE("GAM's functional warm-up ends in the state of timed execution") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Setup setup;
    setup.seed = seed;
    setup.options.cache_bytes =
        (seed == 1 ? 64 : 8) * setup.options.line_bytes;  // of 18 lines that other nodes are home of
    setup.options.consistency = Consistency::sc;
    Script warm(setup), timed(setup);
    sim::RandomStream random(seed, "accesses");
    for (int step = 1; step <= 600; ++step) {
      const models::Session session{static_cast<NodeId>(random.below(4)), static_cast<std::uint16_t>(random.below(2))};
      const models::GlobalAddress address{warm.line(random.below(kLines)).value + 8 * random.below(8)};
      const bool write = random.chance(0.4);
      warm.memory.warm_access(session, address, write);
      REQUIRE(timed.access(session, address, write) < 100_us);
      timed.advance(20_us);  // evictions
      if (step % 20 != 0) continue;
      INFO("after " << step << " accesses with seed " << seed);
      const State a(warm), b(timed);
      REQUIRE(a.copies == b.copies);
      REQUIRE(a.entries == b.entries);
      REQUIRE(a.memory == b.memory);
    }
    CHECK(timed.protocol.leaks().empty());
  }
}

}  // namespace gam_warm_up_test

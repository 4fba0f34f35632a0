// Eviction in the background (SELCC §5.2): from the free list's threshold on, in batches by memory server, with no more
// work requests under way than the copy-out ring has slots.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "tests/protocols/selcc/selcc_run.hpp"

namespace eviction_test {

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;

namespace {

/// When memory servers have carried out releases of Modified lines, by server.
struct Releases final : latched_memory::LineObserver {
  explicit Releases(SelccScript& script) : run(script) { run.protocol->memory_servers().watch(*this); }
  void word_changed(NodeId, sim::Key line, LatchWord before, LatchWord after) override {
    if (before.names_owner() && after.free()) at[run.memory.home_of(line)].push_back(run.calendar.now());
  }
  /// The shortest time between any of a server's releases and the next but `apart - 1`.
  sim::Duration shortest(std::size_t apart) const {
    sim::Duration shortest = sim::Duration::max();
    for (const auto& [server, times] : at) {
      for (std::size_t i = apart; i < times.size(); ++i) shortest = std::min(shortest, times[i] - times[i - apart]);
    }
    return shortest;
  }
  SelccScript& run;
  std::map<NodeId, std::vector<sim::Time>> at;
};

/// Of ten Modified lines that one thread latches and then lets go all are to be evicted, half by each memory server.
struct Burst {
  explicit Burst(std::uint64_t ring_slots) : run(setup(ring_slots)), releases(run) {
    const auto let_go_at_once = [&]() -> sim::Task<void> {
      for (std::uint64_t i = 0; i < 10; ++i) {
        co_await run.memory.lock({0, 0}, run.line(i), models::LockMode::exclusive);
        co_await run.memory.write({0, 0}, run.line(i));
      }
      for (std::uint64_t i = 0; i < 10; ++i) co_await run.memory.unlock({0, 0}, run.line(i));
    };
    run.spawn(let_go_at_once(), 0);
    run.advance(2_ms);
    CHECK(run.counter("evictions.modified") == 10);
    run.finish();
    CHECK(run.violations() == "");
  }
  static Setup setup(std::uint64_t ring_slots) {
    Setup setup;
    setup.selcc.ring_slots = ring_slots;
    setup.selcc.free_share = 1;
    setup.selcc.eviction = 10_ns;
    setup.selcc.local_access = 10_ns;
    return setup;
  }

  SelccScript run;
  Releases releases;
};

}  // namespace

// A line takes a WRITE and an FAA, and its slots are free when the FAA has completed: the line so many behind it
// leaves after that.
TEST_CASE("As many lines are on their way to a memory server as the copy-out ring has room for, and no more") {
  for (const std::uint64_t lines : {1, 2, 4}) {
    INFO("room for " << lines);
    const Burst burst(2 * lines);
    CHECK(burst.releases.shortest(lines) > Setup{}.rack.rtt / 2);
    if (lines > 1) CHECK(burst.releases.shortest(1) < Setup{}.rack.rtt / 10);
    CHECK(burst.run.counter("ring_waits") > 0);
  }
  const Burst roomy(16);
  CHECK(roomy.releases.shortest(4) < Setup{}.rack.rtt / 2);
  CHECK(roomy.run.counter("ring_waits") == 0);
}

TEST_CASE("Frames are freed as soon as fewer are free than the threshold says, and no earlier") {
  Setup setup;
  setup.selcc.free_share = 0.25;  // 4 of 16 frames
  SelccScript run(setup);
  for (std::uint64_t i = 0; i < 12; ++i) run.write(0, i);
  CHECK(run.counter("evictions.modified") == 0);
  run.write(0, 12);
  CHECK(run.counter("evictions.modified") == 1);
  run.read(0, 13);
  CHECK(run.counter("evictions.modified") == 2);
  CHECK(run.state(0, 0) == FrameState::absent);
  CHECK(run.state(0, 1) == FrameState::absent);
  CHECK(run.state(0, 2) == FrameState::modified);
}

}  // namespace eviction_test

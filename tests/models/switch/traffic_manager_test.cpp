#include "models/switch/traffic_manager.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "sim/kernel/invariant.hpp"
#include "tests/models/hardware_fixture.hpp"

namespace traffic_manager_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

TEST_CASE("A queue leaves in order at its port's rate and ports do not wait for each other") {
  TrafficManager tm(SwitchOptions{}, 2);
  tm.advance(at(0_ns));
  CHECK(tm.enqueue(0, at(0_ns), 64, 7_ns) == at(0_ns));
  CHECK(tm.enqueue(0, at(1_ns), 64, 7_ns) == at(7_ns));
  CHECK(tm.enqueue(1, at(1_ns), 64, 7_ns) == at(1_ns));
  CHECK(tm.enqueue(0, at(30_ns), 64, 7_ns) == at(30_ns));
}

TEST_CASE("A queue may hold its minimum and a share of the free buffer, and drops its tail beyond") {
  SwitchOptions options;
  options.buffer_cells = 100;
  options.queue_cells = 4;
  options.queue_share = 0.5;
  TrafficManager tm(options, 2);
  // One cell a packet: n fit as long as n <= 4 + floor((100 - (n - 1)) / 2), so 36 is the last: 4 + 32 = 36, but 37
  // > 36.
  int taken = 0;
  for (int i = 0; i < 60; ++i) {
    tm.advance(at(0_ns));
    if (tm.enqueue(0, at(0_ns), 80, 10_ns)) ++taken;
    tm.store(80);
  }
  CHECK(taken == 36);
  CHECK(tm.used_cells() == 36);
  // The other queue has its own minimum and its own share of what is left: 4 + floor(64 / 2).
  CHECK(tm.enqueue(1, at(0_ns), 80 * 36, 10_ns).has_value());
  CHECK_FALSE(tm.enqueue(1, at(0_ns), 80, 10_ns).has_value());
}

TEST_CASE("Frames occupy whole cells until their last bit has left") {
  TrafficManager tm(SwitchOptions{}, 1);
  tm.advance(at(0_ns));
  tm.enqueue(0, at(5_ns), 81, 10_ns);
  tm.store(81);
  CHECK(tm.used_cells() == 2);
  tm.advance(at(14'999_ps));
  CHECK(tm.used_cells() == 2);
  tm.advance(at(15_ns));
  CHECK(tm.used_cells() == 0);
}

TEST_CASE("The copies of a packet share its cells, which are freed after the last of them") {
  TrafficManager tm(SwitchOptions{}, 3);
  tm.advance(at(0_ns));
  for (unsigned port = 0; port < 3; ++port) tm.enqueue(port, at(0_ns), 160, 10_ns * (port + 1));
  tm.store(160);
  CHECK(tm.used_cells() == 2);
  CHECK(tm.queue_cells(2) == 2);
  tm.advance(at(29_ns));
  CHECK(tm.used_cells() == 2);
  tm.advance(at(30_ns));
  CHECK(tm.used_cells() == 0);
}

TEST_CASE("A front port's packet has its slot while the bits of those before it are sent; other ports have no slots") {
  SwitchOptions options;
  options.ports = 1;
  options.port_packets_per_second = 40'000'000;  // one in 25 ns
  TrafficManager tm(options, 2);
  tm.advance(at(0_ns));
  const auto leaves = [&](unsigned port, sim::Duration bits) { return tm.enqueue(port, at(0_ns), 80, bits); };
  CHECK(leaves(0, 60_ns) == at(0_ns));
  CHECK(leaves(0, 5_ns) == at(60_ns));  // its slot was at 25
  CHECK(leaves(0, 5_ns) == at(65_ns));  // at 50
  CHECK(leaves(0, 5_ns) == at(75_ns));
  CHECK(leaves(0, 5_ns) == at(100_ns));
  for (int i = 0; i < 3; ++i) CHECK(leaves(1, 5_ns) == at(5_ns * i));
}

TEST_CASE("A packet of which no copy was taken is not stored") {
  SwitchOptions options;
  options.buffer_cells = 1;
  TrafficManager tm(options, 1);
  tm.advance(at(0_ns));
  CHECK_FALSE(tm.enqueue(0, at(0_ns), 81, 10_ns).has_value());
  tm.store(81);
  CHECK(tm.used_cells() == 0);
}

TEST_CASE("Occupancy and what is taken agree with a list of all packets and their departures") {
  SwitchOptions options;
  options.buffer_cells = GENERATE(60, 600);
  options.queue_cells = 10;
  TrafficManager tm(options, 4);
  std::mt19937_64 random(3);
  struct Held {
    std::int64_t departure;
    std::uint64_t cells;
  };
  std::vector<Held> stored;
  std::array<std::vector<Held>, 4> queues;
  std::array<std::int64_t, 4> free_at{};
  std::int64_t now = 0;
  const auto ahead = [&now](std::vector<Held>& list) {
    std::erase_if(list, [&](const Held& held) { return held.departure <= now; });
    std::uint64_t cells = 0;
    for (const Held& held : list) cells += held.cells;
    return cells;
  };
  std::size_t taken = 0, refused = 0, most = 0;
  for (int i = 0; i < 40'000; ++i) {
    // Quiet and busy spells in turn, so that the buffer fills and empties.
    now += static_cast<std::int64_t>(random() % (i / 1000 % 2 == 0 ? 20 : 90));
    const auto frame = static_cast<std::uint32_t>(64 + random() % 400);
    const std::uint64_t cells = (frame + 79) / 80;
    tm.advance(sim::Time::from_ps(now));
    const std::uint64_t used = ahead(stored);
    REQUIRE(tm.used_cells() == used);
    most = std::max(most, stored.size());
    std::int64_t last = 0;
    const auto copies = 1 + random() % 3;
    for (unsigned copy = 0; copy < copies; ++copy) {
      const auto port = static_cast<unsigned>(random() % 4);
      const auto length = static_cast<std::int64_t>(frame / 8);
      const std::uint64_t in_queue = ahead(queues[port]), free = options.buffer_cells - used;
      REQUIRE(tm.queue_cells(port) == in_queue);
      const bool fits =
          cells <= free && in_queue + cells <= 10 + static_cast<std::uint64_t>(0.8 * static_cast<double>(free));
      const auto left = tm.enqueue(port, sim::Time::from_ps(now), frame, sim::Duration::from_ps(length));
      REQUIRE(left.has_value() == fits);
      ++(fits ? taken : refused);
      if (!fits) continue;
      const std::int64_t start = std::max(now, free_at[port]);
      REQUIRE(left->ps() == start);
      free_at[port] = start + length;
      queues[port].push_back({free_at[port], cells});
      last = std::max(last, free_at[port]);
    }
    tm.store(frame);
    if (last > 0) stored.push_back({last, cells});
  }
  CHECK(taken > 1000);
  CHECK(refused > 1000);
  if (options.buffer_cells == 600) CHECK(most > 100);
}

TEST_CASE("Cells in use are those of the packets in queues, at every instant from now on") {
  SwitchOptions options;
  options.buffer_cells = 60;
  options.queue_cells = 10;
  TrafficManager tm(options, 4);
  std::mt19937_64 random(5);
  std::int64_t now = 0;
  std::uint64_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += static_cast<std::int64_t>(random() % (i / 1000 % 2 == 0 ? 20 : 90));
    tm.advance(sim::Time::from_ps(now));
    const auto frame = static_cast<std::uint32_t>(64 + random() % 400);
    for (auto copies = 1 + random() % 3; copies > 0; --copies) {
      tm.enqueue(static_cast<unsigned>(random() % 4), sim::Time::from_ps(now), frame,
                 sim::Duration::from_ps(frame / 8));
    }
    tm.store(frame);
    const auto later = sim::Time::from_ps(now + static_cast<std::int64_t>(random() % 50) - 10);
    for (const auto& cells : {tm.buffer_balance(later), tm.queue_balance(later)}) {
      REQUIRE(cells.in_use == cells.of_packets);
      most = std::max(most, cells.in_use);
    }
    REQUIRE(tm.buffer_balance(sim::Time::from_ps(now)).in_use == tm.used_cells());
  }
  CHECK(most > 50);
  CHECK(tm.buffer_balance(sim::Time::max()).in_use == 0);
}

TEST_CASE("A reservation that no packet has shows as cells of no packet") {
  struct : UnseenPackets {
    void materialize() override {}
  } nobody;
  TrafficManager tm(SwitchOptions{}, 2);
  tm.advance(at(0_ns));
  tm.enqueue(1, at(0_ns), 200, 10_ns);
  tm.store(200);
  REQUIRE(tm.reserve(0, 81, nobody));
  const auto leak = sim::check_conservation("the packet buffer", tm.buffer_balance(at(1_ns)), at(1_ns));
  REQUIRE(leak);
  CHECK(leak->what == "the packet buffer holds 2 cells of no packet at 1.000 ns: 5 in use, 3 of packets");
  CHECK(sim::check_conservation("the queues", tm.queue_balance(at(1_ns)), at(1_ns)));
  tm.release(0, 81, at(0_ns), false);
  CHECK_FALSE(sim::check_conservation("the packet buffer", tm.buffer_balance(at(1_ns)), at(1_ns)));
  CHECK_FALSE(sim::check_conservation("the queues", tm.queue_balance(at(1_ns)), at(1_ns)));
}

TEST_CASE("A packet that is offered for an instant before the last breaks an invariant") {
  const sim::InvariantChecks on(true);
  TrafficManager tm(SwitchOptions{}, 1);
  tm.advance(at(5_ns));
  tm.advance(at(5_ns));
  CHECK_THROWS_AS(tm.advance(at(4_ns)), sim::BrokenInvariant);
}

TEST_CASE("A port that is free before it has sent what it was offered breaks an invariant") {
  const sim::InvariantChecks on(true);
  TrafficManager tm(SwitchOptions{}, 1);
  tm.advance(at(0_ns));
  REQUIRE(tm.enqueue(0, at(0_ns), 64, 7_ns));
  tm.free_at(0) = at(6_ns);
  CHECK_THROWS_AS(tm.enqueue(0, at(0_ns), 64, 7_ns), sim::BrokenInvariant);
}

TEST_CASE("A reservation that is ended twice breaks an invariant") {
  const sim::InvariantChecks on(true);
  struct : UnseenPackets {
    void materialize() override {}
  } owner;
  TrafficManager tm(SwitchOptions{}, 1);
  tm.advance(at(0_ns));
  REQUIRE(tm.reserve(0, 64, owner));
  tm.release(0, 64, at(0_ns), false);
  CHECK_THROWS_AS(tm.release(0, 64, at(0_ns), false), sim::BrokenInvariant);
}

}  // namespace traffic_manager_test

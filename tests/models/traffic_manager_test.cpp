#include "models/traffic_manager.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "tests/models/hardware_fixture.hpp"

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
  CHECK(tm.peak_cells() == 2);
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

TEST_CASE("Occupancy agrees with a list of all packets and their departures") {
  SwitchOptions options;
  options.buffer_cells = 60;
  TrafficManager tm(options, 4);
  std::mt19937_64 random(3);
  std::vector<std::pair<std::int64_t, std::uint64_t>> stored;  // last departure, cells
  std::int64_t now = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += static_cast<std::int64_t>(random() % 20);
    const auto frame = static_cast<std::uint32_t>(64 + random() % 400);
    tm.advance(sim::Time::from_ps(now));
    std::uint64_t cells = 0;
    for (const auto& [departure, n] : stored) cells += departure > now ? n : 0;
    REQUIRE(tm.used_cells() == cells);
    std::int64_t last = 0;
    for (unsigned copy = 0; copy <= random() % 3; ++copy) {
      const auto length = sim::Duration::from_ps(static_cast<std::int64_t>(frame / 8));
      const auto left = tm.enqueue(static_cast<unsigned>(random() % 4), sim::Time::from_ps(now), frame, length);
      if (left) last = std::max(last, (*left + length).ps());
    }
    tm.store(frame);
    if (last > 0) stored.emplace_back(last, (frame + 79) / 80);
  }
}

// Availability profiles: SimGrid's sum of the delays must arrive at the nearest double of each instant.
#include "sim/simgrid/availability.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace racksim::sim;

TEST_CASE("the delays of a profile add up to each instant bit for bit", "[availability]") {
  std::uint64_t state = 1;
  const auto draw = [&](std::int64_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::int64_t>(state >> 11) % below;
  };
  int wrong = 0;
  for (int round = 0; round < 100'000; ++round) {
    // Two to four changes, the first often far below the last.
    std::vector<PowerChange> changes;
    std::int64_t at = 0;
    bool on = false;
    for (std::int64_t scale = 1'000'000; scale <= 200'000'000'000'000; scale *= 1 + draw(10'000)) {
      at += 1 + draw(scale);
      changes.push_back({Time::from_ps(at), on});
      on = !on;
      if (changes.size() == 4) break;
    }
    double date = 0.0;
    double before = 1.0;
    std::size_t next = 0;
    for (const ProfileEntry& entry : profile_entries(changes)) {
      date += entry.delay;
      if (entry.state == before) continue;  // repeats a state: no change
      before = entry.state;
      if (next >= changes.size() || date != static_cast<double>(changes[next].at.ps()) / 1e12) ++wrong;
      ++next;
    }
    if (next != changes.size()) ++wrong;
  }
  CHECK(wrong == 0);
}

#include "models/usage/station.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/random/random.hpp"

namespace station_test {

using namespace racksim;
using namespace racksim::sim::literals;
using models::Station;

namespace {

sim::Time at(sim::Duration since_start) {
  return sim::Time{} + since_start;
}

}  // namespace

TEST_CASE("A station serves in the order of the calls, each when it is ready and those before it are done") {
  Station station;
  CHECK(station.serve(at(10_ns), 5_ns) == at(10_ns));
  CHECK(station.serve(at(12_ns), 5_ns) == at(15_ns));
  CHECK(station.serve(at(30_ns), 1_ns) == at(30_ns));
  CHECK(station.free_at() == at(31_ns));
  CHECK(station.waits().sum() == 3_ns);
  CHECK(station.waits().longest() == 3_ns);
}

TEST_CASE("Work that lies ahead is not done yet") {
  Station station;
  station.serve(at(0_ns), 100_ns);
  station.serve(at(0_ns), 100_ns);
  CHECK(station.worked(at(0_ns)) == 0_ns);
  CHECK(station.worked(at(50_ns)) == 50_ns);
  CHECK(station.worked(at(150_ns)) == 150_ns);
  CHECK(station.worked(at(500_ns)) == 200_ns);
}

TEST_CASE("Who still waits has not waited for what is to come") {
  Station station;
  for (int i = 0; i < 4; ++i) station.serve(at(0_ns), 100_ns);  // three wait for 100, 200 and 300 ns
  CHECK(station.waits().sum() == 600_ns);
  CHECK(station.waited(at(0_ns)) == 0_ns);
  CHECK(station.waited(at(50_ns)) == 150_ns);
  CHECK(station.waited(at(150_ns)) == 400_ns);
  CHECK(station.waited(at(400_ns)) == 600_ns);
}

TEST_CASE("A station that halts has done what it did until then, and is free") {
  Station station;
  station.serve(at(0_ns), 100_ns);
  station.halt(at(30_ns));
  CHECK(station.worked(at(30_ns)) == 30_ns);
  CHECK(station.worked(at(500_ns)) == 30_ns);
  CHECK(station.serve(at(40_ns), 1_ns) == at(40_ns));
}

TEST_CASE("Of those who wait the most at once are told, since the window began") {
  Station station;
  for (int i = 0; i < 4; ++i) station.serve(at(0_ns), 100_ns);  // three wait until 100, 200 and 300 ns
  CHECK(station.waits().most_at_once() == 3);
  station.waits().begin_window();
  CHECK(station.waits().most_at_once() == 0);
  station.serve(at(250_ns), 100_ns);  // beside the one that waits until 300 ns
  CHECK(station.waits().most_at_once() == 2);
  station.halt(at(260_ns));
  station.serve(at(270_ns), 100_ns);
  station.serve(at(280_ns), 100_ns);  // nobody of before is left
  CHECK(station.waits().most_at_once() == 2);
}

// Each one who waits is compared with each one before.
TEST_CASE("The largest queue is that of a count of everybody at every arrival, whatever service takes") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::RandomStream random(seed, "queue");
    Station station;
    std::vector<sim::Time> starts;
    sim::Time now{};
    std::size_t most = 0;
    for (int i = 0; i < 300; ++i) {
      if (random.below(100) == 0) {
        station.waits().begin_window();
        most = 0;
      }
      now += random.exponential(100_ns);
      starts.push_back(station.serve(now, random.exponential(95_ns)));
      most = std::max(most, static_cast<std::size_t>(std::count_if(starts.begin(), starts.end(),
                                                                   [&](sim::Time start) { return start > now; })));
    }
    CHECK(station.waits().most_at_once() == most);
  }
}

// M/D/1: rho^2 / (2 (1 - rho)) wait in the mean.
TEST_CASE("Of Poisson arrivals as many wait as the closed form of M/D/1 says") {
  for (const auto& [rho, tolerance] : {std::pair{0.5, 0.02}, std::pair{0.9, 0.05}}) {
    sim::RandomStream random(1, "arrivals");
    Station station;
    sim::Time now{};
    for (int i = 0; i < 1'000'000; ++i) {
      now += random.exponential(sim::Duration::from_ps(static_cast<std::int64_t>(100'000 / rho)));
      station.serve(now, 100_ns);
    }
    const double length = (now - sim::Time{}).seconds();
    CHECK(station.worked(now).seconds() / length == Approx(rho).epsilon(0.01));
    CHECK(station.waited(now).seconds() / length == Approx(rho * rho / (2 * (1 - rho))).epsilon(tolerance));
  }
}

}  // namespace station_test

#include "models/usage/station.hpp"

#include <catch2/catch.hpp>

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
  CHECK(station.waits().sum == 3_ns);
  CHECK(station.waits().longest == 3_ns);
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
  CHECK(station.waits().sum == 600_ns);
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

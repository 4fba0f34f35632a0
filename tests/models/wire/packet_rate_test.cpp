// A wire that takes so many packets a second and no more.
#include <catch2/catch.hpp>
#include <vector>

#include "tests/models/hardware_fixture.hpp"

namespace packet_rate_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

TEST_CASE("A wire that takes so many packets a second begins short ones that far apart, and long ones at its bits") {
  Hardware hardware;
  Collector sink(hardware);
  Wire wire(hardware.context, "w", 100'000'000'000, 10_ns, sink, 0);
  wire.limit_packets(40'000'000);  // one in 25 ns; 84 bytes take 6.72 ns, 320 take 25.6
  CHECK(wire.occupancy(84) == 25_ns);
  CHECK(wire.occupancy(320) == 25'600_ps);
  CHECK(wire.transmit(hardware.packet(1), {}) == at(6'720_ps));
  CHECK(wire.free_at() == at(25_ns));
  CHECK(wire.transmit(hardware.packet(2), {}) == at(25_ns + 6'720_ps));
  CHECK(wire.transmit(hardware.packet(3, 300), {}) == at(50_ns + 25'600_ps));
  CHECK(wire.transmit(hardware.packet(4), {}) == at(75'600_ps + 6'720_ps));
  CHECK(wire.transmit(hardware.packet(5), at(200_ns)) == at(200_ns + 6'720_ps));
  hardware.calendar.run_until();
  const std::vector<Collector::Entry> expected{
      {1, at(16'720_ps)}, {2, at(41'720_ps)}, {3, at(85'600_ps)}, {4, at(92'320_ps)}, {5, at(216'720_ps)}};
  CHECK(sink.entries == expected);
  CHECK(hardware.calendar.executed() == 5);
}

}  // namespace packet_rate_test

// A wire that takes so many packets a second and no more.
#include <catch2/catch.hpp>
#include <vector>

#include "tests/models/hardware_fixture.hpp"

namespace packet_rate_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

TEST_CASE("Short packets begin as far apart as the packet rate has it, and long ones at the wire's bits") {
  Hardware hardware;
  Collector sink(hardware);
  Wire wire(hardware.context, "w", 100'000'000'000, 10_ns, sink, 0);
  wire.limit_packets(40'000'000);  // one in 25 ns; 84 bytes take 6.72 ns, 320 take 25.6
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

TEST_CASE("A packet has its slot while the bits of others are sent: of a mix the scarcer of both is the limit") {
  struct Mix {
    unsigned short_ones;
    sim::Duration period;  // of one long packet and so many short ones
  };
  // A long one of 1,044 bytes takes 83.52 ns of bits, a short one 6.72; each a slot of 25 ns.
  for (const Mix mix : {Mix{1, 90'240_ps}, Mix{2, 96'960_ps}, Mix{3, 103'680_ps}, Mix{4, 125_ns}, Mix{9, 250_ns}}) {
    Hardware hardware;
    Collector sink(hardware);
    Wire wire(hardware.context, "w", 100'000'000'000, 10_ns, sink, 0);
    wire.limit_packets(40'000'000);
    sim::Time first;
    constexpr int kPeriods = 100;
    for (int period = 0; period <= kPeriods; ++period) {
      const sim::Time left = wire.transmit(hardware.packet(1, 1024), {});
      if (period == 0) first = left;
      if (period == kPeriods) CHECK(left - first == mix.period * kPeriods);
      for (unsigned i = 0; i < mix.short_ones; ++i) wire.transmit(hardware.packet(1), {});
    }
    hardware.calendar.run_until();
  }
}

TEST_CASE("A slot that nobody took is lost") {
  Hardware hardware;
  Collector sink(hardware);
  Wire wire(hardware.context, "w", 100'000'000'000, 10_ns, sink, 0);
  wire.limit_packets(40'000'000);
  wire.transmit(hardware.packet(1), {});
  CHECK(wire.transmit(hardware.packet(2), at(1_us)) == at(1_us + 6'720_ps));
  CHECK(wire.transmit(hardware.packet(3), at(1_us)) == at(1'025_ns + 6'720_ps));
  hardware.calendar.run_until();
}

TEST_CASE("What has arrived is what the far end has by now, not what was handed over") {
  Hardware hardware;
  Collector sink(hardware);
  Wire wire(hardware.context, "w", 100'000'000'000, 10_ns, sink, 0);
  wire.frame_as_infiniband();
  for (int i = 0; i < 4; ++i) wire.transmit(hardware.packet(1, 1024), {});
  const std::uint64_t bytes = wire.bytes_sent() / 4;
  hardware.calendar.run_until(at(200_ns));
  CHECK(wire.packets_sent() == 4);
  CHECK(wire.packets_arrived() == 2);
  CHECK(wire.bytes_arrived() == 2 * bytes);
  hardware.calendar.run_until();
  CHECK(wire.packets_arrived() == 4);
  CHECK(wire.bytes_arrived() == wire.bytes_sent());
  wire.transmit(hardware.packet(1), at(1_us));
  wire.set_up(false);  // loses it
  hardware.calendar.run_until();
  CHECK(wire.packets_sent() == 5);
  CHECK(wire.packets_arrived() == 4);
}

}  // namespace packet_rate_test

// Faults that name their packets: dropped, held, stalled or doubled, and what chance does beside them.
#include "models/wire/wire_faults.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <vector>

#include "tests/models/wire/one_wire.hpp"

namespace wire_faults_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

TEST_CASE("The n-th packet that matches is dropped and no other") {
  OneWire w;
  w.wire.add_targeted_fault({.match = {.header = "udp", .fields = {{"dst_port", 2}}}, .first = 2, .count = 2});
  for (int round = 0; round < 5; ++round) {
    w.send(1);
    w.send(2);
  }
  w.calendar.run_until();
  const auto serials = w.sink.serials();
  CHECK(std::count(serials.begin(), serials.end(), 1) == 5);
  CHECK(serials == std::vector<std::uint64_t>{1, 2, 1, 1, 1, 2, 1, 2});
  CHECK(w.accounting.dropped(DropReason::targeted) == 2);
}

TEST_CASE("One of every so many packets that match is dropped, as often as asked, and no other") {
  OneWire w;
  w.wire.add_targeted_fault(
      {.match = {.header = "udp", .fields = {{"dst_port", 2}}}, .first = 2, .count = 2, .every = 3});
  // Of the ten packets to port 2 the second and the fifth; not the eighth.
  std::vector<std::uint64_t> arrive;
  for (std::uint64_t number = 1; number <= 10; ++number) {
    w.send(1);
    w.send(2);
    arrive.push_back(1);
    if (number != 2 && number != 5) arrive.push_back(2);
  }
  w.calendar.run_until();
  CHECK(w.sink.serials() == arrive);
  CHECK(w.accounting.dropped(DropReason::targeted) == 2);
}

TEST_CASE("A targeted drop on a field that does not exist says so") {
  OneWire w;
  w.wire.add_targeted_fault({.match = {.header = "udp", .fields = {{"colour", 2}}}});
  CHECK_THROWS_WITH(w.send(1), "header 'udp' has no field 'colour'");
}

TEST_CASE("A packet that a targeted fault holds arrives so much later, to the picosecond, and no other is late") {
  OneWire w;
  w.wire.add_targeted_fault({.effect = Effect::hold,
                             .match = {.header = "udp", .fields = {{"dst_port", 2}}},
                             .first = 2,
                             .count = 1,
                             .delay = 100_ns});
  for (const std::uint64_t serial : {1, 2, 2, 3, 2}) w.send(serial);
  w.calendar.run_until();
  CHECK(w.sink.entries ==
        Entries{{1, arrival(1)}, {2, arrival(2)}, {3, arrival(4)}, {2, arrival(5)}, {2, arrival(3) + 100_ns}});
  CHECK(w.accounting.dropped() == 0);
}

TEST_CASE("A packet that a targeted fault stalls is so much later, and those behind it wait for it and no longer") {
  OneWire w;
  w.wire.add_targeted_fault({.effect = Effect::stall, .match = {}, .first = 2, .delay = 10_ns});
  w.send_many(4);
  w.calendar.run_until();
  CHECK(w.sink.entries == Entries{{1, arrival(1)}, {2, arrival(2) + 10_ns}, {3, arrival(2) + 10_ns}, {4, arrival(4)}});
  CHECK(w.accounting.dropped() + w.accounting.copied() == 0);
}

TEST_CASE("A packet that a targeted fault doubles arrives twice, the copy right behind it") {
  OneWire w;
  w.wire.add_targeted_fault({.effect = Effect::duplicate, .match = {}, .first = 2});
  w.send_many(4);
  w.calendar.run_until();
  // The third is not pushed back: the copy arrives when the third's last bit does, and before it.
  CHECK(w.sink.entries == Entries{{1, arrival(1)}, {2, arrival(2)}, {2, arrival(3)}, {3, arrival(3)}, {4, arrival(4)}});
  CHECK(w.accounting.copied() == 1);
  CHECK(w.accounting.dropped() == 0);
}

TEST_CASE("A copy with a delay comes so much later than right behind its packet, and others overtake it") {
  OneWire w;
  w.wire.add_targeted_fault({.effect = Effect::duplicate, .match = {}, .first = 2, .count = 2, .delay = 9_ns});
  w.send_many(5);
  w.calendar.run_until();
  CHECK(w.sink.entries == Entries{{1, arrival(1)},
                                  {2, arrival(2)},
                                  {3, arrival(3)},
                                  {4, arrival(4)},
                                  {2, arrival(3) + 9_ns},
                                  {5, arrival(5)},
                                  {3, arrival(4) + 9_ns}});
  CHECK(w.accounting.copied() == 2);
}

TEST_CASE(
    "Of a packet that is stalled, held and doubled, packet and copy wait for the stall, and each for its own delay") {
  OneWire w;
  w.wire.add_targeted_fault({.effect = Effect::stall, .match = {}, .delay = 10_ns});
  w.wire.add_targeted_fault({.effect = Effect::hold, .match = {}, .delay = 100_ns});
  w.wire.add_targeted_fault({.effect = Effect::duplicate, .match = {}, .delay = 50_ns});
  w.wire.add_targeted_fault({.effect = Effect::duplicate, .match = {}, .delay = 40_ns});  // the latest counts
  w.send_many(1);
  w.calendar.run_until();
  CHECK(w.sink.entries == Entries{{1, arrival(2) + 60_ns}, {1, arrival(1) + 110_ns}});
}

TEST_CASE("A copy that chance makes of a packet that is held is held as long") {
  OneWire w;
  w.wire.set_faults({.duplicate = 1});
  w.wire.add_targeted_fault({.effect = Effect::hold, .match = {}, .delay = 100_ns});
  w.send_many(1);
  w.calendar.run_until();
  CHECK(w.sink.entries == Entries{{1, arrival(1) + 100_ns}, {1, arrival(2) + 100_ns}});
}

TEST_CASE("A packet that is both chosen to be dropped and to be doubled is lost, and so is its copy") {
  OneWire w;
  w.wire.add_targeted_fault({.effect = Effect::duplicate, .match = {}});
  w.wire.add_targeted_fault({.effect = Effect::drop, .match = {}});
  w.send_many(2);
  w.calendar.run_until();
  CHECK(w.sink.serials() == std::vector<std::uint64_t>{2});
  CHECK(w.accounting.copied() == 0);
}

TEST_CASE("An observer is told how long a packet or its copy is held and stalled, by name and by chance") {
  struct Passages final : PacketObserver {
    void on_wire(const p4::Packet&, const WirePassage& passage) override { seen.push_back(passage); }
    void dropped(const p4::Packet&, sim::Source, sim::Time, DropReason) override {}
    void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
    void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
    void switch_written(const SwitchWrite&) override {}
    std::vector<WirePassage> seen;
  };
  OneWire w;
  Passages passages;
  w.context.add_packet_observer(passages);
  w.wire.add_targeted_fault({.effect = Effect::stall, .match = {}, .delay = 10_ns});
  w.wire.add_targeted_fault({.effect = Effect::hold, .match = {}, .delay = 100_ns});
  w.wire.add_targeted_fault({.effect = Effect::duplicate, .match = {}, .delay = 50_ns});
  w.wire.set_faults({.spike = 1, .spike_delay = 1_us}, at(1_us), at(2_us));
  w.wire.set_faults({.reorder = 1, .reorder_delay = 1_ps}, at(3_us));
  for (const auto ready : {0_us, 1_us, 3_us}) w.wire.transmit(w.packet(1), at(ready));
  w.calendar.run_until();
  const auto is = [&](std::size_t i, bool copy, sim::Duration held, sim::Duration stalled) {
    const WirePassage& passage = passages.seen.at(i);
    return passage.copy == copy && passage.held == held && passage.stalled == stalled;
  };
  REQUIRE(passages.seen.size() == 4);
  for (const std::size_t i : {0U, 1U, 2U, 3U}) CHECK(passages.seen[i].named == (i < 2));
  CHECK(is(0, false, 100_ns, 10_ns));
  CHECK(is(1, true, 50_ns, 10_ns));
  CHECK(is(2, false, 0_ns, 1_us));
  CHECK(is(3, false, 1_ps, 0_ns));
}

TEST_CASE("An observer is told of each packet whether a fault names it") {
  struct Named final : PacketObserver {
    void on_wire(const p4::Packet&, const WirePassage& passage) override { seen.push_back(passage.named); }
    void dropped(const p4::Packet&, sim::Source, sim::Time, DropReason) override {}
    void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
    void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
    void switch_written(const SwitchWrite&) override {}
    std::vector<bool> seen;
  };
  for (const Effect effect : {Effect::hold, Effect::stall, Effect::duplicate}) {
    OneWire w;
    Named named;
    w.context.add_packet_observer(named);
    w.wire.add_targeted_fault({.effect = effect, .match = {}, .first = 2, .delay = 1_ns});
    w.send_many(3);
    w.calendar.run_until();
    const bool doubled = effect == Effect::duplicate;
    CHECK(named.seen ==
          (doubled ? std::vector<bool>{false, true, true, false} : std::vector<bool>{false, true, false}));
  }
}

TEST_CASE("A packet that is both chosen to be dropped and to be held is lost") {
  OneWire w;
  w.wire.add_targeted_fault({.effect = Effect::hold, .match = {}, .first = 1, .delay = 100_ns});
  w.wire.add_targeted_fault({.match = {}, .first = 1});
  w.send_many(2);
  w.calendar.run_until();
  CHECK(w.sink.serials() == std::vector<std::uint64_t>{2});
}

TEST_CASE("Holding or doubling a packet leaves all that chance does to others as it was") {
  const auto run = [](std::optional<Effect> effect) {
    OneWire w;
    w.wire.set_faults({.loss = 0.1, .duplicate = 0.1, .reorder = 0.5, .jitter = 5_ns});
    if (effect) w.wire.add_targeted_fault({.effect = *effect, .match = {}, .first = 500, .delay = 1_ms});
    w.send_many(1000);
    w.calendar.run_until();
    auto entries = w.sink.entries;
    std::erase_if(entries, [](const auto& entry) { return entry.serial == 500; });
    return entries;
  };
  for (const Effect effect : {Effect::hold, Effect::duplicate}) CHECK(run(effect) == run({}));
}

TEST_CASE(
    "Chance meets the same packets whether and whenever a fault is named beside it, and after a change of faults") {
  const WireFaults rare{
      .loss = 0.01, .burst_enter = 0.01, .burst_leave = 0.3, .duplicate = 0.02, .reorder = 0.02, .spike = 0.01};
  const auto run = [&](std::vector<std::uint64_t> named_after) {
    OneWire w;
    w.wire.set_faults(rare, sim::Time{}, at(10_us));
    w.wire.set_faults({.loss = 0.2, .jitter = 3_ns}, at(10_us), at(13_us));
    w.wire.set_faults({.loss = 0.05, .duplicate = 0.05}, at(16_us));
    for (std::uint64_t i = 1; i <= 4'000; ++i) {
      if (std::count(named_after.begin(), named_after.end(), i) > 0) {
        w.wire.add_targeted_fault({.match = {}, .first = 1'000'000});
      }
      w.wire.transmit(w.packet(i), sim::Time{});
    }
    w.calendar.run_until();
    return w.sink.entries;
  };
  const auto by_chance = run({});
  CHECK(by_chance.size() < 4'000);
  for (const std::uint64_t packet : {1, 2, 17, 700, 1'500, 2'222, 3'999}) CHECK(run({packet}) == by_chance);
  CHECK(run({3, 4, 1'000}) == by_chance);
}

}  // namespace wire_faults_test

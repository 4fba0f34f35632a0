#include "models/wire/wire.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "tests/models/wire/one_wire.hpp"
#include "tests/sim/random/chi_square.hpp"

namespace wire_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

// |observed - n p| within five standard deviations: once in two million runs by chance.
bool plausible(std::uint64_t observed, std::uint64_t n, double p) {
  const double mean = static_cast<double>(n) * p;
  return std::abs(static_cast<double>(observed) - mean) < 5 * std::sqrt(mean * (1 - p));
}

}  // namespace

TEST_CASE("A 64-byte frame arrives after 84 bytes at the wire's rate and the propagation") {
  OneWire w;
  CHECK(w.wire.transmit(w.packet(1), at(100_ns)) == at(106'720_ps));
  w.calendar.run_until();
  CHECK(w.sink.entries == std::vector<Collector::Entry>{{1, at(116'720_ps)}});
}

TEST_CASE("Packets sent back to back arrive one serialisation apart, after an idle gap at their own time") {
  OneWire w;
  w.wire.transmit(w.packet(1), at(0_ns));
  w.wire.transmit(w.packet(2), at(1_ns));
  w.wire.transmit(w.packet(3, 1500), at(2_ns));
  w.wire.transmit(w.packet(4), at(1_us));
  w.calendar.run_until();
  // 1500-byte frame: 1520 * 8 / 100e9 = 121.6 ns.
  CHECK(w.sink.entries == std::vector<Collector::Entry>{
                              {1, at(16'720_ps)}, {2, at(23'440_ps)}, {3, at(145'040_ps)}, {4, at(1'016'720_ps)}});
  CHECK(w.wire.bytes_sent() == 3 * 84 + 1520);
}

TEST_CASE("Independent loss has the frequency asked for") {
  for (const double p : {0.01, 0.3}) {
    OneWire w;
    w.wire.set_faults({.loss = p});
    w.send_many(100'000);
    w.calendar.run_until();
    CHECK(plausible(w.accounting.dropped(DropReason::loss), 100'000, p));
    CHECK(w.sink.entries.size() + w.accounting.dropped() == 100'000);
    CHECK(w.event_log.count(sim::Observed::message_dropped) == w.accounting.dropped());
  }
}

TEST_CASE("Packets that are not lost come between losses as often as independent losses have it") {
  constexpr double kLoss = 0.05;
  constexpr std::size_t kBins = 40;  // so many or more in the last
  OneWire w;
  w.wire.set_faults({.loss = kLoss});
  w.send_many(400'000);
  w.calendar.run_until();
  std::vector<std::uint64_t> runs(kBins + 1);
  std::uint64_t last_lost = 0, expected = 1;
  for (const std::uint64_t serial : w.sink.serials()) {
    for (; expected < serial; ++expected) {
      ++runs[std::min<std::size_t>(expected - last_lost - 1, kBins)];
      last_lost = expected;
    }
    ++expected;
  }
  std::vector<double> probability;
  for (std::size_t run = 0; run < kBins; ++run) probability.push_back(kLoss * std::pow(1 - kLoss, run));
  probability.push_back(std::pow(1 - kLoss, kBins));
  CHECK(tests::chi_square(runs, probability) < tests::chi_square_limit(kBins));
}

TEST_CASE(
    "One kind of chance says nothing of another: packets that are doubled are held and stalled as often as others") {
  struct Passages final : PacketObserver {
    void on_wire(const p4::Packet& packet, const WirePassage& passage) override {
      auto& fate = fates[packet.serial];
      fate[0] = fate[0] || passage.copy;
      if (!passage.copy) fate[1] = passage.held > 0_ns;
      fate[2] = passage.stalled > 0_ns;
    }
    void dropped(const p4::Packet&, sim::Source, sim::Time, DropReason) override {}
    void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
    void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
    void switch_written(const SwitchWrite&) override {}
    std::map<std::uint64_t, std::array<bool, 3>> fates;
  };
  constexpr double kDoubled = 0.3, kHeld = 0.2, kStalled = 0.1;
  OneWire w;
  Passages passages;
  w.context.add_packet_observer(passages);
  w.wire.set_faults({.duplicate = kDoubled, .reorder = kHeld, .spike = kStalled, .spike_delay = 1_ns});
  w.send_many(100'000);
  w.calendar.run_until();
  std::vector<std::uint64_t> seen(8);
  for (const auto& [serial, fate] : passages.fates) ++seen[fate[0] * 4U + fate[1] * 2U + fate[2] * 1U];
  std::vector<double> probability;
  for (const double doubled : {1 - kDoubled, kDoubled})
    for (const double held : {1 - kHeld, kHeld})
      for (const double stalled : {1 - kStalled, kStalled}) probability.push_back(doubled * held * stalled);
  CHECK(tests::chi_square(seen, probability) < tests::chi_square_limit(7));
}

TEST_CASE("Gilbert-Elliott loss has its stationary rate and its mean burst length") {
  OneWire w;
  w.wire.set_faults({.burst_enter = 0.01, .burst_leave = 0.25});
  const std::uint64_t n = 400'000;
  w.send_many(n);
  w.calendar.run_until();
  // Stationary: 0.01 / 0.26. The variance of the count is inflated by (1 + r) / (1 - r), r = 1 - 0.26.
  const double p = 0.01 / 0.26, mean = static_cast<double>(n) * p;
  const double sigma = std::sqrt(mean * (1 - p) * (2 - 0.26) / 0.26);
  const auto lost = static_cast<double>(w.accounting.dropped(DropReason::burst_loss));
  CHECK(std::abs(lost - mean) < 5 * sigma);
  const auto serials = w.sink.serials();
  std::uint64_t bursts = 0;
  for (std::size_t i = 1; i < serials.size(); ++i) bursts += serials[i] != serials[i - 1] + 1;
  CHECK(lost / static_cast<double>(bursts) == Approx(4.0).epsilon(0.05));
}

TEST_CASE("Duplicates arrive with their frequency, as separate packets, and are counted") {
  OneWire w;
  w.wire.set_faults({.duplicate = 0.1});
  w.send_many(100'000);
  w.calendar.run_until();
  CHECK(plausible(w.accounting.copied(), 100'000, 0.1));
  CHECK(w.sink.entries.size() == 100'000 + w.accounting.copied());
  const auto serials = w.sink.serials();
  CHECK(std::is_sorted(serials.begin(), serials.end()));
}

TEST_CASE("A packet that is held back is overtaken by later ones and nothing is lost") {
  OneWire w;
  w.wire.set_faults({.reorder = 0.1, .reorder_delay = 100_ns});
  w.send_many(10'000);
  w.calendar.run_until();
  auto serials = w.sink.serials();
  CHECK_FALSE(std::is_sorted(serials.begin(), serials.end()));
  // At most ceil(100 / 6.72) packets overtake one.
  for (std::size_t i = 0; i < serials.size(); ++i) CHECK(std::abs(double(serials[i]) - double(i + 1)) <= 16);
  std::sort(serials.begin(), serials.end());
  for (std::size_t i = 0; i < serials.size(); ++i) CHECK(serials[i] == i + 1);
}

TEST_CASE("Spikes and jitter delay packets and keep their order") {
  OneWire w;
  w.wire.set_faults({.spike = 0.01, .spike_delay = 1_us, .jitter = 50_ns});
  w.send_many(10'000);
  w.calendar.run_until();
  const auto serials = w.sink.serials();
  REQUIRE(serials.size() == 10'000);
  CHECK(std::is_sorted(serials.begin(), serials.end()));
  sim::Duration most;
  for (const auto& e : w.sink.entries) {
    const auto late = e.when - at(10_ns + 6'720_ps * static_cast<std::int64_t>(e.serial));
    CHECK(late >= sim::Duration{});
    most = std::max(most, late);
  }
  CHECK(most >= 1_us);
  CHECK(most <= 1'050_ns);
}

TEST_CASE("Packets keep their order when faults that delay them begin and end, or are healed") {
  // Each packet that is delayed is late by far more than the gap to the next, which is sent when the fault is over.
  const WireFaults stalling{.spike = 1, .spike_delay = 1_us}, jittering{.jitter = 1_us}, doubling{.duplicate = 1};
  for (const WireFaults& faults : {stalling, jittering, doubling}) {
    for (const bool healed : {false, true}) {
      OneWire w;
      w.wire.set_faults(faults, at(100_ns), healed ? sim::Time::max() : at(200_ns));
      if (healed) w.wire.heal(at(200_ns));
      w.wire.set_faults({.jitter = 10_ns}, at(700_ns), at(1500_ns));
      std::uint64_t sent = 0;
      for (sim::Duration when; when < 3_us; when += 7_ns) w.wire.transmit(w.packet(++sent), at(when));
      w.calendar.run_until();
      const auto serials = w.sink.serials();
      CHECK(serials.size() == sent + w.accounting.copied());
      CHECK(std::is_sorted(serials.begin(), serials.end()));
      // Nobody is late any more in the end.
      CHECK(w.sink.entries.back().when == at(2'996_ns + 16'720_ps));
    }
  }
}

TEST_CASE("Under random faults that come and go only packets that were held back alone are overtaken") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    OneWire w;
    sim::RandomStream random(seed, "faults");
    const auto instant = [&] { return at(1_ns * static_cast<std::int64_t>(random.below(20'000))); };
    for (int i = 0; i < 8; ++i) {
      WireFaults faults{.loss = 0.01 * static_cast<double>(random.below(3)), .duplicate = 0.1, .spike = 0.02};
      faults.spike_delay = 1_ns * static_cast<std::int64_t>(random.below(2000));
      faults.jitter = 1_ns * static_cast<std::int64_t>(random.below(500));
      const sim::Time from = instant();
      w.wire.set_faults(faults, from, from + 1_ns * static_cast<std::int64_t>(1 + random.below(3000)));
    }
    const std::uint64_t held = 1 + random.below(500);
    w.wire.add_targeted_fault(
        {.effect = Effect::hold, .match = {.header = "udp", .fields = {{"dst_port", held}}}, .delay = 3_us});
    for (std::uint64_t i = 1; i <= 1000; ++i) w.wire.transmit(w.packet(i), at(20_ns * static_cast<std::int64_t>(i)));
    w.calendar.run_until();
    auto serials = w.sink.serials();
    CHECK(serials.size() + w.accounting.dropped() == 1000 + w.accounting.copied());
    std::erase(serials, held);
    CHECK(std::is_sorted(serials.begin(), serials.end()));
  }
}

TEST_CASE("A wire that goes down loses what is on it and what starts until it is up again") {
  OneWire w;
  w.wire.transmit(w.packet(1), at(0_ns));    // arrives at 16.72
  w.wire.transmit(w.packet(2), at(45_ns));   // on the wire when it goes down
  w.wire.transmit(w.packet(3), at(60_ns));   // handed over before, starts during the outage
  w.wire.transmit(w.packet(4), at(100_ns));  // handed over before, starts after it
  w.calendar.run_until(at(50_ns));
  w.wire.set_up(false);
  CHECK(w.wire.in_flight() == 3);
  w.calendar.run_until(at(90_ns));
  w.wire.set_up(true);
  w.calendar.run_until();
  CHECK(w.sink.serials() == std::vector<std::uint64_t>{1, 4});
  CHECK(w.accounting.dropped(DropReason::wire_down) == 2);
  CHECK(w.wire.in_flight() == 0);
  CHECK(w.accounting.expected_in_flight() == 0);
}

TEST_CASE("A change of faults holds for what starts at its instant or later") {
  OneWire w;
  w.wire.set_faults({.loss = 1}, at(100_ns));
  w.wire.set_faults({}, at(200_ns));
  w.wire.transmit(w.packet(1), at(99_ns));
  w.wire.transmit(w.packet(2), at(150_ns));
  w.wire.transmit(w.packet(3), at(200_ns));
  w.calendar.run_until();
  CHECK(w.sink.serials() == std::vector<std::uint64_t>{1, 3});
}

TEST_CASE("A wire's faults depend on its seed and name alone") {
  const auto run = [](const char* name) {
    Hardware h;
    Collector sink(h);
    Wire wire(h.context, name, 100'000'000'000, 10_ns, sink, 0);
    wire.set_faults({.loss = 0.2, .burst_enter = 0.1, .burst_leave = 0.5, .duplicate = 0.1, .reorder = 0.1});
    for (std::uint64_t i = 1; i <= 1000; ++i) wire.transmit(h.packet(i), sim::Time{});
    h.calendar.run_until();
    return sink.entries;
  };
  CHECK(run("a-b") == run("a-b"));
  CHECK(run("a-b") != run("a-c"));
}

TEST_CASE("A wire without rate is refused") {
  Hardware h;
  Collector sink(h);
  CHECK_THROWS_WITH(Wire(h.context, "a-b", 0, 10_ns, sink, 0), "wire a-b: a rate of 0");
}

}  // namespace wire_test

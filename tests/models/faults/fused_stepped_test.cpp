// Whatever goes wrong, fused and stepped passes show the same events, and every packet is accounted for; and whoever
// looks at the settled switch at any instant sees the same.
#include <catch2/catch.hpp>
#include <random>

#include "models/faults/fault_menu.hpp"
#include "models/switch/control_cpu.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace faults_fused_stepped_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

struct Outcome {
  std::string hash;
  std::uint64_t faults_begun = 0, faults_ended = 0;
  std::vector<std::string> seen;  // by whoever looked while packets were in the switch
  bool operator==(const Outcome&) const = default;
};

/// Everything of the switch that can be looked at while it works.
std::string look_at(FaultyRack& t) {
  SwitchChassis& chassis = t.rack.chassis();
  chassis.settle();
  std::string seen = t.event_log.hash().hex();
  const auto add = [&](std::uint64_t number) { seen += " " + std::to_string(number); };
  for (const std::uint64_t number : {chassis.packets_held(), chassis.packets_circulating(), t.rack.packets_in_flight(),
                                     t.rack.accounting().absorbed(), t.rack.accounting().dropped()}) {
    add(number);
  }
  for (const auto& balance : {chassis.buffer_balance(), chassis.queue_balance()}) {
    CHECK(balance.in_use == balance.of_packets);
    add(balance.in_use);
  }
  for (const char* name :
       {"switch.packets_out", "switch.ingress_passes", "switch.resubmits", "switch.recirculations"}) {
    add(t.counter(name));
  }
  for (unsigned pipe = 0; pipe < chassis.pipes(); ++pipe) add(chassis.pipeline(pipe).registers().read(0, 1));
  CHECK(t.rack.packets_in_flight() == static_cast<std::uint64_t>(t.rack.accounting().expected_in_flight()));
  return seen;
}

constexpr auto kFaultsUntil = 60_us, kHeal = 70_us;

/// Random traffic of all sorts through the exercise program, with control-plane accesses; the same for a seed whatever
/// the faults.
Outcome run(PassMode mode, bool egress_counts, std::uint64_t seed, const std::vector<std::string>& kinds,
            sim::Duration looks_every = 733_ns) {
  RackOptions options = TestRack::small();
  options.network_switch.passes = mode;
  options.network_switch.ports_per_pipe = 4;
  options.network_switch.buffer_cells = 60;
  FaultyRack t(options, seed);
  t.rack.install_program(
      exercise_program(egress_counts, static_cast<std::uint16_t>(t.rack.chassis().recirculation_port(1))));
  t.rack.chassis().replication().set_group(1, {{5, {1, 2}}, {6, {6}}});
  sim::RandomStream menu(seed, "faults");
  for (auto& drawn : draw_faults(menu, {options.nodes, kFaultsUntil}, kinds)) {
    t.schedule.add(drawn.kind, drawn.fault);
  }
  struct Traffic {
    FaultyRack& t;
    std::mt19937_64 random;
    void burst(NodeId from) {
      constexpr std::uint16_t kKinds[] = {9, kCounted, kResubmitted, kMulticast, kRecirculated};
      for (int i = 0; i < 3; ++i) {
        t.send(from, static_cast<NodeId>(random() % 8), random(), kKinds[random() % 5],
               64 + static_cast<std::uint32_t>(random() % 1400));
      }
    }
    void control(std::uint64_t value) {
      t.rack.control_cpu().write(value % 2, array_of(t.rack, "COUNT"), 1, value);
      t.rack.control_cpu().read(0, array_of(t.rack, "COUNT"), 1, [this](std::uint64_t read) {
        t.event_log.record(sim::Observed::final_state, source, t.calendar.now(), 0, read);
      });
    }
    void heal() { t.schedule.heal(); }
    sim::Source source = t.event_log.add_source("reads");
  } traffic{t, std::mt19937_64(seed)};
  std::mt19937_64 random(seed + 1);
  const auto instant = [&] { return at(sim::Duration::from_ps(static_cast<std::int64_t>(random() % 80'000'000))); };
  for (int i = 0; i < 1000; ++i) {
    t.calendar.at<&Traffic::burst>(instant(), t.lane, traffic, static_cast<NodeId>(random() % 8));
    if (i % 20 == 0) t.calendar.at<&Traffic::control>(instant(), t.lane, traffic, random() % 1000);
  }
  t.calendar.at<&Traffic::heal>(at(kHeal), t.lane, traffic);
  t.schedule.start();
  std::vector<std::string> seen;
  for (sim::Duration when; when < 100_us; when += looks_every) {
    t.calendar.run_until(at(when));
    seen.push_back(look_at(t));
  }
  t.calendar.run_until();
  CHECK(t.rack.packets_in_flight() == 0);
  CHECK(t.rack.accounting().expected_in_flight() == 0);
  CHECK(t.rack.control_cpu().outstanding() == 0);
  return {t.event_log.hash().hex(), t.event_log.count(sim::Observed::fault_begun),
          t.event_log.count(sim::Observed::fault_ended), seen};
}

}  // namespace

TEST_CASE("Fused and stepped passes have equal run hashes under faults of every kind") {
  for (const FaultEntry& kind : faults()) {
    for (const bool egress_counts : {false, true}) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        INFO(kind.name << ", seed " << seed << (egress_counts ? ", registers in egress" : ""));
        const Outcome fused = run(PassMode::fused, egress_counts, seed, {kind.name});
        CHECK(fused.faults_begun >= 1);
        CHECK(fused == run(PassMode::stepped, egress_counts, seed, {kind.name}));
        CHECK(fused == run(PassMode::fused, egress_counts, seed, {kind.name}));
      }
    }
  }
}

TEST_CASE("Fused and stepped passes have equal run hashes under mixed faults") {
  std::vector<std::string> kinds;
  for (const FaultEntry& kind : faults()) kinds.push_back(kind.name);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    CHECK(run(PassMode::fused, seed % 2 == 0, seed, kinds) == run(PassMode::stepped, seed % 2 == 0, seed, kinds));
  }
}

TEST_CASE("Looking at the switch changes nothing that comes after, however often it is done") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const PassMode mode : {PassMode::fused, PassMode::stepped}) {
      INFO("seed " << seed);
      const std::vector<std::string> kinds{"noise", "switch-restart", "control-delay"};
      const Outcome often = run(mode, seed % 2 == 0, seed, kinds, 41_ns),
                    never = run(mode, seed % 2 == 0, seed, kinds, 1_ms);
      CHECK(often.hash == never.hash);
      CHECK(often.seen.size() > 2000);
      CHECK(never.seen.size() == 1);
    }
  }
}

}  // namespace faults_fused_stepped_test

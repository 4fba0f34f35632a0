// Cuts of a pipe's recirculation port and of a pipe with all its ports, and resubmitted packets that lose their order.
#include <algorithm>
#include <catch2/catch.hpp>

#include "models/switch/switch_chassis.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace switch_cuts_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

/// Eight nodes behind one pipe, or four behind each of two.
RackOptions with_pipes(unsigned pipes) {
  RackOptions options = TestRack::small();
  options.network_switch.ports = 8;
  options.network_switch.ports_per_pipe = 8 / pipes;
  return options;
}

struct Programmed : FaultyRack {
  explicit Programmed(unsigned pipes, std::uint64_t seed = 1) : FaultyRack(with_pipes(pipes), seed) {
    rack.install_program(exercise_program(false, static_cast<std::uint16_t>(rack.chassis().recirculation_port(0))));
  }
  /// All that a test sends so is of one kind.
  void send_kind_at(sim::Duration when, std::uint64_t what, std::uint16_t kind) {
    kind_ = kind;
    calendar.at<&Programmed::send_now>(at(when), lane, *this, what);
  }
  void send_now(std::uint64_t what) { send(0, 1, what, kind_); }
  std::uint16_t kind_ = 0;
};

}  // namespace

TEST_CASE("While its recirculation port is cut a pipe loses what goes round, and forwards all else") {
  Programmed t(1);
  t.add("recirculation-down", {{"from", 10_us}, {"until", 20_us}});
  t.schedule.start();
  // A packet enters the switch about 300 ns after it was posted, and its first round ends about 550 ns later: the one
  // of 9.7 us is on its way round when the port is cut.
  for (const auto when : {1_us, 9700_ns, 15_us, 21_us}) {
    t.send_kind_at(when, static_cast<std::uint64_t>(when.ps() / 1'000'000), kRecirculated);
  }
  t.send_at(16_us, 0, 1, 16);
  t.calendar.run_until();
  CHECK(t.got(1) == std::vector<std::uint64_t>{1, 16, 21});
  CHECK(t.rack.accounting().dropped(DropReason::wire_down) == 2);
  CHECK(t.rack.accounting().expected_in_flight() == 0);
  CHECK(t.rack.packets_in_flight() == 0);
}

TEST_CASE("A pipe that is cut loses what comes or goes by its ports, another pipe works on, and state outlasts it") {
  Programmed t(2);
  t.add("pipe-down", {{"from", 10_us}, {"until", 20_us}, {"pipe", std::uint64_t{0}}});
  t.schedule.start();
  t.send_kind_at(1_us, 1, kCounted);
  t.send_kind_at(21_us, 21, kCounted);
  t.send_at(15_us, 0, 5, 2);  // comes by the cut pipe
  t.send_at(15_us, 5, 0, 3);  // goes by it
  t.send_at(15_us, 5, 6, 4);  // does neither
  t.calendar.run_until();
  CHECK(t.got(1) == std::vector<std::uint64_t>{1, 21});
  CHECK(t.got(0).empty());
  CHECK(t.got(5).empty());
  CHECK(t.got(6) == std::vector<std::uint64_t>{4});
  CHECK(t.hosts[1]->seen.back().identification == 2);  // the count goes on
  CHECK(t.rack.accounting().dropped(DropReason::switch_off) == 1);
  CHECK(t.rack.accounting().dropped(DropReason::wire_down) == 1);
  CHECK(t.rack.packets_in_flight() == 0);
}

TEST_CASE("Two cuts of one pipe last until both are over, and a pipe that is not there is refused") {
  Programmed t(1);
  t.add("recirculation-down", {{"from", 10_us}, {"until", 20_us}});
  t.add("pipe-down", {{"from", 12_us}, {"until", 30_us}});
  t.schedule.start();
  t.send_at(25_us, 0, 1, 1);
  t.send_kind_at(31_us, 2, kRecirculated);
  t.calendar.run_until();
  CHECK(t.got(1) == std::vector<std::uint64_t>{2});
  Programmed u(1);
  CHECK_THROWS_WITH(u.add("pipe-down", {{"pipe", std::uint64_t{1}}}),
                    Catch::Contains("a pipe of the switch, which has 1"));
}

TEST_CASE("Resubmitted packets keep their order, lose it while they are shuffled, and none of them is lost") {
  constexpr std::uint64_t kPackets = 60;
  const auto order_of = [](const Options* shuffled, std::uint64_t seed) {
    Programmed t(1, seed);
    if (shuffled != nullptr) t.add("shuffled-resubmits", *shuffled);
    t.schedule.start();
    for (std::uint64_t i = 0; i < kPackets; ++i)
      t.send_kind_at(1_us + 50_ns * static_cast<std::int64_t>(i), i, kResubmitted);
    t.calendar.run_until();
    CHECK(t.rack.accounting().expected_in_flight() == 0);
    CHECK(t.rack.packets_in_flight() == 0);
    for (const auto& seen : t.hosts[1]->seen) CHECK(seen.identification == 77);  // what the first pass gave the second
    return t.got(1);
  };
  CHECK(order_of(nullptr, 1) == numbers(0, kPackets));
  const Options always{{"most", 1_us}};
  const auto shuffled = order_of(&always, 1);
  CHECK(shuffled != numbers(0, kPackets));
  CHECK(std::is_permutation(shuffled.begin(), shuffled.end(), numbers(0, kPackets).begin()));
  CHECK(shuffled == order_of(&always, 1));
  CHECK(shuffled != order_of(&always, 2));
  // Not before the fault has begun, nor when it is over.
  const Options later{{"from", 20_us}}, for_a_while{{"until", 2_us}, {"most", 100_ns}};
  CHECK(order_of(&later, 1) == numbers(0, kPackets));
  const auto first = order_of(&for_a_while, 1);
  CHECK(std::is_sorted(first.begin() + kPackets / 2, first.end()));
  CHECK_FALSE(std::is_sorted(first.begin(), first.end()));
}

TEST_CASE(
    "A resubmitted packet that waits for its pass while the switch restarts is lost, and one that waits is late") {
  Programmed t(1);
  t.add("shuffled-resubmits", {{"most", 10_ms}});
  t.add("switch-restart", {{"from", 20_us}, {"dead_time", 100_us}});
  t.schedule.start();
  for (std::uint64_t i = 0; i < 30; ++i) t.send_kind_at(1_us + 100_ns * static_cast<std::int64_t>(i), i, kResubmitted);
  t.calendar.run_until();
  CHECK(t.rack.accounting().dropped(DropReason::switch_off) >= 25);  // 10 us of 10 ms are over
  CHECK(t.got(1).size() + t.rack.accounting().dropped(DropReason::switch_off) == 30);
  CHECK(t.event_log.count(sim::Observed::disturbance) >= 30);
  CHECK(t.rack.packets_in_flight() == 0);
}

TEST_CASE("A cut shows the same in fused and stepped passes, and when idle passes are computed") {
  const auto hash_of = [](PassMode passes, bool skip) {
    RackOptions options = with_pipes(1);
    options.network_switch.passes = passes;
    options.network_switch.skip_idle_passes = skip;
    FaultyRack t(options);
    t.rack.install_program(exercise_program(false, static_cast<std::uint16_t>(t.rack.chassis().recirculation_port(0))));
    t.add("recirculation-down", {{"from", 3_us}, {"until", 5_us}});
    t.schedule.start();
    for (std::uint64_t i = 0; i < 8; ++i) t.send(0, 1, i, i % 2 == 0 ? kRecirculated : kCounted);
    t.calendar.run_until();
    t.rack.chassis().settle();
    return t.event_log.hash();
  };
  const auto fused = hash_of(PassMode::fused, false);
  CHECK(fused == hash_of(PassMode::stepped, false));
  CHECK(fused == hash_of(PassMode::fused, true));
}

}  // namespace switch_cuts_test

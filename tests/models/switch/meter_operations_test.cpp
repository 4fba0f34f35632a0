// What the control CPU does with meters and counters: it sets rates, reads and clears, at the cost of its operations.
#include <catch2/catch.hpp>

#include "models/switch/control_cpu.hpp"
#include "tests/models/rack_fixture.hpp"

namespace meter_operations_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using Catch::Contains;

namespace {

/// Forwards plainly; a meter by the port by which a packet comes writes its colour into the identification, a counter
/// of 300 entries counts by port, and a direct one by the sender's address.
std::shared_ptr<const p4::Program> metered_program() {
  using namespace p4;
  auto program = std::make_shared<Program>("metered", "meters and counts what it forwards");
  auto& p = *program;
  append_forwarding_parser(p, Gress::ingress);
  const auto port = p.intrinsics().ingress_port;
  auto& senders = p.table("senders").key(p.header_field(&Ipv4::src)).size(64);
  senders.action(p.action("from").direct_count(p.direct_counter("BY_SENDER", CounterUnit::packets, senders)));
  auto& mark = p.action("mark").count(p.counter("BY_PORT", CounterUnit::packets_and_bytes, 300), port);
  mark.meter(p.meter("POLICE", MeterUnit::bytes, 300), port, p.header_field(&Ipv4::identification));
  p.ingress().apply(mark);
  p.ingress().apply(senders);
  append_forwarding(p, p.ingress());
  return program;
}

struct Metered : TestRack {
  Metered() {
    rack.install_program(metered_program());
    const auto& program = rack.chassis().pipeline(0).program();
    police = &program.meters()[0];
    by_sender = &program.counters()[0];
    by_port = &program.counters()[1];
  }
  ControlCpu& cpu = rack.control_cpu();
  const p4::Meter* police = nullptr;
  const p4::Counter* by_sender = nullptr;
  const p4::Counter* by_port = nullptr;
  sim::Duration there_and_back() { return 900_ns * 2 + rack.chassis().ingress_latency(); }
};

constexpr p4::MeterRates kTwoFrames{.committed = 1, .peak = 1, .committed_burst = 128, .peak_burst = 192};

}  // namespace

TEST_CASE("Rates that the control CPU sets hold for passes in later slots, at the cost of one operation") {
  Metered t;
  std::vector<sim::Time> done;
  t.cpu.set_meter(0, t.police, 0, kTwoFrames, [&](std::uint64_t result) {
    CHECK(result == 1);
    done.push_back(t.calendar.now());
  });
  t.send(0, 1, 1);  // is there before
  t.calendar.run_until();
  for (std::uint64_t i = 2; i < 6; ++i) t.send(0, 1, i);
  t.calendar.run_until();
  std::vector<std::uint64_t> colours;
  for (const auto& seen : t.hosts[1]->seen) colours.push_back(seen.identification);
  CHECK(colours == std::vector<std::uint64_t>{0, 0, 0, 1, 3});
  CHECK(done == std::vector<sim::Time>{at(t.there_and_back())});
  CHECK(t.counter("switch.control_slots") == 1);
}

TEST_CASE("Buckets begin to fill with the slot in which the rates were set, as passes see the time") {
  Metered t;
  // A frame's worth of tokens in 40 ns, and room for no more.
  t.cpu.set_meter(0, t.police, 0,
                  {.committed = 1'600'000'000, .peak = 1'600'000'000, .committed_burst = 64, .peak_burst = 64});
  // The operation has its slot at 900 ns; packets are at the switch 301.72 ns after they are sent.
  for (const auto when : {610_ns, 655_ns}) {
    t.calendar.run_until(at(when));
    t.send(0, 1, 1);
  }
  t.calendar.run_until();
  CHECK(t.hosts[1]->seen.at(0).identification == 0);
  CHECK(t.hosts[1]->seen.at(1).identification == 0);
}

TEST_CASE("A counter's entry is read whole in one operation, and cleared alone or with all others by a block write") {
  Metered t;
  for (std::uint64_t i = 0; i < 3; ++i) t.send(0, 1, i);
  t.send(2, 1, 9);
  t.calendar.run_until();
  const auto begin = t.calendar.now();
  std::vector<p4::CounterValue> values;
  std::vector<sim::Time> done;
  const auto note = [&](p4::CounterValue value) {
    values.push_back(value);
    done.push_back(t.calendar.now());
  };
  t.cpu.read_counter(0, t.by_port, 0, note);
  t.cpu.clear_counter(0, t.by_port, 0);
  t.cpu.read_counter(0, t.by_port, 0, note);
  t.cpu.read_counter(0, t.by_port, 2, note);
  t.cpu.clear(0, t.by_port);
  t.cpu.read_counter(0, t.by_port, 2, note);
  t.calendar.run_until();
  using Values = std::vector<p4::CounterValue>;
  CHECK(values == Values{{.packets = 3, .bytes = 192}, {}, {.packets = 1, .bytes = 64}, {}});
  // Operations follow each other a microsecond apart; the words of 300 entries of 128 bits take 1,219.05 ns of PCIe.
  const auto block = sim::Duration::from_ps(1'219'048);
  const auto answers = [&](sim::Duration later) { return begin + later + t.there_and_back(); };
  CHECK(done == std::vector<sim::Time>{answers(0_us), answers(2_us), answers(3_us), answers(5_us + block)});
  CHECK(t.counter("switch.control_slots") == 6);
}

TEST_CASE("A direct counter is named by the key of its entry; without the entry there is nothing to read or to set") {
  Metered t;
  const auto* senders = table_of(t.rack, "senders");
  const auto key = [](NodeId node) { return std::vector<p4::KeyMatch>{ipv4_of(node)}; };
  t.cpu.set_entry(0, senders, key(0), action_of(t.rack, "from"), {});
  t.calendar.run_until();
  for (std::uint64_t i = 0; i < 3; ++i) t.send(0, 1, i);
  t.send(2, 1, 9);
  t.calendar.run_until();
  std::vector<std::uint64_t> packets;
  const auto note = [&](p4::CounterValue value) { packets.push_back(value.packets); };
  std::vector<std::uint64_t> cleared;
  const auto result = [&](std::uint64_t value) { cleared.push_back(value); };
  t.cpu.read_counter(0, t.by_sender, key(0), note);
  t.cpu.read_counter(0, t.by_sender, key(2), note);
  t.cpu.clear_counter(0, t.by_sender, key(0), result);
  t.cpu.clear_counter(0, t.by_sender, key(2), result);
  t.cpu.read_counter(0, t.by_sender, key(0), note);
  t.calendar.run_until();
  CHECK(packets == std::vector<std::uint64_t>{3, 0, 0});
  CHECK(cleared == std::vector<std::uint64_t>{1, 0});
}

TEST_CASE("Operations on meters and counters that make no sense are refused at once") {
  Metered t;
  const p4::Meter other;
  CHECK_THROWS_AS(t.cpu.set_meter(0, &other, 0, kTwoFrames), WrongProgram);
  CHECK_THROWS_AS(t.cpu.read_counter(0, nullptr, 0, {}), WrongProgram);
  CHECK_THROWS_WITH(t.cpu.set_meter(0, t.police, 300, kTwoFrames), Contains("outside its 300 entries"));
  CHECK_THROWS_WITH(t.cpu.set_meter(0, t.police, 0, {}), Contains("burst of 0"));
  CHECK_THROWS_WITH(t.cpu.read_counter(0, t.by_port, 300, {}), Contains("outside its 300 entries"));
  CHECK_THROWS_WITH(t.cpu.read_counter(0, t.by_sender, 0, {}), Contains("a key says which"));
  CHECK_THROWS_WITH(t.cpu.clear_counter(0, t.by_port, std::vector<p4::KeyMatch>{1}), Contains("an index says which"));
  CHECK(t.cpu.outstanding() == 0);
}

TEST_CASE("Metered passes leave the same event log fused and stepped") {
  const auto hash_of = [](PassMode passes) {
    auto options = TestRack::small();
    options.network_switch.passes = passes;
    struct Rack final : TestRack {
      explicit Rack(const RackOptions& o) : TestRack(o) { rack.install_program(metered_program()); }
    } t(options);
    const auto& program = t.rack.chassis().pipeline(0).program();
    t.rack.control_cpu().set_meter(0, &program.meters()[0], 0, kTwoFrames);
    t.calendar.run_until(at(2_us));
    for (std::uint64_t i = 0; i < 5; ++i) t.send(0, 1, i);
    t.rack.control_cpu().clear(0, &program.counters()[1]);
    for (std::uint64_t i = 0; i < 5; ++i) t.send(2, 1, i);
    t.calendar.run_until();
    return t.event_log.hash();
  };
  CHECK(hash_of(PassMode::fused) == hash_of(PassMode::stepped));
}

}  // namespace meter_operations_test

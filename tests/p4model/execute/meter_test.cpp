// Meters and counters (RFC 2698): colours against the definition, what passes and the control plane do to them.
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <tuple>

#include "p4model/execute/pipeline.hpp"
#include "p4model/language/headers.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace meter_test {

using namespace racksim;
using namespace racksim::p4;
using Catch::Contains;

namespace {

constexpr std::uint64_t kGreen = 0, kYellow = 1, kRed = 3;

sim::Time at_ns(std::int64_t ns) {
  return sim::Time::from_ps(ns * 1000);
}

/// The marker as RFC 2698 defines it, with levels in 10^-12 of a token and nothing else.
struct Definition {
  __extension__ using Level = __int128;
  static constexpr Level kToken = 1'000'000'000'000;
  explicit Definition(const MeterRates& r) : rates(r), c(r.committed_burst * kToken), p(r.peak_burst * kToken) {}

  Colour mark(std::int64_t ps, std::uint64_t bytes, Colour before) {
    c = std::min<Level>(c + Level{rates.committed} * (ps - last), rates.committed_burst * kToken);
    p = std::min<Level>(p + Level{rates.peak} * (ps - last), rates.peak_burst * kToken);
    last = ps;
    const Level b = bytes * kToken;
    if (before == Colour::red || p - b < 0) return Colour::red;
    p -= b;
    if (before == Colour::yellow || c - b < 0) return Colour::yellow;
    c -= b;
    return Colour::green;
  }

  MeterRates rates;
  Level c, p;
  std::int64_t last = 0;
};

/// Ethernet and IPv4; the DSCP is an index, the time to live becomes the colour, and the ECN the pre-colour.
struct Metering {
  explicit Metering(MeterUnit unit, bool aware = false, CounterUnit counts = CounterUnit::packets_and_bytes) {
    p.parser_state<Ethernet>(Gress::ingress, "ethernet").then("ipv4");
    p.parser_state<Ipv4>(Gress::ingress, "ipv4");
    dscp = p.header_field(&Ipv4::dscp);
    meter = &p.meter("POLICE", unit, 64);
    counter = &p.counter("SEEN", counts, 64);
    auto& mark = p.action("mark").count(*counter, dscp).set(p.intrinsics().ucast_egress_port, 1);
    mark.meter(*meter, dscp, p.header_field(&Ipv4::ttl),
               aware ? std::optional(p.header_field(&Ipv4::ecn)) : std::nullopt);
    p.ingress().apply(mark);
    pipeline.emplace(program);
  }
  std::uint64_t colour(sim::Time begin, std::uint64_t index, std::uint32_t frame, std::uint64_t before = 0) {
    auto packet = pool.make();
    packet->push(Ethernet{});
    packet->push(Ipv4{.dscp = index, .ecn = before, .ttl = 77});
    packet->payload_bytes = frame - kFcsBytes - packet->header_bytes();
    pipeline->run_ingress(*packet, {.begin = begin});
    return packet->get<Ipv4>().ttl;
  }
  std::shared_ptr<Program> program = std::make_shared<Program>("metering");
  Program& p = *program;
  FieldRef dscp;
  Meter* meter;
  Counter* counter;
  PacketPool pool;
  std::optional<Pipeline> pipeline;
};

}  // namespace

TEST_CASE("a meter colours as RFC 2698 defines it, blind and aware, to the picosecond") {
  const MeterRates rates{.committed = 123'456'789, .peak = 987'654'321, .committed_burst = 3001, .peak_burst = 4999};
  MeterMemory memory("M", 4);
  memory.set(2, rates, sim::Time{});
  Definition definition(rates);
  testing::RandomNumbers random(17);
  std::int64_t ps = 0;
  std::map<Colour, int> seen;
  for (int i = 0; i < 20'000; ++i) {
    ps += static_cast<std::int64_t>(random.below(i % 100 == 0 ? 50'000'000 : 900'000));
    const std::uint64_t bytes = 64 + random.below(1455);
    const auto before = i < 10'000 ? Colour::green : colour_of(random.below(4));
    const auto expected = definition.mark(ps, bytes, before);
    ++seen[expected];
    REQUIRE(memory.execute(2, bytes, before, sim::Time::from_ps(ps)) == expected);
  }
  for (const auto colour : {Colour::green, Colour::yellow, Colour::red}) CHECK(seen[colour] > 1000);
}

TEST_CASE("under overload what is green keeps the committed rate and burst, and what is not red the peak's") {
  const MeterRates rates{
      .committed = 50'000'000, .peak = 80'000'000, .committed_burst = 1000, .peak_burst = 2000};  // 50 and 80 a us
  MeterMemory memory("M", 1);
  memory.set(0, rates, sim::Time{});
  std::uint64_t green = 0, passed = 0;
  constexpr std::int64_t kPackets = 10'000;
  for (std::int64_t i = 0; i < kPackets; ++i) {  // 100 bytes a us
    const auto colour = memory.execute(0, 100, Colour::green, at_ns(1000 * i));
    green += colour == Colour::green ? 100 : 0;
    passed += colour != Colour::red ? 100 : 0;
  }
  const std::uint64_t us = kPackets - 1;
  CHECK(green <= 1000 + 50 * us);
  CHECK(green > 1000 + 50 * us - 100);
  CHECK(passed <= 2000 + 80 * us);
  CHECK(passed > 2000 + 80 * us - 100);
}

TEST_CASE("a token is there the picosecond it is whole, and not one before") {
  MeterMemory memory("M", 1);
  const MeterRates rates{
      .committed = 3, .peak = 3, .committed_burst = 1, .peak_burst = 1};  // one in 333,333,333,333.3 ps
  memory.set(0, rates, sim::Time{});
  CHECK(memory.execute(0, 1, Colour::green, sim::Time{}) == Colour::green);
  CHECK(memory.execute(0, 1, Colour::green, sim::Time::from_ps(333'333'333'333)) == Colour::red);
  CHECK(memory.execute(0, 1, Colour::green, sim::Time::from_ps(333'333'333'334)) == Colour::green);
}

TEST_CASE("an entry that is not set is green to all, and rates that RFC 2698 rules out are refused") {
  MeterMemory memory("M", 1);
  for (int i = 0; i < 100; ++i) CHECK(memory.execute(0, 9000, Colour::green, sim::Time{}) == Colour::green);
  CHECK(memory.execute(0, 64, Colour::yellow, sim::Time{}) == Colour::yellow);
  const auto set = [&](std::uint64_t index, const MeterRates& rates) { memory.set(index, rates, sim::Time{}); };
  CHECK_THROWS_WITH(set(0, {.committed = 2, .peak = 1, .committed_burst = 1, .peak_burst = 1}), Contains("peak rate"));
  CHECK_THROWS_WITH(set(0, {.committed = 1, .peak = 1, .committed_burst = 0, .peak_burst = 1}), Contains("burst"));
  CHECK_THROWS_WITH(set(1, {.committed = 1, .peak = 1, .committed_burst = 1, .peak_burst = 1}),
                    Contains("index 1 is outside its 1 entries"));
  memory.set(0, {.committed = 1, .peak = 1, .committed_burst = 1, .peak_burst = 1}, sim::Time{});
  CHECK(memory.execute(0, 64, Colour::green, sim::Time{}) == Colour::red);
  memory.reset(0);
  CHECK(memory.execute(0, 64, Colour::green, sim::Time{}) == Colour::green);
}

TEST_CASE("a pass spends frame bytes, or one packet, of the entry at its index, by the time when it begins") {
  for (const auto unit : {MeterUnit::bytes, MeterUnit::packets}) {
    Metering t(unit);
    const std::uint64_t one = unit == MeterUnit::bytes ? 100 : 1;
    // Two packets green, a third yellow; a packet's worth of committed tokens a us.
    t.pipeline->set_meter(
        *t.meter, 5,
        {.committed = one * 1'000'000, .peak = one * 1'000'000, .committed_burst = 2 * one, .peak_burst = 3 * one},
        sim::Time{});
    CHECK(t.colour(at_ns(0), 5, 100) == kGreen);
    CHECK(t.colour(at_ns(0), 5, 100) == kGreen);
    CHECK(t.colour(at_ns(0), 5, 100) == kYellow);
    CHECK(t.colour(at_ns(0), 5, 100) == kRed);
    CHECK(t.colour(at_ns(0), 6, 100) == kGreen);  // another entry, which nobody has set
    CHECK(t.colour(at_ns(1000), 5, 100) == kGreen);
    // Without bytes a larger frame is the same to it.
    CHECK(t.colour(at_ns(2000), 5, 101) == (unit == MeterUnit::bytes ? kRed : kGreen));
  }
}

TEST_CASE("a colour-aware meter makes no packet better than it comes, and a blind one looks at the buckets alone") {
  const MeterRates plenty{.committed = 1, .peak = 1, .committed_burst = 10'000, .peak_burst = 10'000};
  Metering aware(MeterUnit::bytes, true), blind(MeterUnit::bytes);
  for (auto* t : {&aware, &blind}) t->pipeline->set_meter(*t->meter, 0, plenty, sim::Time{});
  for (const auto before : {kGreen, kYellow, kRed}) {
    CHECK(aware.colour(at_ns(0), 0, 100, before) == before);
    CHECK(blind.colour(at_ns(0), 0, 100, before) == kGreen);
  }
}

TEST_CASE("a counter counts packets, bytes or both, and the control plane reads and sets its entries") {
  for (const auto unit : {CounterUnit::packets, CounterUnit::bytes, CounterUnit::packets_and_bytes}) {
    Metering t(MeterUnit::bytes, false, unit);
    t.colour({}, 3, 100);
    t.colour({}, 3, 1500);
    t.colour({}, 4, 64);
    const auto packets = [&](std::uint64_t n) { return unit == CounterUnit::bytes ? 0 : n; };
    const auto bytes = [&](std::uint64_t n) { return unit == CounterUnit::packets ? 0 : n; };
    CHECK(t.pipeline->counter(*t.counter, 3) == CounterValue{.packets = packets(2), .bytes = bytes(1600)});
    CHECK(t.pipeline->counter(*t.counter, 4) == CounterValue{.packets = packets(1), .bytes = bytes(64)});
    t.pipeline->set_counter(*t.counter, 3, {});
    CHECK(t.pipeline->counter(*t.counter, 3) == CounterValue{});
    CHECK_THROWS_WITH(t.pipeline->counter(*t.counter, 64), Contains("'SEEN'") && Contains("64"));
  }
}

TEST_CASE("direct meters and counters belong to the entry that is hit, and a new entry begins anew") {
  const bool in_tcam = GENERATE(false, true);
  auto program = std::make_shared<Program>("direct");
  auto& p = *program;
  p.parser_state<Ethernet>(Gress::ingress, "ethernet");
  auto& table = p.table("hosts").key(p.header_field(&Ethernet::dst), in_tcam ? MatchKind::ternary : MatchKind::exact);
  auto& police = p.direct_meter("POLICE", MeterUnit::packets, table);
  auto& seen = p.direct_counter("SEEN", CounterUnit::packets, table);
  auto& act = p.action("act").direct_meter(police, p.header_field(&Ethernet::ether_type)).direct_count(seen);
  act.set(p.intrinsics().ucast_egress_port, 1);
  table.action(act).size(16);
  p.ingress().apply(table);
  Pipeline pipeline(program);
  PacketPool pool;
  const auto colour = [&](std::uint64_t to) {
    auto packet = pool.make();
    packet->push(Ethernet{.dst = to, .ether_type = 9});
    pipeline.run_ingress(*packet, {});
    return packet->get<Ethernet>().ether_type;
  };
  const auto key = [](std::uint64_t to) { return std::vector<KeyMatch>{to}; };
  for (const std::uint64_t to : {7, 8, 9}) pipeline.add_entry(table, key(to), act);
  const auto of_8 = pipeline.entry_number(table, key(8));
  REQUIRE(of_8);
  CHECK(!pipeline.entry_number(table, key(5)));
  pipeline.set_meter(police, *of_8, {.committed = 1, .peak = 1, .committed_burst = 1, .peak_burst = 2}, sim::Time{});
  CHECK(colour(8) == kGreen);
  CHECK(colour(8) == kYellow);
  CHECK(colour(8) == kRed);
  CHECK(colour(7) == kGreen);
  CHECK(colour(5) == 9);  // a miss meters nothing
  CHECK(pipeline.counter(seen, *of_8).packets == 3);
  CHECK(pipeline.counter(seen, *pipeline.entry_number(table, key(7))).packets == 1);
  pipeline.modify_entry(table, key(8), act);
  CHECK(pipeline.counter(seen, *of_8).packets == 3);
  pipeline.remove_entry(table, key(8));
  pipeline.add_entry(table, key(10), act);
  REQUIRE(pipeline.entry_number(table, key(10)) == of_8);
  CHECK(pipeline.counter(seen, *of_8).packets == 0);
  CHECK(colour(10) == kGreen);
  CHECK(colour(10) == kGreen);
}

TEST_CASE("with a meter or a counter a pass depends on those before it") {
  Metering t(MeterUnit::bytes);
  CHECK(!t.pipeline->passes_repeat());
  CHECK(!t.pipeline->egress_uses_registers());
  auto program = std::make_shared<Program>("egress");
  program->egress().apply(program->action("count").count(program->counter("OUT", CounterUnit::bytes, 1), 0));
  CHECK(Pipeline(program).egress_uses_registers());
}

TEST_CASE("metered passes are the same stage by stage, and observers are told of what they spend and count") {
  struct Told final : StateWriteObserver {
    void register_written(const StateWrite& write) override {
      writes.emplace_back(write.array, write.index, write.value);
    }
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> writes;
  } fused_told, stepped_told;
  Metering fused(MeterUnit::bytes), stepped(MeterUnit::bytes);
  fused.pipeline->add_observer(fused_told);
  stepped.pipeline->add_observer(stepped_told);
  for (auto* t : {&fused, &stepped}) {
    t->pipeline->set_meter(*t->meter, 1, {.committed = 5, .peak = 9, .committed_burst = 200, .peak_burst = 300}, {});
  }
  for (int i = 0; i < 5; ++i) {
    const auto colour = fused.colour(at_ns(i), 1, 100);
    auto packet = stepped.pool.make();
    packet->push(Ethernet{});
    packet->push(Ipv4{.dscp = 1});
    packet->payload_bytes = 100 - kFcsBytes - packet->header_bytes();
    Pass pass;
    stepped.pipeline->begin_ingress(pass, *packet, {.begin = at_ns(i)});
    for (int stage = 0; stage < stepped.pipeline->stages(); ++stage) stepped.pipeline->run_stage(pass, stage);
    stepped.pipeline->finish_ingress(pass);
    CHECK(packet->get<Ipv4>().ttl == colour);
  }
  CHECK(fused_told.writes == stepped_told.writes);
  // Three packets spend tokens, two are red, and all are counted.
  CHECK(fused_told.writes.size() == 8);
  CHECK(fused_told.writes[0] == std::tuple(kMeterObjects, 1U, std::uint64_t{100} << 32 | 200));
  CHECK(fused_told.writes[1] == std::tuple(kCounterObjects, 1U, std::uint64_t{100}));
}

}  // namespace meter_test

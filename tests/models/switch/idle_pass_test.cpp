// Skipping idle passes changes nothing but the number of events: random traffic round recirculation ports, both ways.
#include <catch2/catch.hpp>
#include <random>

#include "models/switch/control_cpu.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace idle_pass_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr std::uint16_t kForEver = 20, kForEverElsewhere = 21, kGuarded = 22, kSignal = 23, kServed = 24, kAging = 25,
                        kRouted = 26, kPingPong = 27;
constexpr std::uint64_t kGates = 8;

/// What a packet does depends on its UDP source port; its IPv4 identification says at which gate:
///
///   kForEver          goes round by port `first` for ever, kForEverElsewhere by `second`
///   kGuarded          goes round until it takes something at its gate, and is forwarded then
///   kServed           likewise, but a copy stays
///   kSignal           puts something at the gate, and is forwarded
///   kAging            is changed by each round, and forwarded after some
///   kRouted           goes round until a table has an entry for its identification
///   kPingPong         goes by both ports in turn
std::shared_ptr<const p4::Program> roundabout(std::uint16_t first, std::uint16_t second) {
  using namespace p4;
  auto program = std::make_shared<Program>("roundabout", "packets that go round, most of the time unchanged");
  auto& p = *program;
  append_forwarding_parser(p, Gress::ingress);
  const auto& in = p.intrinsics();
  const auto kind = p.header_field(&Udp::src_port), gate = p.header_field(&Ipv4::identification);
  const auto ttl = p.header_field(&Ipv4::ttl);
  const auto taken = p.field("taken", 1), decided = p.field("decided", 1), left = p.field("left", 1);

  auto& gates = p.register_array("GATE", Width::single(32), kGates);
  auto& take = gates.action("take");
  take.compare_a(kLo, Comparison::greater, 0).update(kLo, AluOperation::sub, kLo, 1, kA);
  take.output(AluOutput::predicate, kA);
  auto& give = gates.action("give");
  give.update(kLo, AluOperation::add, kLo, 1);
  auto& do_take = p.action("do_take").execute(take, gate, taken);
  auto& do_give = p.action("do_give").execute(give, gate);
  auto& again = p.action("again").set(in.ucast_egress_port, first).set(decided, 1);
  auto& elsewhere = p.action("elsewhere").set(in.ucast_egress_port, second).set(decided, 1);
  auto& unrouted = p.action("unrouted").set(in.ucast_egress_port, first).set(decided, 1);
  auto& young = p.action("young").set(in.ucast_egress_port, first).set(decided, 1);
  auto& serve = p.action("serve")  // to node 1
                    .set(in.mcast_grp_a, 1)
                    .set(p.header_field(&Ethernet::dst), mac_of(1))
                    .set(p.header_field(&Ipv4::dst), ipv4_of(1))
                    .set(decided, 1);

  auto& at_gate = p.table("at_gate").key(kind).size(8);
  at_gate.entry({kGuarded}, do_take).entry({kServed}, do_take).entry({kSignal}, do_give);
  auto& decide = p.table("decide").key(kind).key(taken).size(16);
  decide.entry({kForEver, 0}, again).entry({kForEverElsewhere, 0}, elsewhere).entry({kGuarded, 0}, again);
  decide.entry({kServed, 0}, again).entry({kServed, 1}, serve).entry({kPingPong, 0}, again);
  auto& bounce = p.table("bounce").key(kind).key(in.ingress_port).size(4);
  bounce.entry({kPingPong, first}, elsewhere);
  auto& leave = p.action("leave").set(left, 1);
  auto& routes = p.table("routes").key(gate).action(leave).size(64);
  auto& age = p.action("age").sub(ttl, ttl, 1);

  p.ingress().if_(p.valid<Udp>() == 1).then([&](Block& b) {
    b.apply(at_gate);
    b.apply(decide);
    b.apply(bounce);
    b.if_(kind == kRouted).then([&](Block& c) { c.apply(routes).on_miss([&](Block& d) { d.apply(unrouted); }); });
    b.if_(kind == kAging).then([&](Block& c) {
      c.apply(age);
      c.if_(ttl != 0).then([&](Block& d) { d.apply(young); });
    });
  });
  p.ingress().if_(decided == 0).then([&](Block& b) { append_forwarding(p, b); });
  return program;
}

struct Recorder final : sim::Observer {
  void observe(const sim::Observation& o) override {
    all.push_back({static_cast<std::uint64_t>(o.at.ps()), static_cast<std::uint64_t>(o.what), o.source.index,
                   o.operation, o.detail[0], o.detail[1], o.detail[2]});
  }
  std::vector<std::array<std::uint64_t, 7>> all;
};

struct Plan {
  RackOptions options = TestRack::small();
  sim::ScheduleOrder order;
  std::uint64_t seed = 1;
  std::vector<std::uint16_t> kinds{kForEver, kForEverElsewhere, kGuarded, kSignal, kSignal,  kServed,
                                   kAging,   kRouted,           9,        9,       kPingPong};
  std::uint64_t packets = 120;
  sim::Duration sending = 60_us, length = 100_us;
  std::uint64_t controls = 40;
  bool power_loss = false;
  bool one_destination = false;  // its port is overloaded
};

/// All that can be seen of a run.
struct Outcome {
  std::string hash;
  std::vector<std::array<std::uint64_t, 7>> observations;
  std::vector<std::uint64_t> values;                // counters, registers, tables and what was seen on the way
  std::vector<std::vector<std::uint64_t>> arrived;  // by host
  std::uint64_t events = 0, skipped = 0;
};

Outcome run(Plan plan, bool skip) {
  plan.options.network_switch.skip_idle_passes = skip;
  sim::Calendar calendar(plan.order);
  sim::EventLog event_log;
  sim::Metrics metrics;
  Rack rack(calendar, event_log, metrics, plan.options, plan.seed);
  Recorder recorder;
  event_log.attach(recorder);
  auto& chassis = rack.chassis();
  struct Host : PacketHandler {
    void on_packet(p4::PacketRef packet) override {
      seen.insert(seen.end(), {number_in(*packet), packet->get<p4::Ipv4>().identification, packet->get<p4::Ipv4>().ttl,
                               static_cast<std::uint64_t>(calendar->now().ps())});
    }
    sim::Calendar* calendar = nullptr;
    std::uint32_t qpn = 0;
    std::vector<std::uint64_t> seen;
  };
  std::vector<Host> hosts(plan.options.nodes);
  for (NodeId node = 0; node < hosts.size(); ++node) {
    hosts[node].calendar = &calendar;
    hosts[node].qpn = rack.server(node).nic().create_raw_qp(rack.server(node).core(0), hosts[node]);
  }
  const auto first = static_cast<std::uint16_t>(chassis.recirculation_port(0));
  const auto second = static_cast<std::uint16_t>(chassis.recirculation_port(chassis.pipes() - 1));
  rack.install_program(roundabout(first, second));
  chassis.replication().set_group(1, {{1, {1, first}}});

  struct Actor {
    Rack& rack;
    std::vector<Host>& hosts;
    const Plan& plan;
    std::vector<std::uint64_t> read;
    sim::Time off;

    void send(std::uint64_t number, std::uint64_t draw) {
      const auto from = static_cast<NodeId>(draw % hosts.size()),
                 to = static_cast<NodeId>(plan.one_destination ? 0 : draw / 8 % hosts.size());
      auto packet =
          rack.make_packet(to, plan.kinds[draw / 64 % plan.kinds.size()], static_cast<std::uint16_t>(hosts[to].qpn));
      auto& ip = packet->get<p4::Ipv4>();
      ip.identification = draw / 4096 % kGates;
      ip.ttl = 20;
      const std::uint32_t frame = 80 + 25 * static_cast<std::uint32_t>(draw / 65536 % 12);
      packet->payload_bytes = frame - p4::kFcsBytes - packet->header_bytes();
      packet->content = p4::Content::of(std::uint64_t{number});
      rack.server(from).nic().send_raw(models::Qpn{hosts[from].qpn}, std::move(packet));
    }
    void control(std::uint64_t draw) {
      auto& cpu = rack.control_cpu();
      const auto pipe = static_cast<unsigned>(draw / 8 % rack.chassis().pipes());
      const auto gate = draw / 64 % kGates;
      const auto note = [this](std::uint64_t value) { read.push_back(value); };
      switch (draw % 8) {
        case 0:
          return cpu.write(pipe, array_of(rack, "GATE"), gate, draw / 4096 % 3, note);
        case 1:
          return cpu.set_entry(pipe, table_of(rack, "routes"), {gate}, action_of(rack, "leave"), {}, note);
        case 2:
          return cpu.remove_entry(pipe, table_of(rack, "routes"), {gate}, note);
        case 3:
          return cpu.clear(pipe, array_of(rack, "GATE"), note);
        default:
          return cpu.read(pipe, array_of(rack, "GATE"), gate, note);
      }
    }
    void look() {
      auto& chassis = rack.chassis();
      for (const auto& cells : {chassis.buffer_balance(), chassis.queue_balance()}) {
        CHECK(cells.in_use == cells.of_packets);
      }
      read.insert(read.end(), {chassis.packets_held(), chassis.packets_circulating(), rack.packets_in_flight()});
    }
    void announce() { rack.chassis().announce_power_loss(off); }
    void power_off() { rack.chassis().power_off(); }
    void power_on() { rack.restart_switch(off); }
  } actor{rack, hosts, plan, {}, at(plan.sending / 2)};
  const auto lane = calendar.add_lane("actor");
  std::mt19937_64 random(plan.seed);
  const auto instant = [&] {
    return at(sim::Duration::from_ps(
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(plan.sending.ps()) / 1000 * 1000)));
  };
  for (std::uint64_t i = 0; i < plan.packets; ++i) {
    const auto when = instant();
    calendar.at<&Actor::send>(when, lane, actor, i, random());
  }
  for (std::uint64_t i = 0; i < plan.controls; ++i) {
    const auto when = instant();
    calendar.at<&Actor::control>(when, lane, actor, random());
    calendar.at<&Actor::look>(instant(), lane, actor);
  }
  if (plan.power_loss) {
    calendar.at<&Actor::announce>(actor.off - 10_us, lane, actor);
    calendar.at<&Actor::power_off>(actor.off, lane, actor);
    calendar.at<&Actor::power_on>(actor.off + 8_us, lane, actor);
  }
  Outcome outcome;
  for (int step = 1; step <= 5; ++step) {
    calendar.run_until(at(plan.length / 5 * step));
    actor.look();
    outcome.values.push_back(chassis.packets_circulating());
    if (step % 2 == 0) outcome.values.push_back(chassis.traffic_manager().used_cells());
    CHECK(rack.packets_in_flight() == static_cast<std::uint64_t>(rack.accounting().expected_in_flight()));
  }
  chassis.settle();
  outcome.hash = event_log.hash().hex();
  outcome.observations = std::move(recorder.all);
  outcome.values.insert(outcome.values.end(), actor.read.begin(), actor.read.end());
  for (const auto& [name, metric] : metrics.all()) {
    if (const auto* counter = std::get_if<sim::Counter>(&metric.value)) outcome.values.push_back(counter->value);
  }
  for (unsigned pipe = 0; pipe < chassis.pipes(); ++pipe) {
    const auto& pipeline = chassis.pipeline(pipe);
    for (std::uint64_t i = 0; i < kGates; ++i) outcome.values.push_back(pipeline.registers().read(0, i));
    for (const auto& table : pipeline.program().tables()) {
      outcome.values.push_back(pipeline.counters(table).hits);
      outcome.values.push_back(pipeline.counters(table).misses);
    }
    const auto& counters = pipeline.counters();
    outcome.values.insert(outcome.values.end(),
                          {counters.ingress_passes, counters.egress_passes, counters.ingress_drops});
  }
  // The order of the queue, too: what is queued at the end leaves in the same order.
  outcome.values.push_back(chassis.traffic_manager().used_cells());
  for (unsigned pipe = 0; pipe < chassis.pipes(); ++pipe) {
    outcome.values.push_back(chassis.traffic_manager().queue_cells(chassis.recirculation_port(pipe)));
  }
  for (auto& host : hosts) outcome.arrived.push_back(std::move(host.seen));
  outcome.events = calendar.executed();
  outcome.skipped = chassis.events_skipped();
  return outcome;
}

/// Runs both ways; returns how many events were skipped.
std::uint64_t compare(const Plan& plan) {
  const Outcome ran = run(plan, false), skipped = run(plan, true);
  CHECK(ran.hash == skipped.hash);
  CHECK((ran.observations == skipped.observations));
  CHECK(ran.values == skipped.values);
  CHECK((ran.arrived == skipped.arrived));
  CHECK(ran.skipped == 0);
  CHECK(ran.events == skipped.events + skipped.skipped);
  return skipped.skipped;
}

/// A rack of any shape: pipes, clock, recirculation rate and latency, buffer, order of ties. All instants are
/// nanoseconds, half of the time, so that ties are frequent.
Plan random_plan(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Plan plan;
  plan.seed = seed;
  auto& chassis = plan.options.network_switch;
  constexpr std::uint64_t kPipes[] = {4, 16, 32};
  chassis.ports_per_pipe = kPipes[random() % 3];
  constexpr sim::TieOrder kOrders[] = {sim::TieOrder::fifo, sim::TieOrder::lifo, sim::TieOrder::shuffle};
  plan.order = {kOrders[random() % 3], random()};
  if (random() % 2 == 0) chassis.clock_hz = 1'000'000'000;
  constexpr std::uint64_t kRates[] = {100'000'000'000, 100'000'000'000, 25'000'000'000, 400'000'000'000};
  chassis.recirculation_bits_per_second = kRates[random() % 4];
  if (random() % 4 == 0) {
    chassis.queue_cells = 3 + random() % 6;
    chassis.queue_share = random() % 2 == 0 ? 0.01 : 0.5;
  }
  if (random() % 4 == 0) chassis.buffer_cells = 20 + random() % 60;
  if (random() % 4 == 0) plan.options.faults.jitter = 20_ns;
  if (random() % 4 == 0) plan.options.faults.duplicate = 0.1;
  if (random() % 4 == 0) plan.kinds.insert(plan.kinds.end(), 12, kForEver);
  if (random() % 4 == 0) plan.kinds = {kForEver, kGuarded, kServed, kSignal, 9};
  plan.packets = 10 + random() % 200;
  plan.power_loss = random() % 5 == 0;
  constexpr sim::Duration kLatencies[] = {0_ps, 0_ps, 1_ns, 1_ps, 40_ns, 123'457_ps, 400_ns};
  chassis.recirculation_latency = kLatencies[random() % 7];
  return plan;
}

}  // namespace

TEST_CASE("Runs with idle passes skipped and run show the same in every way") {
  std::uint64_t skipped = 0, some = 0;
  constexpr std::uint64_t kRuns = 150;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    INFO("seed " << seed);
    const auto events = compare(random_plan(seed));
    skipped += events;
    some += events > 0;
  }
  CHECK(some > kRuns * 3 / 4);
  CHECK(skipped > 1000 * kRuns);
}

TEST_CASE("A recirculation queue that is too small drops the same packets with idle passes skipped") {
  std::uint64_t skipped = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Plan plan;
    plan.seed = seed;
    plan.kinds = {kForEver, kForEver, kGuarded, kServed, kSignal, 9};
    plan.packets = 300;
    plan.options.network_switch.queue_cells = 10;
    plan.options.network_switch.queue_share = 0;
    plan.options.network_switch.recirculation_latency = static_cast<std::int64_t>(seed % 3) * 100_ns;
    skipped += compare(plan);
  }
  CHECK(skipped > 0);
}

TEST_CASE("Others who fill the buffer make the same packets drop, circulating ones too, with idle passes skipped") {
  std::uint64_t skipped = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    Plan plan;
    plan.seed = seed;
    plan.kinds = std::vector<std::uint16_t>(40, 9);
    plan.kinds.insert(plan.kinds.end(), 1 + random() % 4, kForEver);
    plan.packets = 100 + random() % 400;
    plan.sending = 20_us;
    plan.length = 30_us;
    plan.one_destination = random() % 2 == 0;
    plan.options.link_bits_per_second = 25'000'000'000;
    auto& chassis = plan.options.network_switch;
    chassis.recirculation_bits_per_second = 10'000'000'000;
    chassis.buffer_cells = 20 + random() % 100;
    chassis.queue_cells = 1 + random() % 10;
    chassis.queue_share = 0.1 * static_cast<double>(random() % 11);
    chassis.recirculation_latency = static_cast<std::int64_t>(seed % 4) * 70_ns;
    skipped += compare(plan);
  }
  CHECK(skipped > 0);
}

TEST_CASE("A long wait takes the events of a short one when idle passes are skipped, and counts all of its rounds") {
  Plan plan;
  plan.kinds = {kForEver, kGuarded, kRouted};
  plan.packets = 30;
  plan.controls = 0;
  plan.length = 200_us;
  const Outcome brief = run(plan, true);
  CHECK(compare(plan) > 1000);
  plan.length = 4_ms;
  CHECK(compare(plan) > 20 * brief.skipped / 2);
  plan.length = 60_s;
  const Outcome skipped = run(plan, true);
  CHECK(skipped.events == brief.events);
  CHECK(skipped.skipped > 1'000'000'000);
}

struct CountingObserver final : PassObserver {
  explicit CountingObserver(bool all) : all(all) {}
  void before_ingress(const p4::Packet&, const p4::IngressMetadata&) override { ++passes; }
  void after_ingress(const p4::Packet&, const p4::IngressMetadata&, const p4::Verdict&) override {}
  bool sees_idle_passes() const override { return all; }
  bool all;
  std::uint64_t passes = 0;
};

TEST_CASE(
    "Of two observers of passes the one that was added first is told first, and idle passes are run if one asks") {
  struct Named final : PassObserver {
    Named(char the_name, bool sees_all, std::string& all_calls) : name(the_name), all(sees_all), calls(all_calls) {}
    void before_ingress(const p4::Packet&, const p4::IngressMetadata&) override { calls += name; }
    void after_ingress(const p4::Packet&, const p4::IngressMetadata&, const p4::Verdict&) override {
      calls += static_cast<char>(name - 'a' + 'A');
    }
    bool sees_idle_passes() const override { return all; }
    char name;
    bool all;
    std::string& calls;
  };
  const auto [first_sees_all, second_sees_all] =
      GENERATE(std::pair{true, false}, std::pair{false, true}, std::pair{false, false});
  RackOptions options = TestRack::small();
  options.network_switch.skip_idle_passes = true;
  TestRack t(options);
  const auto port = static_cast<std::uint16_t>(t.rack.chassis().recirculation_port(0));
  t.rack.install_program(roundabout(port, port));
  std::string calls;
  Named first('a', first_sees_all, calls), second('b', second_sees_all, calls);
  t.rack.chassis().add_pass_observer(first);
  t.rack.chassis().add_pass_observer(second);
  t.send(1, 0, 1, kForEver);
  t.calendar.run_until(at(10_us));
  t.rack.chassis().settle();
  const auto passes = t.counter("switch.ingress_passes");
  CHECK(passes > 10);
  // The packet comes in, comes round, and comes round again unchanged.
  const std::uint64_t seen = first_sees_all || second_sees_all ? passes : 2;
  std::string expected;
  for (std::uint64_t pass = 0; pass < seen; ++pass) expected += "abAB";
  CHECK(calls == expected);
}

TEST_CASE("an observer of passes sees every pass, and one that needs no idle ones the first of each packet") {
  const bool all = GENERATE(true, false);
  CountingObserver observer(all);
  RackOptions options = TestRack::small();
  options.network_switch.skip_idle_passes = true;
  TestRack t(options);
  const auto port = static_cast<std::uint16_t>(t.rack.chassis().recirculation_port(0));
  t.rack.install_program(roundabout(port, port));
  for (NodeId from = 1; from < 4; ++from) t.send(from, 0, from, kForEver);
  t.calendar.run_until(at(50_us));
  t.rack.chassis().settle();
  CHECK(t.rack.chassis().events_skipped() > 100);
  const auto before = t.counter("switch.ingress_passes");
  t.rack.chassis().add_pass_observer(observer);
  t.calendar.run_until(at(100_us));
  t.rack.chassis().settle();
  const auto passes = t.counter("switch.ingress_passes") - before;
  CHECK(passes > 100);
  CHECK(observer.passes == (all ? passes : 3));
}

}  // namespace idle_pass_test

// Entries that no packet hits time out as the hardware's sweeps and the driver's counting have it (docs/hardware.md
// 6.10), in both modes of execution.
#include "models/switch/entry_timeouts.hpp"

#include <catch2/catch.hpp>

#include "models/switch/control_cpu.hpp"
#include "tests/models/rack_fixture.hpp"

namespace entry_timeouts_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using Catch::Contains;

namespace {

/// Forwards packets plainly behind two tables of source addresses, one of which ages.
std::shared_ptr<const p4::Program> aging_program() {
  using namespace p4;
  auto program = std::make_shared<Program>("aging", "knows source addresses for a time");
  auto& p = *program;
  append_forwarding_parser(p, Gress::ingress);
  auto& nothing = p.action("nothing");
  const auto src = p.header_field(&Ipv4::src);
  p.ingress().apply(p.table("sources").key(src).action(nothing).size(8).idle_timeout());
  p.ingress().apply(p.table("others").key(src).action(nothing).size(8));
  append_forwarding(p, p.ingress());
  return program;
}

struct Aging : TestRack, TimeoutListener {
  explicit Aging(PassMode passes = PassMode::fused, std::uint64_t ports_per_pipe = 16)
      : TestRack(with(passes, ports_per_pipe)) {
    rack.install_program(aging_program());
    sources = table_of(rack, "sources");
  }
  static RackOptions with(PassMode passes, std::uint64_t ports_per_pipe) {
    auto options = TestRack::small();
    options.network_switch.passes = passes;
    options.network_switch.ports_per_pipe = ports_per_pipe;
    return options;
  }
  TableEntry of(NodeId node) const { return {.table = sources, .key = {ipv4_of(node)}}; }
  void add(NodeId node) {
    for (unsigned pipe = 0; pipe < rack.chassis().pipes(); ++pipe) {
      rack.chassis().pipeline(pipe).add_entry(*sources, of(node).key, *action_of(rack, "nothing"));
    }
  }
  void timed_out(const TableEntry& entry) override {
    told.emplace_back(entry.key.at(0).value() - ipv4_of(0), calendar.now());
  }
  void run_to(sim::Duration length) { calendar.run_until(sim::Time{} + length); }
  /// When a message of a look at the table at this instant is at the control CPU.
  sim::Time known(sim::Time looked) {
    const auto [gress, stage] = ControlCpu::place_of(rack.chassis().pipeline(0), *sources);
    return looked + rack.chassis().stage_offset(gress, stage) + 900_ns;
  }

  const p4::Table* sources = nullptr;
  std::vector<std::pair<std::uint64_t, sim::Time>> told;
  EntryTimeouts timeouts{rack.context(), rack.chassis(), *this};
};

}  // namespace

TEST_CASE("an entry that nothing hits is told once, at the query in which its time to live is over") {
  Aging t(GENERATE(PassMode::fused, PassMode::stepped));
  t.add(0);
  t.timeouts.watch(*t.sources, 10_ms);
  t.timeouts.set_ttl(t.of(0), 50_ms);
  t.run_to(200_ms);
  // The fifth sweep tells that it is idle (8.6 ms), which the driver takes for 5 ms; 45 ms are left, of which queries
  // at 10, 20, 30 and 40 ms take 40.
  CHECK(t.told == decltype(t.told){{0, t.known(sim::Time{} + 50_ms)}});
}

TEST_CASE("sweeps are a power of two of cycles; a time to live that five of them fill ends with the fifth") {
  Aging t;
  t.add(0);
  t.timeouts.watch(*t.sources, 18_ms);  // sweeps of 2^22 cycles, 3.4 ms, that the driver takes for 3 ms
  t.timeouts.set_ttl(t.of(0), 18_ms);
  t.run_to(17_ms);
  CHECK(t.told.empty());
  t.run_to(80_ms);
  // The fifth is at 17.2 ms, and of the 3 ms that are left then the query at 18 ms is the end.
  CHECK(t.told == decltype(t.told){{0, t.known(sim::Time{} + 18_ms)}});

  Aging slow;
  slow.add(0);
  slow.timeouts.watch(*slow.sources, 1000_ms);
  slow.timeouts.set_ttl(slow.of(0), 1000_ms);
  slow.run_to(1400_ms);
  // A fifth of 1000 ms is 116.3 times 2^21 cycles: sweeps of 2^28 of them, 220.03 ms; the fifth is at 1100.1 ms.
  const auto sweep = sim::Duration::from_ps(220'029'062'296);
  CHECK(slow.told == decltype(slow.told){{0, slow.known(sim::Time{} + sweep * 5)}});
}

TEST_CASE("a hit gives an entry its whole time to live again, until the last moment") {
  Aging t(GENERATE(PassMode::fused, PassMode::stepped));
  t.add(0);
  t.add(2);
  t.timeouts.watch(*t.sources, 10_ms);
  t.timeouts.set_ttl(t.of(0), 50_ms);
  t.timeouts.set_ttl(t.of(2), 50_ms);
  t.run_to(49_ms + 990_us);
  t.send(0, 1, 1);
  t.run_to(51_ms);
  REQUIRE(t.hosts[1]->seen.size() == 1);
  CHECK(t.told == decltype(t.told){{2, t.known(sim::Time{} + 50_ms)}});
  t.run_to(300_ms);
  // The sweep number 30 is the first of five, and 34 is at 58.4 ms; 45 ms from there last until the query at 100 ms.
  CHECK(t.told == decltype(t.told){{2, t.known(sim::Time{} + 50_ms)}, {0, t.known(sim::Time{} + 100_ms)}});
  t.send(0, 1, 2);
  t.run_to(400_ms);
  CHECK(t.told.size() == 3);  // anew once it was hit
}

TEST_CASE("an entry is idle when it is in all pipes, and one that is not there does not time out") {
  Aging t(PassMode::fused, 2);
  REQUIRE(t.rack.chassis().pipes() > 1);
  t.add(0);
  t.add(3);
  t.timeouts.watch(*t.sources, 10_ms);
  for (const NodeId node : {0, 3, 4}) t.timeouts.set_ttl(t.of(node), 20_ms);
  for (int i = 1; i < 20; ++i) {
    t.run_to(5_ms * i);
    t.send(3, 1, 1);  // node 3 is at the second pipe
  }
  CHECK(t.told == decltype(t.told){{0, t.known(sim::Time{} + 20_ms)}});
}

TEST_CASE("what is forgotten or given another time to live is not told by an old message") {
  Aging t;
  t.add(0);
  t.add(2);
  t.timeouts.watch(*t.sources, 10_ms);
  t.timeouts.set_ttl(t.of(0), 50_ms);
  t.timeouts.set_ttl(t.of(2), 50_ms);
  t.run_to(50_ms + 500_ns);  // the message is under way
  t.timeouts.forget(t.of(0));
  t.timeouts.set_ttl(t.of(2), 50_ms);
  t.run_to(90_ms);
  CHECK(t.told.empty());
  t.run_to(200_ms);
  CHECK(t.told.size() == 1);
}

TEST_CASE("a table that does not age, an interval that the sweeps do not fit and a shorter time to live are refused") {
  Aging t;
  CHECK_THROWS_WITH(t.timeouts.watch(*table_of(t.rack, "others"), 10_ms), Contains("'others' has no idle time-outs"));
  CHECK(EntryTimeouts::shortest_interval(t.rack.chassis().options()) == 9_ms);
  CHECK_THROWS_WITH(t.timeouts.watch(*t.sources, 8_ms), Contains("8000 us is shorter than 9000 us"));
  t.timeouts.watch(*t.sources, 9_ms);
  CHECK_THROWS_WITH(t.timeouts.set_ttl(t.of(0), 8_ms), Contains("shorter than its query interval"));
}

}  // namespace entry_timeouts_test

// The control CPU fills a parser's value set: passes in later slots are parsed by it, in both modes of execution.
#include <catch2/catch.hpp>

#include "models/switch/control_cpu.hpp"
#include "tests/models/rack_fixture.hpp"

namespace value_set_operations_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using Catch::Contains;

namespace {

/// Forwards packets; UDP is parsed behind source addresses of the set alone, and is 0 else, which the identification
/// shows.
std::shared_ptr<const p4::Program> parsing_program() {
  using namespace p4;
  auto program = std::make_shared<Program>("parsing", "parses UDP behind addresses of a set");
  auto& p = *program;
  const auto& sources = p.value_set("SOURCES", 32, 3);
  p.parser_state<Ethernet>(Gress::ingress, "ethernet").then("ipv4");
  p.parser_state<Ipv4>(Gress::ingress, "ipv4").select(p.header_field(&Ipv4::src), {}).or_in(sources, "udp");
  p.parser_state<Udp>(Gress::ingress, "udp");
  p.ingress().apply(p.action("show").set(p.header_field(&Ipv4::identification), p.header_field(&Udp::src_port)));
  append_forwarding(p, p.ingress());
  return program;
}

struct Parsing : TestRack {
  explicit Parsing(PassMode passes = PassMode::fused) : TestRack(with(passes)) {
    rack.install_program(parsing_program());
    set = &rack.chassis().pipeline(0).program().value_sets()[0];
  }
  static RackOptions with(PassMode passes) {
    auto options = TestRack::small();
    options.network_switch.passes = passes;
    return options;
  }
  std::vector<std::uint64_t> shown() const {
    std::vector<std::uint64_t> all;
    for (const auto& seen : hosts[1]->seen) all.push_back(seen.identification);
    return all;
  }
  ControlCpu& cpu = rack.control_cpu();
  const p4::ValueSet* set = nullptr;
};

}  // namespace

TEST_CASE("A value that the control CPU adds or takes out decides in later slots, at the cost of an operation") {
  const auto passes = GENERATE(PassMode::fused, PassMode::stepped);
  Parsing t(passes);
  std::vector<std::pair<std::uint64_t, sim::Time>> done;
  const auto note = [&](std::uint64_t result) { done.emplace_back(result, t.calendar.now()); };
  t.send(0, 1, 1);
  t.calendar.run_until();
  const auto begin = t.calendar.now();
  t.cpu.add_value(0, t.set, ipv4_of(0), ~std::uint64_t{0}, note);
  t.cpu.add_value(0, t.set, ipv4_of(0), ~std::uint64_t{0}, note);
  t.calendar.run_until();
  t.send(0, 1, 2);
  t.send(2, 1, 3);
  t.calendar.run_until();
  t.cpu.remove_value(0, t.set, ipv4_of(0));
  t.calendar.run_until();
  t.send(0, 1, 4);
  t.calendar.run_until();
  CHECK(t.shown() == std::vector<std::uint64_t>{0, 9, 0, 0});
  const auto there_and_back = 900_ns * 2 + t.rack.chassis().ingress_latency();
  CHECK(done == decltype(done){{0, begin + there_and_back}, {1, begin + 1_us + there_and_back}});
  CHECK(t.counter("switch.control_slots") == 3);
  CHECK(t.event_log.count(sim::Observed::switch_state) == 3);
}

TEST_CASE("A value that comes in the midst of packets changes the same ones fused and stepped") {
  const auto run = [](PassMode passes) {
    Parsing t(passes);
    t.cpu.add_value(0, t.set, ipv4_of(0));
    for (std::uint64_t i = 0; i < 200; ++i) t.send(0, 1, i);
    t.calendar.run_until();
    return std::pair(t.shown(), t.event_log.hash());
  };
  const auto fused = run(PassMode::fused);
  CHECK(fused == run(PassMode::stepped));
  const auto parsed = std::count(fused.first.begin(), fused.first.end(), 9U);
  CHECK(parsed > 0);
  CHECK(parsed < 200);
}

TEST_CASE("Values that a set cannot have are refused at once, and sets of other programs are") {
  Parsing t;
  const p4::ValueSet other;
  CHECK_THROWS_AS(t.cpu.add_value(0, &other, 1), WrongProgram);
  CHECK_THROWS_AS(t.cpu.remove_value(0, nullptr, 1), WrongProgram);
  CHECK_THROWS_WITH(t.cpu.add_value(0, t.set, std::uint64_t{1} << 32), Contains("32 bits"));
  CHECK_THROWS_WITH(t.cpu.add_value(0, t.set, 3, 1), Contains("mask 0x1"));
  CHECK(t.cpu.outstanding() == 0);
}

}  // namespace value_set_operations_test

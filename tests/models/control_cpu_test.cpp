#include "models/control_cpu.hpp"

#include <catch2/catch.hpp>

#include "p4model/forwarding.hpp"
#include "tests/models/rack_fixture.hpp"

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {
struct Programmed : TestRack {
  Programmed() { rack.install_program(exercise_program(false, 32)); }
  ControlCpu& cpu = rack.control_cpu();
};
}  // namespace

TEST_CASE("A register read takes PCIe both ways and one pass, and later ones wait for the rate limit") {
  Programmed t;
  t.rack.chassis().pipeline(0).registers().write(0, 1, 42);
  std::vector<std::pair<std::uint64_t, sim::Time>> results;
  for (int i = 0; i < 3; ++i) {
    t.cpu.read_register(0, "COUNT", 1, [&](std::uint64_t value) { results.emplace_back(value, t.calendar.now()); });
  }
  CHECK(t.cpu.outstanding() == 3);
  t.calendar.run_until();
  REQUIRE(results.size() == 3);
  for (int i = 0; i < 3; ++i) {
    CHECK(results[static_cast<std::size_t>(i)].first == 42);
    CHECK(results[static_cast<std::size_t>(i)].second ==
          at(1_us * i + 900_ns * 2 + t.rack.chassis().ingress_latency()));
  }
  CHECK(t.cpu.outstanding() == 0);
}

TEST_CASE("A write is seen by passes in later slots and recorded") {
  Programmed t;
  t.cpu.write_register(0, "COUNT", 1, 100);
  t.send(0, 1, 1, kCounted);
  t.calendar.run_until();
  t.send(0, 1, 2, kCounted);
  t.calendar.run_until();
  // The first packet is at the switch before the write, which takes 900 ns.
  CHECK(t.hosts[1]->seen.at(0).identification == 1);
  CHECK(t.hosts[1]->seen.at(1).identification == 101);
  CHECK(t.journal.count(sim::Observed::switch_state) == 3);
}

TEST_CASE("Table entries can be changed and removed while packets pass") {
  Programmed t;
  std::vector<std::uint64_t> results;
  const auto note = [&](std::uint64_t result) { results.push_back(result); };
  t.cpu.set_entry(0, "forward_by_mac", {mac_of(1)}, "forward_to_port", {2}, note);
  t.calendar.run_until();
  t.send(0, 1, 1);
  t.calendar.run_until();
  CHECK(t.hosts[2]->seen.size() == 1);
  t.cpu.remove_entry(0, "forward_by_mac", {mac_of(1)}, note);
  t.cpu.remove_entry(0, "forward_by_mac", {mac_of(1)}, note);
  t.calendar.run_until();
  t.send(0, 1, 2);
  t.calendar.run_until();
  CHECK(t.hosts[1]->seen.size() == 1);  // by its IPv4 address
  CHECK(results == std::vector<std::uint64_t>{1, 1, 0});
}

TEST_CASE("Entries in TCAM are set and removed by what they match and their priority") {
  TestRack t;
  auto program = std::make_shared<p4::Program>("redirect");
  p4::append_forwarding_parser(*program, p4::Gress::ingress);
  p4::append_forwarding(*program, program->ingress());
  auto& redirect_to = program->action("redirect_to");
  redirect_to.set(program->intrinsics().ucast_egress_port, redirect_to.data("port", 9));
  program->ingress().apply(program->table("redirect")
                               .key(program->intrinsics().ingress_port, p4::MatchKind::ternary)
                               .size(8)
                               .action(redirect_to));
  t.rack.install_program(program);
  const auto arrived_at = [&](NodeId from) {
    for (auto& host : t.hosts) host->seen.clear();
    t.send(from, 1, 1);
    t.calendar.run_until();
    for (std::size_t node = 0; node < t.hosts.size(); ++node) {
      if (!t.hosts[node]->seen.empty()) return node;
    }
    return t.hosts.size();
  };
  std::vector<std::uint64_t> results;
  const auto note = [&](std::uint64_t result) { results.push_back(result); };
  auto& cpu = t.rack.control_cpu();
  const auto from_node_0 = p4::KeyMatch::masked(t.rack.port_of(0), 0x1ff);
  CHECK(arrived_at(0) == 1);
  cpu.set_entry(0, "redirect", {p4::KeyMatch::any()}, "redirect_to", {t.rack.port_of(2)}, note, 5);
  cpu.set_entry(0, "redirect", {from_node_0}, "redirect_to", {t.rack.port_of(3)}, note, 4);
  t.calendar.run_until();
  CHECK(arrived_at(0) == 3);
  cpu.remove_entry(0, "redirect", {from_node_0}, note, 5);  // there is none of this priority
  cpu.remove_entry(0, "redirect", {from_node_0}, note, 4);
  t.calendar.run_until();
  CHECK(arrived_at(0) == 2);
  CHECK(results == std::vector<std::uint64_t>{0, 0, 0, 1});
}

TEST_CASE("Unknown names and indices are refused when they are posted") {
  Programmed t;
  CHECK_THROWS_WITH(t.cpu.read_register(0, "COUNTS", 0, {}), "program 'exercise' has no register array 'COUNTS'");
  CHECK_THROWS_AS(t.cpu.write_register(0, "COUNT", 4, 0), std::runtime_error);
  CHECK_THROWS_WITH(t.cpu.set_entry(0, "nowhere", {}, "forward_to_port", {}),
                    "program 'exercise' has no table 'nowhere'");
  CHECK_THROWS_WITH(t.cpu.set_entry(0, "forward_by_mac", {1}, "fly", {}), "program 'exercise' has no action 'fly'");
  CHECK(t.cpu.outstanding() == 0);
}

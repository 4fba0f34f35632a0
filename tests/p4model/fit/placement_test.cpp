#include "p4model/fit/placement.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>

#include "p4model/execute/exact_table.hpp"
#include "p4model/language/headers.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace fit_placement_test {

using namespace racksim::p4;
using Catch::Contains;

TEST_CASE("a register array takes its data blocks and one spare") {
  Program p("p");
  const SwitchResources resources;
  CHECK(register_blocks(resources, p.register_array("TAG", Width::pair_of(32), 41'667)) == 22);
  CHECK(register_blocks(resources, p.register_array("LOCK", Width::single(16), 41'667)) == 7);
  CHECK(register_blocks(resources, p.register_array("G_STATUS", Width::single(8), 41'667)) == 4);
  CHECK(register_blocks(resources, p.register_array("COPYSET", Width::single(32), 41'667)) == 12);
}

TEST_CASE("a pass of independent tables, of a match chain and of an action chain takes the published cycles") {
  const auto chain = [](int length, bool match, bool stateful) {
    auto p = std::make_unique<Program>("chain");
    auto last = p->field("f0", 8);
    for (int i = 1; i < length; ++i) {
      const auto next = p->field(fmt::format("f{}", i), 8);
      auto& action = p->action(fmt::format("a{}", i)).set(next, last);
      if (stateful) {
        auto& array = p->register_array(fmt::format("R{}", i), Width::single(8), 16);
        action.execute(array.action("read"), last);
      }
      if (match) {
        p->ingress().apply(p->table(fmt::format("t{}", i)).key(last).size(1).action(action));
      } else {
        p->ingress().apply(action);
      }
      last = next;
    }
    return p;
  };
  const auto cycles = [](const Program& p, Gress gress) { return Placement(p, {}).latency_cycles(gress); };
  CHECK(cycles(*chain(13, true, false), Gress::ingress) == 244);  // docs/hardware.md 6.4
  CHECK(cycles(*chain(13, true, true), Gress::ingress) == 292);   // docs/hardware.md 6.4
  CHECK(cycles(*chain(13, false, false), Gress::ingress) == 4 + 20 + 11 * 2);
  CHECK(cycles(*chain(1, false, false), Gress::ingress) == 4 + 20 + 11);
  CHECK(cycles(*chain(11, true, true), Gress::ingress) == 246);  // 10 stateful and 2 concurrent stages
  CHECK(cycles(*chain(1, false, false), Gress::egress) >= 160);
}

TEST_CASE("a table in TCAM takes blocks for its key and its rows, SRAM for its action data, and two cycles") {
  // docs/hardware.md 6.2: blocks of 512 rows of 44 bits; 6.4: 22 cycles a match-dependent stage with TCAM.
  const SwitchResources resources;
  const auto table = [](Program& p, const std::string& name, unsigned bits, MatchKind kind, std::uint32_t rows,
                        unsigned data_bits) -> Table& {
    auto& action = p.action(name + "_act");
    action.set(p.field(name + "_out", data_bits), action.data("value", data_bits));
    return p.table(name).key(p.field(name + "_key", bits), kind).size(rows).action(action);
  };
  Program p("p");
  const auto tcam = [&](const Table& t) { return tcam_blocks(resources, p, t, t.max_entries); };
  CHECK(tcam(table(p, "routes", 32, MatchKind::lpm, 512, 9)) == 1);
  CHECK(tcam(table(p, "macs", 48, MatchKind::ternary, 512, 9)) == 2);
  CHECK(tcam(table(p, "many", 44, MatchKind::range, 513, 9)) == 2);
  CHECK(tcam(table(p, "exact", 48, MatchKind::exact, 512, 9)) == 0);
  // 512 words of 32 bits of action data: four in a word of 128.
  CHECK(table_blocks(resources, p, table(p, "data", 32, MatchKind::lpm, 8192, 32), 8192) == 2);

  Program chain("chain");
  auto last = chain.field("f0", 8);
  for (int i = 1; i < 13; ++i) {
    const auto next = chain.field(fmt::format("f{}", i), 8);
    auto& action = chain.action(fmt::format("a{}", i)).set(next, last);
    chain.ingress().apply(chain.table(fmt::format("t{}", i)).key(last, MatchKind::ternary).size(1).action(action));
    last = next;
  }
  CHECK(Placement(chain, {}).latency_cycles(Gress::ingress) == 4 + 12 * 22);
  CHECK_THAT(Placement(chain, {}).report(), Contains("1/24"));
}

TEST_CASE("the report names stages, tables and arrays, and the graph is in Graphviz's language") {
  Program p("counter");
  const auto dst = p.header_field(&Ethernet::dst);
  p.parser_state<Ethernet>(Gress::ingress, "start");
  auto& count = p.register_array("COUNT", Width::single(32), 1024);
  auto& increment = count.action("increment");
  increment.update(kLo, AluOperation::add, kLo, 1).output(AluOutput::new_lo);
  const auto seen = p.field("seen", 32);
  p.ingress().apply(p.action("count").execute(increment, p.hash("index", {dst}, 10), seen));
  p.ingress().if_(seen > 7).then([&](Block& b) { b.apply(p.action("many").set(p.intrinsics().drop, 1)); });
  const Placement placement(p, {});
  CHECK(placement.stage_of(count) == 0);
  CHECK(placement.stages_used() == 2);
  CHECK(placement.register_bytes() == 4096);
  CHECK_THAT(placement.report(), Contains("program counter: 2 of 12 stages") && Contains("count[COUNT]"));
  // Whoever reads that a program fits reads too of what that is said.
  CHECK_THAT(placement.report(), Contains("\nchecked:") && Contains("gateways with their width") &&
                                     Contains("\nnot checked:") && Contains("action profiles") && Contains("ALPM") &&
                                     Contains("groups of PHV containers") && Contains("deparser's"));
  CHECK_THAT(placement.dot(), Contains("digraph \"counter\"") && Contains("label=\"stage 1\"") &&
                                  Contains("if (seen > 7)") && Contains("label=\"seen\""));
}

TEST_CASE("an exact table agrees with a list through random additions and removals") {
  racksim::p4::testing::RandomNumbers random(11);
  for (const unsigned bits : {6u, 40u}) {
    ExactTable table("t", {bits, 4}, 40, 1);
    std::vector<std::array<std::uint64_t, 4>> list;  // key, key, action, data
    for (int step = 0; step < 20'000; ++step) {
      const std::vector<std::uint64_t> values{random.below(16), random.below(4)};
      const auto key = table.pack(values);
      const auto found =
          std::find_if(list.begin(), list.end(), [&](const auto& e) { return e[0] == values[0] && e[1] == values[1]; });
      const std::uint64_t data = random.next();
      const auto action = static_cast<std::uint32_t>(random.below(3));
      if (random.below(2)) {
        REQUIRE(table.remove(key) == (found != list.end()));
        if (found != list.end()) list.erase(found);
      } else if (found != list.end()) {
        REQUIRE(table.modify(key, action, {&data, 1}));
        (*found)[2] = action;
        (*found)[3] = data;
      } else if (list.size() < 40) {
        table.add(key, action, {&data, 1});
        list.push_back({values[0], values[1], action, data});
      }
      REQUIRE(table.size() == list.size());
      for (const auto& e : list) {
        const auto entry = table.find(table.pack(std::vector<std::uint64_t>{e[0], e[1]}));
        REQUIRE(entry != ExactTable::kMiss);
        REQUIRE(table.action(entry) == e[2]);
        REQUIRE(*table.data(entry) == e[3]);
      }
    }
  }
}

}  // namespace fit_placement_test

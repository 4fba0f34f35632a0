// Tables that are larger than a stage, and tables that are applied in several branches. Blocks are counted by hand
// (docs/hardware.md 6.2).
#include <fmt/core.h>

#include <catch2/catch.hpp>

#include "p4model/fit/placement.hpp"
#include "p4model/language/headers.hpp"

namespace divided_table_test {

using namespace racksim::p4;
using Catch::Contains;

namespace {

std::uint64_t used(const Placement& placement, int stage, StageResource resource) {
  return placement.usage(stage)[static_cast<std::size_t>(resource)];
}

/// A table of IPv4 addresses that gives a port.
Table& addresses(Program& p, const std::string& name, MatchKind kind, std::uint32_t entries) {
  auto& to_port = p.action(name + "_port");
  to_port.set(p.intrinsics().ucast_egress_port, to_port.data("port", 9));
  return p.table(name).key(p.header_field(&Ipv4::dst), kind).action(to_port).size(entries);
}

std::string refusal(const Program& p) {
  try {
    Placement(p, {});
  } catch (const ProgramError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("an exact table of 400,000 addresses lies in three stages") {
  // 32 bits of key, 9 of data and 4 of overhead: two entries in a word of 128, 2,048 in a block, 80 blocks in a stage.
  Program p("p");
  auto& table = addresses(p, "hosts", MatchKind::exact, 400'000);
  p.ingress().apply(table).on_hit([&](Block& b) { b.apply(p.action("found").set(p.header_field(&Ipv4::ttl), 1)); });
  const Placement placement(p, {});
  CHECK(used(placement, 0, StageResource::sram_blocks) == 80);
  CHECK(used(placement, 1, StageResource::sram_blocks) == 80);
  CHECK(used(placement, 2, StageResource::sram_blocks) == 36);
  CHECK(placement.stage_of(table) == 2);  // where it is known whether it was hit
  for (int stage = 0; stage < 3; ++stage) {
    CHECK(used(placement, stage, StageResource::logical_tables) == (stage < 2 ? 1U : 2U));
    CHECK(used(placement, stage, StageResource::hash_groups) == 1);
    CHECK(used(placement, stage, StageResource::crossbar_bytes) == 4);
    CHECK(placement.dependence(Gress::ingress, stage) == StageDependence::match);
  }
  CHECK(placement.dependence(Gress::ingress, 3) == StageDependence::concurrent);
  CHECK_THAT(placement.report(), Contains("hosts(163840 of 400000)") && Contains("hosts(72320 of 400000)"));
}

TEST_CASE("16,000 prefixes lie in two stages, each with the cycles of its TCAM") {
  Program p("p");
  p.ingress().apply(addresses(p, "routes", MatchKind::lpm, 16'000));
  const Placement placement(p, {});
  CHECK(used(placement, 0, StageResource::tcam_blocks) == 24);
  CHECK(used(placement, 1, StageResource::tcam_blocks) == 8);
  CHECK(placement.latency_cycles(Gress::ingress, 0) == 22);
  CHECK(placement.latency_cycles(Gress::ingress, 1) == 22);
  CHECK(placement.latency_cycles(Gress::ingress, 2) == 1);
}

TEST_CASE("what reads what a divided table writes comes behind its last part, and it comes behind what it reads") {
  Program p("p");
  auto& table = addresses(p, "hosts", MatchKind::exact, 400'000);
  p.ingress().apply(p.action("before").set(p.header_field(&Ipv4::dst), 1));
  p.ingress().apply(table);
  auto& last = p.table("last").default_action(p.action("after").set(p.intrinsics().ucast_egress_port, 1));
  p.ingress().apply(last);
  auto& changes_key = p.table("changes_key").default_action(p.action("change").set(p.header_field(&Ipv4::dst), 2));
  p.ingress().apply(changes_key);
  const Placement placement(p, {});
  CHECK(used(placement, 0, StageResource::sram_blocks) == 0);
  CHECK(placement.stage_of(table) == 3);
  CHECK(placement.stage_of(last) == 4);
  CHECK(placement.stage_of(changes_key) == 3);  // all parts have read it then
  CHECK(placement.dependence(Gress::ingress, 1) == StageDependence::match);
  CHECK(placement.dependence(Gress::ingress, 4) == StageDependence::action);
  CHECK(placement.dependence(Gress::ingress, 5) == StageDependence::concurrent);
}

TEST_CASE("a table that the stages cannot hold, or that holds more than entries, is refused") {
  // 12 stages of 80 blocks of 2,048 entries.
  const auto sized = [](std::uint32_t entries) {
    Program p("p");
    p.ingress().apply(addresses(p, "hosts", MatchKind::exact, entries));
    return refusal(p);
  };
  CHECK(sized(1'966'080).empty());
  CHECK_THAT(sized(1'966'081), Contains("table 'hosts'") && Contains("have room for 1966080 of the 1966081 entries") &&
                                   Contains("SRAM blocks") && Contains("fewer entries or a narrower key would help"));
  Program counted("p");
  auto& table = addresses(counted, "hosts", MatchKind::exact, 400'000);
  auto& hits = counted.direct_counter("HITS", CounterUnit::packets, table);
  table.actions.front()->direct_count(hits);
  counted.ingress().apply(table);
  CHECK_THAT(refusal(counted), Contains("HITS"));
  Program accessing("p");
  auto& with_array = addresses(accessing, "hosts", MatchKind::exact, 400'000);
  auto& array = accessing.register_array("SEEN", Width::single(32), 16);
  with_array.actions.front()->execute(array.action("mark").set(kLo, 1), 0);
  accessing.ingress().apply(with_array);
  CHECK_THAT(refusal(accessing), Contains("no stage from 0 on has room for table 'hosts' with register array 'SEEN'"));
  Program pinned("p");
  pinned.ingress().apply(addresses(pinned, "hosts", MatchKind::exact, 400'000).stage(1));
  CHECK_THAT(refusal(pinned), Contains("pinned to stage 1") && Contains("SRAM blocks"));
}

TEST_CASE("a table in two branches is one table of one stage") {
  const auto build = [](Program& p, bool hangs) -> Table& {
    const auto kind = p.field("kind", 8);
    auto& table = p.table("classes").key(kind).size(1024).action(p.action("act").set(p.intrinsics().drop, 1));
    p.ingress()
        .if_(p.header_field(&Ipv4::ttl) == 1)
        .then([&](Block& b) {
          b.apply(p.action("one").set(kind, 1));
          b.apply(table);
        })
        .else_([&](Block& b) {
          // The other branch is ready a stage earlier.
          const auto first = p.field("first", 8);
          b.apply(p.action("zero").set(first, 2));
          b.apply(p.action("two").set(kind, first));
          auto& application = b.apply(table);
          if (hangs) application.on_hit([&](Block& c) { c.apply(p.action("more").set(p.intrinsics().rid, 1)); });
        });
    return table;
  };
  Program p("p");
  auto& table = build(p, false);
  const Placement placement(p, {});
  CHECK(placement.stage_of(table) == 2);
  CHECK(used(placement, 1, StageResource::logical_tables) == 1);  // `two`
  CHECK(used(placement, 2, StageResource::logical_tables) == 1);
  CHECK(used(placement, 2, StageResource::sram_blocks) == 1);
  Program hanging("p");
  build(hanging, true);
  CHECK_THAT(refusal(hanging), Contains("'classes'") && Contains("something hangs on its hit or miss"));
}

TEST_CASE("a table on one way twice, or in both gresses, is refused") {
  Program twice("p");
  auto& again = twice.table("again").default_action(twice.action("a"));
  twice.ingress().if_(twice.header_field(&Ipv4::ttl) == 1).then([&](Block& b) { b.apply(again); });
  twice.ingress().apply(again);
  CHECK_THAT(refusal(twice), Contains("'again'") && Contains("applied twice on one way"));
  Program both("p");
  auto& table = both.table("again").default_action(both.action("a"));
  both.ingress().apply(table);
  both.egress().apply(table);
  CHECK_THAT(refusal(both), Contains("'again'") && Contains("both gresses"));
}

}  // namespace divided_table_test

// What meters and counters cost in a stage, and what is refused (docs/hardware.md 6.8).
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <functional>

#include "p4model/fit/placement.hpp"
#include "p4model/language/headers.hpp"

namespace meter_placement_test {

using namespace racksim::p4;
using Catch::Contains;

namespace {

std::string refusal_of(const std::function<void(Program&)>& build, const SwitchResources& resources = {}) {
  Program program("p");
  build(program);
  try {
    Placement placement(program, resources);
  } catch (const ProgramError& error) {
    return error.what();
  }
  return {};
}

std::uint64_t used(const Placement& placement, int stage, StageResource resource) {
  return placement.usage(stage)[static_cast<std::size_t>(resource)];
}

}  // namespace

TEST_CASE("a meter takes a word an entry, a spare block, map RAM as much and an ALU that register arrays use too") {
  Program p("p");
  const auto index = p.field("index", 12), colour = p.field("colour", 2);
  auto& meter = p.meter("M", MeterUnit::bytes, 2049);
  p.ingress().apply(p.action("mark").meter(meter, index, colour));
  const Placement placement(p, {});
  CHECK(placement.stage_of(meter) == 0);
  CHECK(used(placement, 0, StageResource::sram_blocks) == 4);  // 1024 entries a block: 3, and the spare
  CHECK(used(placement, 0, StageResource::map_ram_blocks) == 4);
  CHECK(used(placement, 0, StageResource::stateful_alus) == 1);
  CHECK(used(placement, 0, StageResource::statistics_alus) == 0);
  CHECK(used(placement, 0, StageResource::hash_slices) == 1);
  CHECK_THAT(placement.report(), Contains("mark[M]") && Contains("meter 'M': bytes, 2049 entries, stage 0"));
}

TEST_CASE("a counter packs two entries of one unit in a word, one of both, and has an ALU of its own") {
  for (const auto unit : {CounterUnit::packets, CounterUnit::bytes, CounterUnit::packets_and_bytes}) {
    Program p("p");
    auto& counter = p.counter("C", unit, 4096);
    p.ingress().apply(p.action("count").count(counter, p.field("index", 12)));
    const Placement placement(p, {});
    CHECK(used(placement, 0, StageResource::sram_blocks) == (unit == CounterUnit::packets_and_bytes ? 5 : 3));
    CHECK(used(placement, 0, StageResource::statistics_alus) == 1);
    CHECK(used(placement, 0, StageResource::stateful_alus) == 0);
    CHECK_THAT(placement.report(), Contains(fmt::format("counter 'C': {}, 4096 entries, stage 0", name_of(unit))));
  }
}

TEST_CASE("a direct one has its table's entries and lies in its stage, without hash bits") {
  Program p("p");
  auto& table = p.table("t").key(p.field("k", 16)).size(4096);
  auto& counter = p.direct_counter("C", CounterUnit::bytes, table);
  auto& act = p.action("act").direct_count(counter);
  table.action(act).stage(3);
  p.ingress().apply(table);
  const Placement placement(p, {});
  CHECK(placement.stage_of(counter) == 3);
  CHECK(used(placement, 3, StageResource::hash_slices) == 0);
  CHECK(used(placement, 3, StageResource::map_ram_blocks) == 3);
}

TEST_CASE("what does not fit goes on to the next stage, and is refused where there is none") {
  const auto five = [](Program& p) {
    for (int i = 0; i < 5; ++i) {
      auto& counter = p.counter(fmt::format("C{}", i), CounterUnit::packets, 16);
      p.ingress().apply(p.action(fmt::format("count{}", i)).count(counter, 0));
    }
  };
  Program p("p");
  five(p);
  CHECK(Placement(p, {}).stages_used() == 2);  // four statistics ALUs a stage
  SwitchResources one_stage;
  one_stage.stages = 1;
  CHECK_THAT(refusal_of(five, one_stage), Contains("'count4' with counter 'C4'") &&
                                              Contains("stage 0 runs out of statistics ALUs: 1 needed, 0 of 4"));
  const auto meters = [](Program& q) {
    const auto colour = q.field("colour", 2);
    for (int i = 0; i < 4; ++i) {
      auto& array = q.register_array(fmt::format("A{}", i), Width::single(8), 8);
      q.ingress().apply(q.action(fmt::format("read{}", i)).execute(array.action("nothing"), 0));
    }
    q.ingress().apply(q.action("mark").meter(q.meter("M", MeterUnit::bytes, 16), 0, colour));
  };
  CHECK_THAT(refusal_of(meters, one_stage), Contains("with meter 'M'") && Contains("runs out of stateful ALUs"));
  CHECK_THAT(refusal_of([](Program& q) { q.meter("M", MeterUnit::bytes, 36 * 1024); }),
             Contains("meter 'M' needs 36 SRAM blocks of data, 35 are available"));
}

TEST_CASE("a colour or an index that a meter or a counter needs comes from a stage before") {
  Program p("p");
  const auto colour = p.field("colour", 2);
  auto& meter = p.meter("M", MeterUnit::bytes, 16);
  auto& counter = p.counter("BY_COLOUR", CounterUnit::packets, 4);
  p.ingress().apply(p.action("mark").meter(meter, 0, colour));
  p.ingress().apply(p.action("count").count(counter, colour));
  const Placement placement(p, {});
  CHECK(placement.stage_of(counter) == placement.stage_of(meter) + 1);
  CHECK_THAT(refusal_of([](Program& q) {
               const auto c = q.field("colour", 2);
               auto& m = q.meter("M", MeterUnit::bytes, 16);
               q.ingress().apply(q.action("both").meter(m, 0, c).count(q.counter("C", CounterUnit::bytes, 4), c));
             }),
             Contains("'colour', the output of meter 'M', in the stage that produces it"));
}

TEST_CASE("what no hardware of this kind can do with meters and counters is refused by name") {
  CHECK_THAT(refusal_of([](Program& p) {
               auto& c = p.counter("TWICE", CounterUnit::bytes, 4);
               p.ingress().apply(p.action("a").count(c, 0));
               p.ingress().apply(p.action("b").count(c, 1));
             }),
             Contains("counter 'TWICE'") && Contains("twice in one pass"));
  CHECK_THAT(refusal_of([](Program& p) {
               auto& m = p.meter("TWICE", MeterUnit::bytes, 4);
               p.ingress().apply(p.action("a").meter(m, 0, p.field("x", 2)).meter(m, 1, p.field("y", 2)));
             }),
             Contains("meter 'TWICE'") && Contains("twice in one pass"));
  CHECK_THAT(refusal_of([](Program& p) {
               auto& c = p.counter("BOTH", CounterUnit::bytes, 4);
               p.ingress().apply(p.action("a").count(c, 0));
               p.egress().apply(p.action("b").count(c, 0));
             }),
             Contains("counter 'BOTH'") && Contains("belongs to one of them"));
  CHECK_THAT(refusal_of([](Program& p) {
               p.ingress().apply(p.action("a").meter(p.meter("M", MeterUnit::bytes, 4), 0, p.field("bit", 1)));
             }),
             Contains("a colour has 2 bits, 'bit' has 1"));
  CHECK_THAT(refusal_of([](Program& p) { p.counter("NONE", CounterUnit::bytes, 0); }), Contains("0 entries"));
  const auto direct = [](const std::function<void(Program&, Table&, Action&, const Counter&)>& fill) {
    return refusal_of([&](Program& p) {
      auto& table = p.table("t").key(p.field("k", 8)).size(8);
      auto& counter = p.direct_counter("DIRECT", CounterUnit::bytes, table);
      auto& act = p.action("act");
      fill(p, table, act, counter);
      p.ingress().apply(table);
    });
  };
  CHECK_THAT(direct([](Program&, Table& table, Action& act, const Counter& counter) {
               act.direct_count(counter);
               table.default_action(act);
             }),
             Contains("a miss, which runs the action, has no entry"));
  CHECK_THAT(direct([](Program&, Table& table, Action& act, const Counter& counter) {
               act.count(counter, 1);
               table.action(act);
             }),
             Contains("and no index"));
  CHECK_THAT(direct([](Program& p, Table& table, Action& act, const Counter& counter) {
               table.action(act);
               p.ingress().apply(
                   p.table("other").key(p.field("j", 8)).size(8).action(p.action("elsewhere").direct_count(counter)));
             }),
             Contains("it belongs to the entries of table 't'"));
  CHECK_THAT(refusal_of([](Program& p) {
               p.ingress().apply(p.action("a").direct_count(p.counter("C", CounterUnit::bytes, 4)));
             }),
             Contains("no index says which"));
}

}  // namespace meter_placement_test

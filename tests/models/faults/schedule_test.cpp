// The one place that begins and ends faults: what it shows, and what the heal does.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "models/faults/fault_menu.hpp"
#include "models/faults/faults.hpp"
#include "sim/record/trace.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace schedule_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

TEST_CASE("A trace says which fault begins and ends where and when") {
  FaultyRack t;
  std::ostringstream out;
  sim::JsonLinesTrace trace(t.event_log, out);
  t.event_log.attach(trace);
  t.add("nic-stall", {{"from", 2_us}, {"until", 4_us}, {"node", std::uint64_t{2}}, {"side", "sending"}});
  t.add("partition", {{"from", 3_us}, {"until", 5_us}, {"nodes", "0-2"}});
  t.schedule.start();
  t.calendar.run_until();
  CHECK(out.str() ==
        R"({"t_ps":2000000,"source":"fault/0/nic-stall/node2, sending","what":"fault_begun","op":0,"detail":[0,0,0]}
{"t_ps":2000000,"source":"fault/0/nic-stall/node2, sending","what":"disturbance","op":0,"detail":[3,0,0]}
{"t_ps":3000000,"source":"fault/1/partition/nodes 0-2","what":"fault_begun","op":0,"detail":[1,0,0]}
{"t_ps":4000000,"source":"fault/0/nic-stall/node2, sending","what":"fault_ended","op":0,"detail":[0,0,0]}
{"t_ps":4000000,"source":"fault/0/nic-stall/node2, sending","what":"disturbance","op":0,"detail":[4,0,0]}
{"t_ps":5000000,"source":"fault/1/partition/nodes 0-2","what":"fault_ended","op":0,"detail":[1,0,0]}
)");
}

TEST_CASE("A fault is part of the run hash even when nothing else happens") {
  std::set<std::string> hashes;
  const auto hash = [](const std::string& kind, const Options& options) {
    FaultyRack t;
    if (!kind.empty()) t.add(kind, options);
    t.schedule.start();
    t.calendar.run_until(at(10_us));
    return t.event_log.hash().hex();
  };
  const Options window{{"from", 2_us}, {"until", 4_us}}, longer{{"from", 2_us}, {"until", 5_us}};
  hashes.insert(hash("", {}));
  hashes.insert(hash("slow-core", window));
  hashes.insert(hash("slow-core", longer));
  CHECK(hashes.size() == 3);
}

TEST_CASE("Every kind of fault begins and is over soon after the heal") {
  for (const FaultEntry& entry : faults()) {
    INFO(entry.name);
    FaultyRack t;
    Options options{{"from", 10_us}};
    if (entry.name == "switch-restart") options.emplace_back("dead_time", 900_ms);
    if (entry.name == "partition") options.emplace_back("nodes", "0");
    if (entry.name == "noise") options.emplace_back("loss", 1.0);
    if (entry.names_packets) options.emplace_back("count", std::uint64_t{1'000'000});
    t.add(entry.name, options);
    t.schedule.start();
    t.calendar.run_until(at(50_us));
    CHECK(t.event_log.count(sim::Observed::fault_begun) == 1);
    CHECK(t.event_log.count(sim::Observed::fault_ended) == 0);
    t.schedule.heal();
    t.calendar.run_until(at(50_us + Fault::kHealNotice));
    CHECK(t.event_log.count(sim::Observed::fault_ended) == 1);
    // All to all, as in a rack that never knew a fault.
    FaultyRack sound;
    for (FaultyRack* rack : {&t, &sound}) {
      for (NodeId from = 0; from < 8; ++from) {
        for (NodeId to = 0; to < 8; ++to) rack->send_at(2_ms, from, to, from);
      }
      rack->calendar.run_until(at(10_ms));
    }
    for (NodeId to = 0; to < 8; ++to) {
      REQUIRE(t.hosts[to]->seen.size() == 8);
      for (std::size_t i = 0; i < 8; ++i) CHECK(t.hosts[to]->seen[i].when == sound.hosts[to]->seen[i].when);
    }
  }
}

TEST_CASE("Kinds of faults have distinct names in order, and a sentence for each option") {
  for (std::size_t i = 1; i < faults().size(); ++i) CHECK(faults()[i - 1].name < faults()[i].name);
  for (const FaultEntry& entry : faults()) {
    CHECK_FALSE(entry.doc.empty());
    sim::Parameters parameters;
    const auto fault = entry.make();
    fault->declare(parameters);
    for (const auto& parameter : parameters.all()) CHECK_FALSE(parameter.doc.empty());
  }
}

TEST_CASE("Random faults fit the rack, repeat with their stream and reach every kind") {
  std::vector<std::string> kinds;
  for (const FaultEntry& entry : faults()) kinds.push_back(entry.name);
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FaultScene scene{1 + seed % 8, 1_ms};
    RackOptions options = TestRack::small();
    options.nodes = scene.nodes;
    sim::RandomStream one(seed, "menu"), two(seed, "menu");
    const auto drawn = draw_faults(one, scene, kinds), again = draw_faults(two, scene, kinds);
    REQUIRE(drawn.size() == again.size());
    CHECK(drawn.size() <= 4);
    FaultyRack t(options);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      INFO("seed " << seed << ": " << drawn[i].kind);
      CHECK(drawn[i].kind == again[i].kind);
      CHECK(drawn[i].fault->where() == again[i].fault->where());
      CHECK(drawn[i].fault->from() == again[i].fault->from());
      CHECK(drawn[i].fault->until() == again[i].fault->until());
      CHECK(drawn[i].fault->from() < scene.length);
      CHECK_NOTHROW(t.schedule.add(drawn[i].kind, drawn[i].fault));
      seen.insert(drawn[i].kind);
    }
  }
  CHECK(seen.size() == kinds.size());
}

TEST_CASE("A menu of unknown or no kinds is refused") {
  sim::RandomStream random(1, "menu");
  CHECK_THROWS_WITH(draw_faults(random, {4, 1_ms}, {"nois"}), "there is no kind of fault 'nois'");
  CHECK_THROWS_WITH(draw_faults(random, {4, 1_ms}, {}), "there is no kind of fault to draw from");
  CHECK_THROWS_WITH(draw_faults(random, {1, 1_ms}, {"partition"}), "there is no kind of fault to draw from");
}

TEST_CASE("Drawn lengths stay within their bounds and favour no magnitude") {
  sim::RandomStream random(1, "lengths");
  int shorter = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto length = draw_length(random, 1_us, 1024_us);
    CHECK((length >= 1_us && length <= 1024_us));
    CHECK(length.ps() % 1000 == 0);
    if (length < 32_us) ++shorter;
  }
  // 32 us is half-way between the magnitudes: 5 of the 11 doublings lie below it.
  CHECK(shorter == Approx(4000 * 5 / 11).epsilon(0.1));
}

}  // namespace schedule_test

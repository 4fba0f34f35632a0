// What packets do in a switch without a rack is told stage by stage, at the instants of the switch's own model.
#include <algorithm>
#include <catch2/catch.hpp>

#include "p4model/execute/pipeline.hpp"
#include "tests/tools/lone_switch/examples.hpp"

namespace story_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;
using namespace racksim::sim::literals;
using Catch::Contains;

namespace {

using Type = StageStep::Type;
using Ports = std::vector<unsigned>;

/// n cycles of 1.22 GHz, rounded up to the picosecond (docs/hardware.md 6.4).
sim::Duration cycles(std::uint64_t n) {
  return sim::Duration::from_ps(static_cast<std::int64_t>((n * 100'000 + 121) / 122));
}

}  // namespace

TEST_CASE("a packet is looked up, leaves by its port and takes the time of two passes, a queue and its wire") {
  const auto story = story_of_example("l2l3-forwarding", "forwarding");
  REQUIRE(story.packets.size() == 4);
  const auto& known = story.packets[0];
  CHECK(ports_of(known) == Ports{1});
  const auto lookups = steps(known, Type::lookup);
  REQUIRE(lookups.size() == 1);
  CHECK(lookups[0].name == "forward_by_mac");
  CHECK(lookups[0].stage == 0);
  CHECK(lookups[0].values == NamedValues{{"ethernet.dst", "02:00:00:00:00:02"}});
  CHECK(lookups[0].yes);
  CHECK(lookups[0].action == "forward_to_port");
  CHECK(lookups[0].data == NamedValues{{"port", "1"}});
  const auto changes = steps(known, Type::change);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].name == "ucast_egress_port");
  CHECK(changes[0].before == "unset");
  CHECK(changes[0].after == "1");

  const auto program = program_named("l2l3-forwarding");
  const p4::Placement placement(*program, {});
  const auto ingress = 100_ns + cycles(placement.latency_cycles(p4::Gress::ingress)) + 30_ns;
  const auto egress = cycles(placement.latency_cycles(p4::Gress::egress)) + 30_ns;
  const auto departure = all<DepartureStory>(known)[0];
  CHECK(departure.first == sim::Time{} + ingress + 100_ns + egress);
  // 14 bytes of Ethernet, 20 of IPv4, 100 of payload and the frame check sequence; preamble and gap on the wire.
  CHECK(departure.second.frame_bytes == 138);
  CHECK(departure.second.arrival == departure.first + sim::Duration::from_ps((138 + 20) * 80));
}

TEST_CASE("a miss, a gateway, a multicast with an exclusion and a drop are told as they are") {
  const auto story = story_of_example("l2l3-forwarding", "forwarding");
  const auto& by_ip = story.packets[1];
  CHECK(ports_of(by_ip) == Ports{2});
  const auto lookups = steps(by_ip, Type::lookup);
  REQUIRE(lookups.size() == 2);
  CHECK(!lookups[0].yes);
  CHECK(lookups[0].action.empty());
  CHECK(lookups[1].yes);
  const auto gateways = steps(by_ip, Type::gateway);
  REQUIRE(gateways.size() == 1);
  CHECK(gateways[0].name == "if (ipv4.isValid == 1)");
  CHECK(gateways[0].yes);

  const auto& group = story.packets[2];
  CHECK(ports_of(group) == Ports{1, 2});
  CHECK(all<PassStory>(group).size() == 3);
  const auto copies = all<DepartureStory>(group);
  CHECK(copies[1].first - copies[0].first == cycles(1));

  const auto& unknown = story.packets[3];
  CHECK(ports_of(unknown).empty());
  CHECK(steps(unknown, Type::action).at(0).action == "forward_drop");
  REQUIRE(all<DropStory>(unknown).size() == 1);
  CHECK(all<DropStory>(unknown)[0].second.reason == "switch_program");
}

TEST_CASE("registers are shown before and after, presets included, and a resubmission as a second pass") {
  const auto story = story_of_example("example-visits", "visits");
  REQUIRE(story.packets.size() == 2);
  const auto& first = story.packets[0];
  const auto accesses = steps(first, Type::access);
  REQUIRE(accesses.size() == 1);
  CHECK(accesses[0].name == "VISITS");
  CHECK(accesses[0].action == "visit");
  CHECK(accesses[0].index == 5);
  CHECK(accesses[0].before == "0");
  CHECK(accesses[0].after == "1");
  CHECK(accesses[0].output == "1");
  const auto passes = all<PassStory>(first);
  REQUIRE(passes.size() == 3);  // two of ingress, one of egress
  CHECK(passes[0].second.outcome == "resubmitted with 1");
  CHECK(!passes[0].second.resubmitted);
  CHECK(passes[1].second.resubmitted);
  CHECK(passes[1].first - passes[0].first == story.ingress_latency);
  CHECK(ports_of(first) == Ports{1});
  CHECK(field_of(all<DepartureStory>(first)[0].second.headers, "ipv4", "identification") == "1");

  // The preset count is 41: the packet is not the first visitor, and goes round as often as its time to live has it.
  const auto& late = story.packets[1];
  CHECK(steps(late, Type::access).at(0).before == "41");
  CHECK(steps(late, Type::access).at(0).after == "42");
  CHECK(ports_of(late) == Ports{4, 4, 2});
  const auto departures = all<DepartureStory>(late);
  CHECK(departures[0].second.recirculates);
  CHECK(field_of(departures[2].second.headers, "ipv4", "ttl") == "0");
  // Each round: ingress, traffic manager, egress, and the wire of 64 bytes and what surrounds them at 100 Gbit/s.
  const auto round = story.ingress_latency + 100_ns + story.egress_latency + sim::Duration::from_ps((64 + 20) * 80);
  CHECK(departures[1].first - departures[0].first == round);
}

TEST_CASE("the story as text shows each stage once, and as JSON holds the same") {
  const auto story = story_of_example("l2l3-forwarding", "forwarding");
  const auto text = story_text(story);
  CHECK_THAT(text, Contains("packet 1 (known address): by port 0, 138 bytes"));
  CHECK_THAT(text, Contains("stage 0   table forward_by_mac: ethernet.dst 02:00:00:00:00:02: hit, "
                            "forward_to_port(port 1)"));
  CHECK_THAT(text, Contains("ucast_egress_port: unset -> 1"));
  CHECK_THAT(text, Contains("to multicast group 7, without the ports of exclusion 0"));
  CHECK_THAT(text, Contains("dropped at switch/pipe0/ingress: switch_program"));
  const auto json = story_json(story);
  const auto& events = *json.find("packets")->elements()->at(0).find("events")->elements();
  REQUIRE(events.size() == 3);
  CHECK(*events[0].find("event")->string() == "ingress");
  CHECK(*events[0].find("steps")->elements()->at(0).find("key")->find("ethernet.dst")->string() == "02:00:00:00:00:02");
  CHECK(events[2].find("last_bit_ps")->natural() ==
        static_cast<std::uint64_t>(all<DepartureStory>(story.packets[0])[0].second.arrival.ps()));
}

TEST_CASE("a packet that the parser knows no way for is rejected where it stopped") {
  const auto story = story_of("l2l3-forwarding", parse_json(R"({"packets": [{"port": 0, "headers": {"udp": {}}},
    {"port": 0, "headers": {"ethernet": {"ether_type": 2048}}}]})",
                                                            "packets.json"));
  const auto first = all<PassStory>(story.packets[0]), second = all<PassStory>(story.packets[1]);
  REQUIRE(first.size() == 1);
  CHECK(first[0].second.rejected);
  CHECK(first[0].second.parsed.empty());
  CHECK(second.at(0).second.rejected);
  CHECK(second.at(0).second.parsed == std::vector<std::string>{"ethernet"});
}

TEST_CASE("what a watched pass does to packets and registers is what an unwatched one does") {
  const auto program = program_named("netcache");
  p4::Pipeline plain(program), watched(program);
  struct Deaf final : p4::StageWatcher {
    void parsed(p4::Gress, std::size_t, bool) override {}
    void stage_begins(int) override { ++stages; }
    void node_begins(const p4::ProgramNode&) override {}
    void decided(bool) override {}
    void looked_up(const p4::TableLookup&) override {}
    void register_used(const p4::RegisterUse&) override { ++registers; }
    void metered(const p4::MeterUse&) override {}
    void counted(const p4::CounterUse&) override {}
    void field_changed(p4::FieldRef, std::optional<std::uint64_t>, std::optional<std::uint64_t>) override {}
    int stages = 0, registers = 0;
  } deaf;
  watched.watch(&deaf);
  p4::PacketPool pool;
  for (std::uint64_t round = 0; round < 64; ++round) {
    auto a = pool.make(), b = pool.make();
    for (auto* packet : {a.get(), b.get()}) {
      for (const auto& header : program->headers()) {
        auto words = header.defaults;
        for (std::size_t f = 0; f < words.size(); ++f) {
          // Any values will do, as long as some of them choose the program's own headers.
          if (words[f] == 0) words[f] = (round * 7 + f) & p4::mask_of(header.layout->fields[f].bits);
        }
        packet->push_words(*header.layout, words.data());
      }
    }
    CHECK(plain.run_ingress(*a, {.port = 1}) == watched.run_ingress(*b, {.port = 1}));
    CHECK(a->same_headers(*b));
    CHECK(plain.run_egress(*a, {.port = 2}) == watched.run_egress(*b, {.port = 2}));
    CHECK(a->same_headers(*b));
  }
  CHECK(deaf.stages > 0);
}

}  // namespace story_test

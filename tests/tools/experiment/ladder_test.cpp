// Ladders of checkpoints: built from a journal, stored, and compared.
#include "tools/experiment/ladder.hpp"

#include <catch2/catch.hpp>

#include "sim/record/journal.hpp"
#include "tests/tools/refusal.hpp"

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;
using namespace sim::literals;

namespace {

/// Three sources in two places; each step of 10 us records one observation each, and `odd` one that others do not make.
struct Story {
  struct Odd {
    sim::Time at;
    int source;
  };

  static Ladder tell(int steps, std::vector<Odd> odd, std::uint64_t seed = 1, bool extra_place = false) {
    sim::Journal journal;
    journal.fold_configuration("{}", seed);
    std::vector<sim::Source> sources{journal.add_source("node0/nic"), journal.add_source("node0/thread0"),
                                     journal.add_source("switch")};
    if (extra_place) sources.push_back(journal.add_source("wire/silent"));
    LadderBuilder ladder(journal);
    sim::Time now, next_rung = sim::Time{} + ladder.interval();
    for (int step = 0; step < steps; ++step) {
      now += 10_us;
      for (int source = 0; source < 3; ++source) {
        journal.record(sim::Observed::message_sent, sources[source], now - 1_us, 0, step);
      }
      for (const auto& o : odd) {
        if (o.at == now - 1_us) journal.record(sim::Observed::fault_begun, sources[o.source], o.at, 0);
      }
      if (now == next_rung) {
        ladder.add(now);
        next_rung = now + ladder.interval();
      }
    }
    return ladder.finish(now);
  }
};

sim::Time us(std::int64_t n) {
  return sim::Time::from_ps(n * 1'000'000);
}

}  // namespace

TEST_CASE("sources with the same first name share a place") {
  CHECK(Story::tell(1, {}).places == std::vector<std::string>{"node0", "switch"});
}

TEST_CASE("the rungs of a long run are halved and stay evenly spaced") {
  const auto ladder = Story::tell(2000, {});
  CHECK(ladder.rungs.size() < LadderBuilder::kMostRungs);
  CHECK(ladder.rungs.size() >= LadderBuilder::kMostRungs / 2 - 1);
  const auto interval = ladder.rungs[0].at - sim::Time{};
  for (std::size_t i = 1; i < ladder.rungs.size(); ++i) CHECK(ladder.rungs[i].at - ladder.rungs[i - 1].at == interval);
  CHECK(ladder.end.at == us(20000));
}

TEST_CASE("two runs part between the last rung that agrees and the first that does not") {
  const auto plain = Story::tell(20, {});
  CHECK_FALSE(where_parted(plain, Story::tell(20, {})));
  const auto parting = where_parted(plain, Story::tell(20, {{us(69), 2}, {us(99), 0}}));
  REQUIRE(parting);
  CHECK(parting->after == us(60));
  CHECK(parting->by == us(70));
  CHECK(parting->places == std::vector<std::string>{"switch"});
}

TEST_CASE("another configuration or seed is no difference in what was observed") {
  const auto one = Story::tell(5, {}, 1), two = Story::tell(5, {}, 2);
  CHECK_FALSE(one.end.hash == two.end.hash);
  CHECK_FALSE(where_parted(one, two));
}

TEST_CASE("ladders whose intervals doubled differently are compared at common rungs") {
  const auto shorter = Story::tell(400, {{us(2019), 1}}), longer = Story::tell(3000, {});
  const auto parting = where_parted(shorter, longer);
  REQUIRE(parting);
  // 3,000 steps have doubled the interval to 80 us: 2,019 us lies between 2,000 us and 2,080 us.
  CHECK(parting->after == us(2000));
  CHECK(parting->by == us(2080));
  CHECK(parting->places == std::vector<std::string>{"node0"});
}

TEST_CASE("runs that part after the last common rung are told apart by their ends") {
  const auto parting = where_parted(Story::tell(20, {}), Story::tell(25, {}));
  REQUIRE(parting);
  CHECK(parting->after == us(200));
  CHECK_FALSE(parting->by);
}

TEST_CASE("a place that only one run has differs once it records something") {
  CHECK_FALSE(where_parted(Story::tell(5, {}), Story::tell(5, {}, 1, true)));
  const auto parting = where_parted(Story::tell(5, {}), Story::tell(5, {{us(29), 3}}, 1, true));
  REQUIRE(parting);
  CHECK(parting->places == std::vector<std::string>{"wire"});
}

TEST_CASE("a ladder is read back as it was written and refused where it is wrong") {
  const auto ladder = Story::tell(7, {});
  const std::string text = to_json(ladder_json(ladder));
  CHECK(read_ladder(parse_json(text, "f"), {"f", ""}) == ladder);
  const auto refuse = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return refusal([&] { read_ladder(parse_json(changed, "f"), {"f", ""}); });
  };
  CHECK_THAT(refuse("\"places\"", "\"placse\""), Catch::StartsWith("f: /: found no \"places\""));
  CHECK_THAT(refuse("10000.0", "\"soon\""), Catch::StartsWith("f: /checkpoints/0/time_ns: found the string"));
  CHECK_THAT(refuse("10000.0", "20000.0"), Catch::StartsWith("f: /checkpoints/1/time_ns: found a time not after"));
  CHECK_THAT(refuse(ladder.rungs[1].hash.hex(), "12"), Catch::StartsWith("f: /checkpoints/1/run_hash: found \"12\""));
  CHECK_THAT(refuse(ladder.rungs[2].hash.hex(), std::string(32, 'z')),
             Catch::StartsWith("f: /checkpoints/2/run_hash: found \"zzz"));
  CHECK_THAT(refuse("\"end\"", "\"ende\""), Catch::StartsWith("f: /: found no \"end\""));
  CHECK_THAT(refuse("\"switch\"", "\"switch\", \"x\""), Catch::Contains("found 2 elements, expected 3"));
}

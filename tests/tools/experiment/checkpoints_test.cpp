// Checkpoints: built from an event log, stored, and compared.
#include "tools/experiment/checkpoints.hpp"

#include <catch2/catch.hpp>

#include "sim/record/event_log.hpp"
#include "tests/tools/refusal.hpp"

namespace checkpoints_test {

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

  static Checkpoints tell(int steps, std::vector<Odd> odd, std::uint64_t seed = 1, bool extra_place = false) {
    sim::EventLog event_log;
    event_log.fold_configuration("{}", seed);
    std::vector<sim::Source> sources{event_log.add_source("node0/nic"), event_log.add_source("node0/thread0"),
                                     event_log.add_source("switch")};
    if (extra_place) sources.push_back(event_log.add_source("wire/silent"));
    CheckpointBuilder checkpoints(event_log);
    sim::Time now, next_checkpoint = sim::Time{} + checkpoints.interval();
    for (int step = 0; step < steps; ++step) {
      now += 10_us;
      for (int source = 0; source < 3; ++source) {
        event_log.record(sim::Observed::message_sent, sources[source], now - 1_us, 0, step);
      }
      for (const auto& o : odd) {
        if (o.at == now - 1_us) event_log.record(sim::Observed::fault_begun, sources[o.source], o.at, 0);
      }
      if (now == next_checkpoint) {
        checkpoints.add(now);
        next_checkpoint = now + checkpoints.interval();
      }
    }
    return checkpoints.finish(now);
  }
};

sim::Time us(std::int64_t n) {
  return sim::Time::from_ps(n * 1'000'000);
}

}  // namespace

TEST_CASE("sources with the same first name share a place") {
  CHECK(Story::tell(1, {}).places == std::vector<std::string>{"node0", "switch"});
}

TEST_CASE("the checkpoints of a long run are halved and stay evenly spaced") {
  const auto checkpoints = Story::tell(2000, {});
  CHECK(checkpoints.regular.size() < CheckpointBuilder::kMost);
  CHECK(checkpoints.regular.size() >= CheckpointBuilder::kMost / 2 - 1);
  const auto interval = checkpoints.regular[0].at - sim::Time{};
  for (std::size_t i = 1; i < checkpoints.regular.size(); ++i)
    CHECK(checkpoints.regular[i].at - checkpoints.regular[i - 1].at == interval);
  CHECK(checkpoints.end.at == us(20000));
}

TEST_CASE("two runs part between the last checkpoint that agrees and the first that does not") {
  const auto plain = Story::tell(20, {});
  CHECK_FALSE(first_divergence(plain, Story::tell(20, {})));
  const auto divergence = first_divergence(plain, Story::tell(20, {{us(69), 2}, {us(99), 0}}));
  REQUIRE(divergence);
  CHECK(divergence->after == us(60));
  CHECK(divergence->by == us(70));
  CHECK(divergence->places == std::vector<std::string>{"switch"});
}

TEST_CASE("another configuration or seed is no difference in what was observed") {
  const auto one = Story::tell(5, {}, 1), two = Story::tell(5, {}, 2);
  CHECK_FALSE(one.end.hash == two.end.hash);
  CHECK_FALSE(first_divergence(one, two));
}

TEST_CASE("checkpoints whose intervals doubled differently are compared at common checkpoints") {
  const auto shorter = Story::tell(400, {{us(2019), 1}}), longer = Story::tell(3000, {});
  const auto divergence = first_divergence(shorter, longer);
  REQUIRE(divergence);
  // 3,000 steps have doubled the interval to 80 us: 2,019 us lies between 2,000 us and 2,080 us.
  CHECK(divergence->after == us(2000));
  CHECK(divergence->by == us(2080));
  CHECK(divergence->places == std::vector<std::string>{"node0"});
}

TEST_CASE("runs that part after the last common checkpoint are told apart by their ends") {
  const auto divergence = first_divergence(Story::tell(20, {}), Story::tell(25, {}));
  REQUIRE(divergence);
  CHECK(divergence->after == us(200));
  CHECK_FALSE(divergence->by);
}

TEST_CASE("a place that only one run has differs once it records something") {
  CHECK_FALSE(first_divergence(Story::tell(5, {}), Story::tell(5, {}, 1, true)));
  const auto divergence = first_divergence(Story::tell(5, {}), Story::tell(5, {{us(29), 3}}, 1, true));
  REQUIRE(divergence);
  CHECK(divergence->places == std::vector<std::string>{"wire"});
}

TEST_CASE("checkpoints is read back as it was written and refused where it is wrong") {
  const auto checkpoints = Story::tell(7, {});
  const std::string text = to_json(checkpoints_json(checkpoints));
  CHECK(read_checkpoints(parse_json(text, "f"), {"f", ""}) == checkpoints);
  const auto refuse = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return refusal([&] { read_checkpoints(parse_json(changed, "f"), {"f", ""}); });
  };
  CHECK_THAT(refuse("\"places\"", "\"placse\""), Catch::StartsWith("f: /: found no \"places\""));
  CHECK_THAT(refuse("10000.0", "\"soon\""), Catch::StartsWith("f: /checkpoints/0/time_ns: found the string"));
  CHECK_THAT(refuse("10000.0", "20000.0"), Catch::StartsWith("f: /checkpoints/1/time_ns: found a time not after"));
  CHECK_THAT(refuse(checkpoints.regular[1].hash.hex(), "12"),
             Catch::StartsWith("f: /checkpoints/1/run_hash: found \"12\""));
  CHECK_THAT(refuse(checkpoints.regular[2].hash.hex(), std::string(32, 'z')),
             Catch::StartsWith("f: /checkpoints/2/run_hash: found \"zzz"));
  CHECK_THAT(refuse("\"end\"", "\"ende\""), Catch::StartsWith("f: /: found no \"end\""));
  CHECK_THAT(refuse("\"switch\"", "\"switch\", \"x\""), Catch::Contains("found 2 elements, expected 3"));
}

}  // namespace checkpoints_test

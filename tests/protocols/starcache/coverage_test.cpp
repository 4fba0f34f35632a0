// The coverage map of StarCache and NoCache: what is declared, and that runs mark it where it happens.
#include "protocols/starcache/coverage.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "models/service/protocol.hpp"
#include "protocols/starcache/messages.hpp"
#include "tests/protocols/starcache/starcache_run.hpp"

namespace starcache_coverage_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

/// Whether the pair of that name, or any point whose name has that part, has been reached.
bool reached(const sim::Coverage& coverage, const std::string& name) {
  const bool pair = name.find(" / ") != std::string::npos;
  for (std::size_t point = 0; point < coverage.map().points(); ++point) {
    const std::string full = coverage.map().name_of(point);
    if ((pair ? full == name : full.find(name) != std::string::npos) && coverage.reached(point)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("every point has a name of its own, and states and messages are numbered as declared") {
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("starcache")->coverage;
  std::set<std::string> names;
  for (std::size_t point = 0; point < map.points(); ++point) names.insert(map.name_of(point));
  CHECK(names.size() == map.points());
  CHECK(map.states.size() == 7);
  CHECK(map.states[kNotCached] == "not cached");
  for (const auto queue : {QueueState::empty, QueueState::waiting, QueueState::full}) {
    const char* const names_of_queues[] = {"empty queue", "waiting requests", "full queue"};
    const std::string of_queue = names_of_queues[static_cast<std::size_t>(queue)];
    CHECK(map.states[coverage_state(Validity::invalid, queue)] == "invalid, " + of_queue);
    CHECK(map.states[coverage_state(Validity::valid, queue)] == "valid, " + of_queue);
  }
  CHECK(map.messages[switch_cache::coverage_message(kMessages, Op::read_reply, true)] == "R-REP that circulates");
  CHECK(switch_cache::coverage_message(kMessages, starcache::kReport) == switch_cache::kNoMessage);
  CHECK(map.race_points[races.late_answer.number] == "client: an answer to a request that is over");
  CHECK(map.race_points[races.report_repeated.number] == map.race_points.back());
}

TEST_CASE("both protocols declare their map when they register") {
  for (const auto& entry : models::protocols()) {
    if (entry.name == "nocache") CHECK(entry.coverage.race_points == store::coverage_map().race_points);
    if (entry.name == "starcache") CHECK(entry.coverage.race_points == starcache::coverage_map().race_points);
  }
}

TEST_CASE("a script marks the states that its messages meet and the races that it makes happen") {
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("starcache")->coverage;
  sim::Coverage coverage(map);
  Setup setup = with_hot_key();
  setup.mark(coverage);
  StarCacheRun run(setup);
  run.advance(20_us);
  CHECK(reached(coverage, "invalid, empty queue / F-REQ"));
  CHECK(reached(coverage, "invalid, empty queue / F-REP of a server"));
  CHECK(reached(coverage, "valid, empty queue / F-REP in its first loop"));
  CHECK(reached(coverage, "valid, empty queue / R-REP that circulates"));
  CHECK_FALSE(reached(coverage, "R-REQ"));
  run.get_now(kAlice, kHot);
  CHECK(reached(coverage, "valid, empty queue / R-REQ"));
  CHECK(reached(coverage, "valid, waiting requests / R-REP that circulates"));
  run.get_now(kAlice, kCold);
  CHECK(reached(coverage, "not cached / R-REQ"));
  CHECK_FALSE(reached(coverage, "rule i)"));
  run.have_write_overtaken();
  run.advance(200_us);
  CHECK(reached(coverage, "rule i)"));
  CHECK(reached(coverage, "valid, empty queue / W-REFUSED"));
  CHECK(reached(coverage, "a write that was refused is sent again"));
  CHECK_FALSE(reached(coverage, "its key evicted"));
  run.evict(kHot);
  CHECK(reached(coverage, "not cached / E-REQ"));
  CHECK(reached(coverage, "its key evicted"));
  CHECK_FALSE(reached(coverage, "switch boots"));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("marking what a run exercises does not change the run") {
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("starcache")->coverage;
  sim::Coverage coverage(map);
  std::string hashes[2];
  for (const bool marked : {false, true}) {
    Setup setup = contended(1);
    setup.rack.faults.loss = 0.01;
    if (marked) setup.mark(coverage);
    StarCacheOptions options = busy();
    options.updates = true;
    StarCacheRun run(setup, options);
    run.finish();
    hashes[marked] = run.hash();
  }
  CHECK(hashes[0] == hashes[1]);
  CHECK(coverage.count().pairs > 20);
}

}  // namespace starcache_coverage_test

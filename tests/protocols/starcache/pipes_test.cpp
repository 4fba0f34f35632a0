// StarCache on a switch with several pipes: each has a cache of its own, and requests must come by the pipe in which
// the cache packets of their items circulate (StarCache §3.10).
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/protocols/starcache/starcache_run.hpp"

namespace pipes_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;
using namespace racksim::sim::literals;

namespace {

/// Two clients in one rack; in the other as many servers as pipes, each in its own.
Setup over_pipes(std::uint64_t pipes, Setup setup = with_hot_key()) {
  setup.rack.nodes = 2 + pipes;
  setup.rack.topology.racks = 2;
  setup.rack.topology.last_rack = pipes;
  setup.rack.topology.pipes = pipes;
  setup.rack.network_switch.ports = 64;
  return setup;
}

StarCacheOptions servers(std::uint64_t nodes, StarCacheOptions options = small()) {
  options.server_nodes = nodes;
  return options;
}

/// The `n`th key, from 0, of a server.
sim::Key key_of(unsigned server, unsigned servers, unsigned n = 0) {
  for (std::uint64_t key = 1;; ++key) {
    if (store::server_of(store::key_hash(sim::Key(key), 128), servers) == server && n-- == 0) return sim::Key(key);
  }
}

std::uint64_t read_at(StarCacheRun& run, unsigned pipe, const p4::RegisterArray* array, std::uint64_t index = 0) {
  return run.servers_switch().pipeline(pipe).registers().read(array->id, index);
}

std::string refusal(const Setup& setup, const StarCacheOptions& options) {
  try {
    StarCacheRun run(setup, options);
  } catch (const sim::OptionError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("each item is cached in the pipe of its server's port, and circulates there") {
  const Coherence coherence = GENERATE(Coherence::versions, Coherence::paper);
  const sim::Key first = key_of(0, 2), second = key_of(1, 2);
  Setup setup = over_pipes(2);
  setup.script.hottest = {first, second};
  StarCacheRun run(setup, servers(2, small(coherence)));
  run.advance(100_us);
  CHECK(run.star.manager().row_of(first).pipe == 0);
  CHECK(run.star.manager().row_of(second).pipe == 1);
  CHECK(run.servers_switch().packets_circulating() == 2);
  run.get_now(kAlice, first);
  run.get_now(kBob, second);
  run.get_now(kAlice, second);
  CHECK(run.counter("store.answers_by_switch") == 3);
  CHECK(read_at(run, 0, run.star.program().hits) == 1);
  CHECK(read_at(run, 1, run.star.program().hits) == 2);
  CHECK(run.servers_switch().pipeline(0).entries(*run.star.program().lookup) == 1);
  CHECK(run.servers_switch().pipeline(1).entries(*run.star.program().lookup) == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a fetch for an item of another pipe than the control CPU's gets its version where the item is cached") {
  const sim::Key key = key_of(1, 2);
  Setup setup = over_pipes(2);
  setup.script.hottest = {};
  StarCacheRun run(setup, servers(2));
  REQUIRE(run.install(key));
  const switch_cache::RowAt row = run.star.manager().row_of(key);
  CHECK(row.pipe == 1);
  // The insertion's version and the fetch's.
  CHECK(read_at(run, 1, run.star.program().state, row.index) == (std::uint64_t{1} << 32 | 2));
  run.put_now(kAlice, key);
  run.advance(50_us);
  CHECK(read_at(run, 1, run.star.program().state, row.index) == (std::uint64_t{1} << 32 | 3));
  run.evict(key);
  CHECK_FALSE(run.star.manager().is_cached(key));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("each pipe begins with as many of its servers' hottest keys as the cache is to have") {
  Setup setup = over_pipes(2);
  setup.script.hottest.clear();
  for (unsigned n = 0; n < 6; ++n) setup.script.hottest.push_back(key_of(0, 2, n));
  for (unsigned n = 0; n < 3; ++n) setup.script.hottest.push_back(key_of(1, 2, n));
  StarCacheRun run(setup, servers(2));  // of four keys a pipe
  run.advance(200_us);
  CHECK(run.star.manager().size() == 7);
  CHECK(run.star.manager().is_cached(key_of(0, 2, 3)));
  CHECK_FALSE(run.star.manager().is_cached(key_of(0, 2, 4)));
  CHECK(run.star.manager().room() == 2 * 8 - 7);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the controller fits the cache of each pipe by that pipe's own counts") {
  const sim::Key hot = key_of(0, 2), other = key_of(1, 2);
  Setup setup = over_pipes(2);
  setup.script.hottest = {hot, key_of(0, 2, 1), other, key_of(1, 2, 1)};
  auto options = servers(2);
  options.sizing = true;
  options.overflow_threshold = 0.5;
  StarCacheRun run(setup, options);
  run.advance(100_us);
  // Of ten hits in the first pipe nine overflowed, in the second none of ten.
  run.servers_switch().pipeline(0).registers().write(run.star.program().hits->id, 0, 10);
  run.servers_switch().pipeline(0).registers().write(run.star.program().overflow->id, 0, 9);
  run.servers_switch().pipeline(1).registers().write(run.star.program().hits->id, 0, 10);
  run.round();
  CHECK(run.star.manager().size() == 3);  // one fewer in the first; the second may grow, but nobody reports a key
  CHECK(run.star.controller().target() == 1 + 3);
  CHECK(run.star.controller().overflow_ratio() == Approx(9.0 / 20));
  CHECK(run.star.manager().is_cached(other));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("with two pipes and wires that lose, double and reorder nothing is stale and nobody waits for ever") {
  const std::uint64_t seed = GENERATE(1u, 2u);
  Setup setup = over_pipes(2, contended(seed));
  setup.rack.faults.loss = 0.01;
  setup.rack.faults.duplicate = 0.01;
  setup.rack.faults.reorder = 0.02;
  setup.rack.faults.reorder_delay = 10_us;
  auto options = servers(2, busy());
  options.updates = true;
  StarCacheRun run(setup, options);
  run.finish();
  CHECK(run.counter("store.answers_by_switch") > 0);
  CHECK(run.violations() == "");
}

TEST_CASE("requests that come by another pipe than the cache packets circulate in are refused before the run") {
  Setup one_link = over_pipes(2);
  one_link.rack.topology.uplinks = 1;
  CHECK_THAT(refusal(one_link, servers(2)),
             Catch::Contains("/rack/topology: found node 0, whose requests for node 3 come to tor1 by another pipe of "
                             "the switch, 0, than the cache packets circulate in, 1") &&
                 Catch::Contains("a link to the spine for each pipe that has servers") && Catch::Contains("§3.10"));
  Setup one_rack = with_hot_key();
  one_rack.rack.topology.pipes = 2;
  CHECK_THAT(refusal(one_rack, small()), Catch::Contains("/rack/nodes: found node 1, whose requests for node 2") &&
                                             Catch::Contains("in different racks"));
  CHECK(refusal(over_pipes(2), servers(2)).empty());
}

TEST_CASE("pipes serve in proportion to their number, where all keys are cached") {
  // Each pipe's recirculation port and link to the spine carry 100 Gb/s, so that the pipe with the most keys is the
  // bottleneck of all: keys are asked for alike.
  constexpr std::uint64_t kKeysOfAPipe = 32, kPartitions = 4;
  const auto served = [](std::uint64_t pipes) {
    Setup setup = over_pipes(pipes);
    setup.rack.cores = 16;
    setup.rack.nodes = 8 + pipes;
    models::KeyValueOptions workload;
    workload.threads = 8;
    workload.keys = kKeysOfAPipe * pipes;
    workload.zipf = 0;
    workload.loop = models::KeyValueOptions::Loop::closed;
    workload.window = 16;
    workload.small_share = 0;
    setup.workload = workload;
    setup.tapped = false;
    setup.plan.warmup = {200_us, std::nullopt};
    setup.measure(20'000);
    StarCacheOptions options;
    options.server_nodes = pipes;
    options.partitions = kPartitions;
    options.cache_size = 128;
    options.cache_entries = 512;
    options.queue_size = 128;
    options.service_work = 500_ns;  // what is asked for before the values circulate is soon answered
    StarCacheRun run(setup, options);
    run.finish();
    CHECK(run.violations() == "");
    return run.gauge("store.switch_mops");
  };
  std::vector<double> keys(4);
  for (std::uint64_t key = 0; key < 4 * kKeysOfAPipe; ++key) {
    ++keys[store::server_of(store::key_hash(sim::Key(key), 128), 4 * kPartitions) / kPartitions];
  }
  const double most = *std::max_element(keys.begin(), keys.end());
  const double one = served(1), four = served(4);
  CAPTURE(one, four, most);
  CHECK(four == Approx(one * 4 * kKeysOfAPipe / most).epsilon(0.1));
  CHECK(four > 2.5 * one);
}

TEST_CASE("items that circulate in one of four pipes alone are found at rest, though all clients are served") {
  Setup setup = over_pipes(4);
  setup.script.hottest = {key_of(0, 4), key_of(1, 4), key_of(2, 4), key_of(3, 4)};
  const Coherence coherence = GENERATE(Coherence::versions, Coherence::paper);
  const bool broken = GENERATE(true, false);
  StarCacheRun run(setup, servers(4, small(coherence)));
  models::SwitchChassis& chassis = run.servers_switch();
  // The groups of a pipe are those of the two clients and the controller (star_program.hpp): without recirculation.
  for (std::uint16_t group = 4; broken && group <= 12; ++group) {
    const unsigned pipe = (group - 1U) / 3, member = (group - 1U) % 3;
    const unsigned port = member == 2
                              ? chassis.cpu_port()
                              : run.rack.port_towards(chassis.number(), pipe, static_cast<models::NodeId>(member));
    chassis.replication().set_group(group, {{0, {static_cast<std::uint16_t>(port)}}});
  }
  run.advance(100_us);
  for (const sim::Key key : setup.script.hottest) run.put_now(kAlice, key);
  run.advance(100_us);
  for (const sim::Key key : setup.script.hottest) CHECK_FALSE(run.get_now(kBob, key).given_up);
  run.finish();
  CHECK(run.found("dead-entry") == broken);
  if (!broken) CHECK(run.violations() == "");
  std::string found;
  for (const models::Leak& leak : run.star.leaks()) found += leak.what + "\n";
  for (unsigned pipe = 0; pipe < 4; ++pipe) {
    const auto dead = fmt::format("of pipe {}, and not all packets of its value circulate there", pipe);
    CHECK((found.find(dead) != std::string::npos) == (broken && pipe > 0));
  }
}

}  // namespace pipes_test

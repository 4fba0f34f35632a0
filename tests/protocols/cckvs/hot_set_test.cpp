// A hot set that is learnt, on a rack (ccKVS §4): what the coordinator finds out, how keys come into all caches and go
// back to their homes while clients use them, and what happens when messages or nodes are lost.
//
// Here a test ends the epochs, in the place of the coordinator's actor.
#include "protocols/cckvs/hot_set.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "models/service/table_description.hpp"
#include "tests/protocols/cckvs/cckvs_run.hpp"

namespace hot_set_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;

namespace {

constexpr NodeId kCoordinator = 0;

Options learning(Consistency consistency, std::uint64_t keys) {
  Options options = small(consistency);
  options.learning = true;
  options.cache_keys = keys;
  options.sample_every = 1;
  options.coordinator = kCoordinator;
  return options;
}

Cckvs& cckvs_of(CckvsRun& run) {
  return dynamic_cast<Cckvs&>(*run.cluster);
}
Coordinator& coordinator_of(CckvsRun& run) {
  return cckvs_of(run).hot_set()->coordinator();
}
std::uint64_t keys_in_cache(CckvsRun& run, NodeId node) {
  return cckvs_of(run).cache(node).cache().size();
}

/// Lets the coordinator see so many gets of a key, and decide.
void ask_for(CckvsRun& run, std::uint64_t key, int times) {
  for (int i = 0; i < times; ++i) run.get_now(kAlice, key);
}
void end_epoch(CckvsRun& run) {
  coordinator_of(run).end_epoch();
  run.advance(200_us);
}

/// Where the popularity of keys changes all the time, on a network that holds packets back, or loses some.
Setup churning(std::uint64_t seed, bool lossy) {
  Setup setup;
  setup.seed = seed;
  setup.rack.nodes = 4;
  setup.workload = contended_keys(40, 8, 0.3);
  setup.workload->swap_keys = 8;
  setup.workload->swap_interval = 60_us;
  setup.measure(30'000);
  setup.add_fault("noise", lossy ? R"({"loss": 0.01, "duplicate": 0.01, "reorder": 0.1, "reorder_delay": "20us"})"
                                 : R"({"reorder": 0.15, "reorder_delay": "40us"})");
  return setup;
}
Options churned(Consistency consistency, bool lossy) {
  Options options = learning(consistency, 8);
  options.margin = 0;
  options.rules.retransmit = lossy;
  options.retransmit_after = 50_us;
  return options;
}
/// With epochs of 20 us for a while, and to the end.
void churn(CckvsRun& run, int epochs) {
  for (int i = 0; i < epochs; ++i) {
    run.advance(20_us);
    coordinator_of(run).end_epoch();
  }
  run.finish();
}

}  // namespace

TEST_CASE("a key that is asked for often comes into all caches, and has its last value at home when it leaves",
          "[claim:cckvs-inv-writeback]") {
  const auto consistency = GENERATE(Consistency::sc, Consistency::lin);
  CckvsRun run(Setup(), learning(consistency, 1));
  const std::uint64_t first = run.key_at(2), second = run.key_at(1);
  CHECK(run.get_now(kBob, first).value == 0);
  ask_for(run, first, 3);
  CHECK(run.counter("store.answers_by_cache") == 0);
  end_epoch(run);
  for (NodeId node = 0; node < 3; ++node) CHECK(keys_in_cache(run, node) == 1);

  const Ended written = run.put_now(kBob, first);
  run.advance(50_us);
  for (NodeId node = 0; node < 3; ++node) CHECK(run.get_now({node, 0}, first).value == written.value);
  CHECK(run.counter("store.answers_by_cache") == 4);
  CHECK(run.counted("store_writes") == 0);

  ask_for(run, second, 10);
  end_epoch(run);
  CHECK(run.counted("hot_set.evictions") == 1);
  CHECK(run.counted("hot_set.write_backs") == 1);
  const std::uint64_t by_cache = run.counter("store.answers_by_cache");
  for (NodeId node = 0; node < 3; ++node) CHECK(run.get_now({node, 0}, first).value == written.value);
  CHECK(run.counter("store.answers_by_cache") == by_cache);
  CHECK(run.get_now(kCarol, second).value == 0);
  CHECK(run.counter("store.answers_by_cache") == by_cache + 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("only the home of a key that leaves looks whether it was modified, and writes it back if so (§4)",
          "[claim:cckvs-inv-writeback]") {
  CckvsRun run(Setup(), learning(Consistency::lin, 1));
  const std::uint64_t first = run.key_at(2), second = run.key_at(1);
  run.put_now(kAlice, first);
  for (int i = 0; i < 3; ++i) {
    ask_for(run, first, 5);
    end_epoch(run);
    ask_for(run, second, 5);
    end_epoch(run);
  }
  CHECK(run.counted("hot_set.evictions") == 5);
  CHECK(run.counted("hot_set.write_backs") == 0);
  CHECK(run.counted("store_writes") == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("versions go on rising while a key is in the store, and when it comes back into the caches") {
  CckvsRun run(Setup(), learning(Consistency::lin, 1));
  const std::uint64_t key = run.key_at(2), other = run.key_at(1);
  const auto version = [&](NodeId node) {
    return cckvs_of(run).cache(node).cache().find(sim::Key(key))->header.version;
  };
  run.put_now(kBob, key);
  run.put_now(kBob, key);
  ask_for(run, key, 3);
  end_epoch(run);
  CHECK(version(0) == 2);
  run.put_now(kAlice, key);
  run.advance(50_us);
  CHECK(version(1) == 3);
  ask_for(run, other, 9);
  end_epoch(run);
  run.put_now(kAlice, key);
  ask_for(run, key, 9);
  end_epoch(run);
  CHECK(version(1) == 4);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a key takes another's place if it is hotter by the margin, and not for one request more") {
  Options options = learning(Consistency::lin, 1);
  options.margin = 0.5;
  CckvsRun run(Setup(), options);
  ask_for(run, 1, 10);
  end_epoch(run);
  ask_for(run, 1, 10);
  ask_for(run, 2, 15);
  end_epoch(run);
  CHECK(run.counted("hot_set.evictions") == 0);
  ask_for(run, 1, 10);
  ask_for(run, 2, 16);
  end_epoch(run);
  CHECK(run.counted("hot_set.evictions") == 1);
  // An epoch without requests changes nothing.
  end_epoch(run);
  CHECK(run.counted("hot_set.evictions") == 1);
  CHECK(keys_in_cache(run, 2) == 1);
}

TEST_CASE("the coordinator counts one request of its own node's sessions in so many, and nobody else's") {
  Options options = learning(Consistency::lin, 4);
  options.sample_every = 4;
  CckvsRun run(Setup(), options);
  for (int i = 0; i < 50; ++i) run.get_now(kBob, 1);
  CHECK(run.counted("hot_set.samples") == 0);
  for (int i = 0; i < 2000; ++i) run.get_now(kAlice, 1);
  // Four standard deviations of a binomial distribution of 2,000 and 1/4.
  CHECK(run.counted("hot_set.samples") > 500 - 78);
  CHECK(run.counted("hot_set.samples") < 500 + 78);
}

TEST_CASE("after a shift of popularity the hit ratio comes back to within 1 % of what it was with preloaded keys") {
  const auto consistency = GENERATE(Consistency::sc, Consistency::lin);
  Setup setup;
  setup.rack.nodes = 4;
  setup.workload = contended_keys(4000, 50, 0.02);
  setup.workload->window = 16;
  setup.workload->swap_keys = 50;
  setup.workload->swap_interval = 4_ms;
  setup.plan.measure = {7_ms, {}};
  Options options = learning(consistency, 50);
  options.changes_at_once = 32;
  CckvsRun run(setup, options);
  const auto hit_ratio = [&](sim::Duration length) {
    const std::uint64_t by_cache = run.counter("store.answers_by_cache"), all = run.counter("store.answers");
    run.advance(length);
    return static_cast<double>(run.counter("store.answers_by_cache") - by_cache) /
           static_cast<double>(run.counter("store.answers") - all);
  };
  run.advance(200_us);
  const double preloaded = hit_ratio(1800_us);
  run.advance_to(sim::Time{} + 4_ms);
  coordinator_of(run).end_epoch();  // which knows nothing of the shift yet
  const double shifted = hit_ratio(1_ms);
  coordinator_of(run).end_epoch();
  run.advance(200_us);
  const double learnt = hit_ratio(1800_us);
  CHECK(shifted < preloaded / 2);
  CHECK(learnt > 0.99 * preloaded);
  CHECK(learnt < 1.01 * preloaded);
  CHECK(run.counted("hot_set.installs") >= 45);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("caches that are empty fill up with the hottest keys, and hold no more than there is room for") {
  Setup setup;
  setup.workload = contended_keys(1000, 0, 0.1);
  setup.measure(40'000);
  Options options = learning(Consistency::lin, 20);
  options.changes_at_once = 64;
  CckvsRun run(setup, options);
  std::uint64_t most = 0;
  for (int i = 0; i < 40; ++i) {
    for (int step = 0; step < 25; ++step) {
      run.advance(1_us);
      for (NodeId node = 0; node < 3; ++node) most = std::max(most, keys_in_cache(run, node));
    }
    coordinator_of(run).end_epoch();
  }
  CHECK(most == 20);
  run.finish();
  CHECK(run.counted("hot_set.evictions") > 0);
  for (NodeId node = 0; node < 3; ++node) CHECK(keys_in_cache(run, node) == 20);
  CHECK(run.violations() == "");
}

TEST_CASE("hundreds of changes under load keep both consistencies, and equal keys in all caches at rest") {
  const auto consistency = GENERATE(Consistency::sc, Consistency::lin);
  const bool lossy = GENERATE(false, true);
  const auto seed = GENERATE(1u, 2u);
  CckvsRun run(churning(seed, lossy), churned(consistency, lossy));
  churn(run, 500);
  CHECK(run.violations() == "");
  CHECK(run.counted("hot_set.evictions") + run.counted("hot_set.installs") > 200);
  CHECK(run.counted("hot_set.held") > 0);
  CHECK(run.counted("hot_set.write_backs") > 0);
  for (NodeId node = 1; node < 4; ++node) CHECK(keys_in_cache(run, node) == keys_in_cache(run, 0));
}

// Alice's put, at the key's home, has lost against Bob's, whose update is lost; Carol's acknowledgement is late. So the
// home is the last to seal, and by the acknowledgement the key leaves without having become Valid again.
TEST_CASE("a key that leaves its home by an acknowledgement while it is Invalid is not looked after any more") {
  Options options = learning(Consistency::lin, 1);
  options.rules.retransmit = true;
  options.rules.losers = Rules::Losers::acked;
  options.retransmit_after = 1_ms;
  CckvsRun run(Setup(), options);
  const sim::Key key{run.key_at(0)};
  ask_for(run, key, 3);
  end_epoch(run);
  ask_for(run, run.key_at(1), 10);
  const SymmetricCache& home = cckvs_of(run).cache(0);
  REQUIRE(home.has(key));

  const auto fault = [&](NodeId from, std::uint64_t nth, models::TargetedFault::Effect effect) {
    models::TargetedFault of;
    of.match = {.header = "deth", .fields = {}, .origins = models::NodeSet{}.set(from)};
    of.first = nth;
    of.effect = effect;
    of.delay = 400_us;
    run.rack.downlink(0).add_targeted_fault(of);
  };
  fault(1, 3, models::TargetedFault::Effect::drop);  // behind Bob's invalidation and his acknowledgement of Alice's
  fault(2, 1, models::TargetedFault::Effect::hold);
  run.put(kAlice, key);
  run.put(kBob, key);
  run.advance(20_us);
  const std::size_t ended = run.ended();
  REQUIRE(home.cache().find(key)->header.state != CacheState::valid);
  REQUIRE(home.unreadable() == 1);
  end_epoch(run);
  CHECK(home.has(key));  // the other two have sealed it
  run.advance(300_us);
  CHECK(run.ended() == ended + 1);  // Alice's put
  CHECK_FALSE(home.has(key));
  CHECK(home.unreadable() == 0);
  CHECK(run.counted("hot_set.evictions") == 1);
  run.advance(5_ms);
  CHECK(run.counted("sent_again") == 0);
  CHECK(run.get_now(kCarol, key).value == run.cluster->newest_value(kBob));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the printed hand-over loses puts or serves stale values, and each rule is for something") {
  using HandOver = Rules::HandOver;
  struct Fault {
    HandOver rule;
    Consistency consistency;
    const char* violation;
  };
  const auto fault = GENERATE(Fault{HandOver::paper, Consistency::lin, "data-value"},
                              Fault{HandOver::paper, Consistency::sc, "sequential"},
                              Fault{HandOver::active_at_install, Consistency::lin, "data-value"},
                              Fault{HandOver::puts_while_installing, Consistency::lin, "data-value"},
                              Fault{HandOver::puts_while_installing, Consistency::sc, "sequential"},
                              Fault{HandOver::store_while_cached, Consistency::lin, "data-value"},
                              Fault{HandOver::sealed_early, Consistency::lin, "data-value"},
                              Fault{HandOver::home_alone, Consistency::lin, "data-value"},
                              Fault{HandOver::answers_ignored, Consistency::sc, "sequential"});
  CAPTURE(static_cast<int>(fault.rule), static_cast<int>(fault.consistency));
  Options options = churned(fault.consistency, false);
  options.rules.hand_over = fault.rule;
  bool caught = false;
  for (std::uint64_t seed = 1; seed <= 6 && !caught; ++seed) {
    CckvsRun run(churning(seed, false), options);
    try {
      churn(run, 400);
    } catch (const models::UndefinedTransition&) {  // it leads there too, before anybody reads what is wrong
      continue;
    }
    caught = run.found(fault.violation);
  }
  CHECK(caught);
}

TEST_CASE("a change waits for a node that has crashed, and whoever asks is told so") {
  Setup setup;
  setup.add_fault("crash", R"({"node": 2, "from": "10us", "stays_down": true})");
  setup.plan.stall = 10_s;
  CckvsRun run(setup, learning(Consistency::lin, 1));
  const std::uint64_t key = run.key_at(1);
  run.advance(20_us);
  ask_for(run, key, 3);
  end_epoch(run);
  bool named = false;
  for (const std::string& wait : run.waits()) {
    named = named || (wait.find("node2") != std::string::npos && wait.find("INSTALL of key") != std::string::npos);
  }
  CHECK(named);
  // Its store goes on answering gets.
  CHECK(run.get_now(kAlice, key).took > 0_ns);
  CHECK(run.counter("store.answers_by_cache") == 0);
}

TEST_CASE("learning is refused where it cannot work, with the reason") {
  Options options = learning(Consistency::lin, 4);
  options.partitioning = Partitioning::erew;
  CHECK(refusal_of(Setup(), options, "/protocol/cckvs/store") == "");
  options = learning(Consistency::lin, 4);
  options.coordinator = 3;
  CHECK(refusal_of(Setup(), options, "/protocol/cckvs/hot_set/coordinator") == "");
  options = learning(Consistency::lin, 0);
  CHECK(refusal_of(Setup(), options, "/protocol/cckvs/cache_keys") == "");
  options.cache_keys = std::nullopt;
  CHECK(refusal_of(Setup(), options, "/protocol/cckvs/cache_keys") == "");
  options = learning(Consistency::sc, 4);
  options.rules.version_bits = 16;
  CHECK(refusal_of(Setup(), options, "/protocol/cckvs/version_bits") == "");
}

}  // namespace hot_set_test

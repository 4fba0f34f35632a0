// What each rule of Lin prevents: the rule is off, and a client sees it.
#include "tests/protocols/cckvs/keys/caches.hpp"

namespace unsafe_rules_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;

namespace {

Rules without(bool Rules::*mechanism) {
  Rules rules;
  rules.*mechanism = false;
  return rules;
}

}  // namespace

TEST_CASE("as printed a put that lost never returns, although no message is missing") {
  Rules rules;
  rules.source = Rules::Source::paper;
  Caches caches(rules);
  caches.put(0, 5);
  caches.put(1, 6);
  caches.deliver_all();
  CHECK(caches.told() == Texts{"put 6"});
  CHECK(caches.state(0) == CacheState::valid);
  REQUIRE(caches.cache(0).work(sim::Key(7u)) != nullptr);
  CHECK(caches.cache(0).work(sim::Key(7u))->puts.size() == 1);
}

TEST_CASE("as printed the acknowledgement of a put that lost counts for the node's next put") {
  Rules rules;
  rules.source = Rules::Source::paper;
  Caches caches(rules);
  caches.put(0, 5);
  caches.deliver('i', 0, 2);
  caches.put(1, 6);
  caches.deliver('i', 1, 0);
  caches.deliver('i', 1, 2);
  caches.deliver('a', 0, 1);
  caches.deliver('a', 2, 1);
  caches.deliver('u', 1, 0);
  caches.deliver('u', 1, 2);
  caches.told();
  caches.put(0, 7);
  caches.deliver('i', 0, 1);  // the first put's, which lost
  caches.deliver('i', 0, 1);
  caches.deliver('a', 1, 0);
  caches.deliver('a', 2, 0);  // of the first put
  CHECK(caches.told() == Texts{"put 7"});
  caches.get(2, 11);
  CHECK(caches.told() == Texts{"get 11 = 6"});  // stale: 7 has returned
}

TEST_CASE("if losers return at once a third node reads the old value behind them") {
  Rules rules;
  rules.losers = Rules::Losers::at_once;
  Caches caches(rules);
  caches.put(0, 5);
  caches.put(1, 6);
  caches.deliver('i', 1, 0);
  CHECK(caches.told() == Texts{"put 5 lost"});
  caches.get(2, 11);
  CHECK(caches.told() == Texts{"get 11 = 100"});
}

TEST_CASE("with a counter an acknowledgement that comes twice commits a put early") {
  Caches caches(without(&Rules::ack_set));
  caches.put(0, 5);
  caches.deliver('i', 0, 1);
  caches.deliver('a', 1, 0, true);
  caches.deliver('a', 1, 0);
  CHECK(caches.told() == Texts{"put 5"});
  caches.get(2, 11);
  CHECK(caches.told() == Texts{"get 11 = 100"});
}

TEST_CASE("with one acknowledgement too few a node reads the old value behind a put") {
  Caches caches(without(&Rules::all_acks));
  caches.put(0, 5);
  caches.deliver('i', 0, 1);
  caches.deliver('a', 1, 0);
  CHECK(caches.told() == Texts{"put 5"});
  caches.get(2, 11);
  CHECK(caches.told() == Texts{"get 11 = 100"});
}

TEST_CASE("without Invalid a node reads the old value behind a put") {
  Caches caches(without(&Rules::invalid_state));
  caches.put(0, 5);
  caches.deliver('i', 0, 1);
  caches.deliver('i', 0, 2);
  caches.deliver('a', 1, 0);
  caches.deliver('a', 2, 0);
  caches.get(1, 11);
  CHECK(caches.told() == Texts{"put 5", "get 11 = 100"});
}

TEST_CASE("without the tie-break two puts wait for each other") {
  Caches caches(without(&Rules::tie_break));
  caches.put(0, 5);
  caches.put(1, 6);
  caches.deliver_all();
  CHECK(caches.told() == Texts{});
  CHECK(caches.state(0) == CacheState::write);
  CHECK(caches.state(1) == CacheState::write);
}

TEST_CASE("without a look at its timestamp a late update brings an overwritten value back") {
  Caches caches(without(&Rules::update_timestamps));
  caches.put(0, 5);
  caches.deliver('i', 0, 1);
  caches.deliver('i', 0, 2);
  caches.deliver('a', 1, 0);
  caches.deliver('a', 2, 0);
  caches.deliver('u', 0, 1);
  caches.put(1, 6);
  caches.deliver('i', 1, 0);
  caches.deliver('i', 1, 2);
  caches.deliver('a', 0, 1);
  caches.deliver('a', 2, 1);
  caches.told();
  caches.deliver('u', 0, 2);
  caches.get(2, 11);
  CHECK(caches.told() == Texts{"get 11 = 5"});
}

TEST_CASE("a known invalidation that invalidates a Valid copy leaves it waiting for an update that has come") {
  Caches caches(without(&Rules::equal_ignored));
  caches.put(0, 5);
  caches.deliver('i', 0, 1, true);
  caches.deliver('i', 0, 2);
  caches.deliver('a', 1, 0);
  caches.deliver('a', 2, 0);
  caches.deliver('u', 0, 1);
  caches.deliver_all();
  CHECK(caches.state(1) == CacheState::invalid);
}

TEST_CASE("a get in Write that returns the new value may be followed by one of the old value elsewhere") {
  Rules rules;
  rules.get_in_write = Rules::GetInWrite::new_value;
  Caches caches(rules);
  caches.put(0, 5);
  caches.get(0, 11);
  caches.get(1, 12);
  CHECK(caches.told() == Texts{"get 11 = 5", "get 12 = 100"});
}

TEST_CASE("with losers acked a get in Write that returns the old value may be stale") {
  Rules rules;
  rules.losers = Rules::Losers::acked;
  rules.get_in_write = Rules::GetInWrite::old_value;
  Caches caches(rules);
  caches.put(0, 5);
  caches.put(1, 6);
  caches.deliver('i', 0, 1);
  caches.deliver('i', 0, 2);
  caches.deliver('a', 1, 0);
  caches.deliver('a', 2, 0);
  CHECK(caches.told() == Texts{"put 5"});
  caches.get(1, 11);
  CHECK(caches.told() == Texts{"get 11 = 100"});
}

}  // namespace unsafe_rules_test

// Lin in one node's cache, row by row, and its safe rules.
#include "tests/protocols/cckvs/keys/caches.hpp"

namespace lin_table_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;

namespace {

Rules acked() {
  Rules rules;
  rules.losers = Rules::Losers::acked;
  return rules;
}
Rules retransmitting() {
  Rules rules;
  rules.retransmit = true;
  return rules;
}

}  // namespace

TEST_CASE("a header has the eight bytes that are printed, and an entry eight more for its value") {
  CHECK(sizeof(Header) == 8);
  CHECK(sizeof(Entry) == 16);
}

TEST_CASE("a get of a Valid key is answered at once and changes nothing") {
  Caches caches({});
  caches.get(0, 1);
  CHECK(caches.told() == Texts{"get 1 = 100"});
  CHECK(caches.sent.empty());
  CHECK(caches.state(0) == CacheState::valid);
  CHECK(caches.cache(0).work(sim::Key(7u)) == nullptr);
}

TEST_CASE("a put invalidates, commits with the last acknowledgement, and updates: 3(N-1) messages",
          "[claim:cckvs-inv-hot-write-msgs-lin]") {
  Caches caches({});
  caches.put(1, 5);
  CHECK(caches.state(1) == CacheState::write);
  CHECK(caches.value(1) == kOld);  // the value enters the entry when the put commits
  CHECK(caches.under_way() == Texts{"i 1->0 1.1", "i 1->2 1.1"});
  caches.deliver('i', 1, 0);
  CHECK(caches.state(0) == CacheState::invalid);
  CHECK(caches.timestamp(0) == Timestamp{1, 1});
  caches.deliver('i', 1, 2);
  caches.deliver('a', 0, 1);
  CHECK(caches.entry(1).header.acks == 1);
  CHECK(caches.told() == Texts{});
  CHECK(caches.state(1) == CacheState::write);
  caches.deliver('a', 2, 1);
  CHECK(caches.told() == Texts{"put 5"});
  CHECK(caches.state(1) == CacheState::valid);
  CHECK(caches.under_way() == Texts{"u 1->0 1.1", "u 1->2 1.1"});
  caches.deliver_all();
  for (const NodeId node : {0, 1, 2}) {
    CHECK(caches.state(node) == CacheState::valid);
    CHECK(caches.value(node) == 5);
    CHECK(caches.timestamp(node) == Timestamp{1, 1});
  }
  CHECK(caches.readable() == Texts{"hidden 1", "hidden 0", "hidden 2", "valid 1", "valid 0", "valid 2"});
}

TEST_CASE("gets and puts of a key in Invalid or Write wait, and can go on in their order when it is Valid") {
  Rules rules;
  rules.stalled = Rules::Stalled::in_order;
  Caches caches(rules);
  caches.put(1, 5);
  caches.get(1, 11);
  caches.deliver('i', 1, 0);
  caches.get(0, 12);
  caches.put(0, 6);
  caches.get(0, 13);
  CHECK(caches.told() == Texts{"11 waits", "12 waits", "6 waits", "13 waits"});
  caches.deliver('i', 1, 2);
  caches.deliver('a', 0, 1);
  caches.deliver('a', 2, 1);
  CHECK(caches.told() == Texts{"put 5", "get 11 = 5"});
  caches.deliver('u', 1, 0);  // the get before the put is answered, the one behind it waits on
  CHECK(caches.told() == Texts{"get 12 = 5"});
  CHECK(caches.state(0) == CacheState::write);
  CHECK(caches.timestamp(0) == Timestamp{2, 0});
  caches.deliver_all();
  CHECK(caches.told() == Texts{"put 6", "get 13 = 6"});
}

TEST_CASE("what waits goes on together: all gets, then all puts, each on top of the one before") {
  Caches caches({});
  caches.put(1, 5);
  caches.deliver('i', 1, 0);
  caches.deliver('i', 1, 2);
  caches.put(0, 6);
  caches.get(0, 11);
  caches.put(0, 7);
  caches.get(0, 12);
  caches.deliver('a', 0, 1);
  caches.deliver('a', 2, 1);
  CHECK(caches.told() == Texts{"6 waits", "11 waits", "7 waits", "12 waits", "put 5"});
  caches.deliver('u', 1, 0);
  CHECK(caches.told() == Texts{"get 11 = 5", "get 12 = 5"});
  CHECK(caches.timestamp(0) == Timestamp{3, 0});
  CHECK(caches.under_way() == Texts{"u 1->2 1.1", "i 0->1 2.0", "i 0->2 2.0", "i 0->1 3.0", "i 0->2 3.0"});
  caches.put(0, 8);  // whoever comes later waits: else of a hot key none would ever commit
  CHECK(caches.told() == Texts{"8 waits"});
  caches.deliver_all();
  CHECK(caches.told() == Texts{"put 7", "put 6 lost", "put 8"});
  CHECK(caches.value(2) == 8);
}

// Of 2 nodes with 5 bits, 15 versions are told apart: 2 nodes with 3 puts that begin and 3 before them.
TEST_CASE("no more puts go on together than the bits of a version tell apart") {
  Rules rules;
  rules.version_bits = 5;
  Caches caches(rules, 2);
  caches.put(1, 5);
  caches.deliver('i', 1, 0);
  for (const std::uint64_t put : {11, 12, 13, 14}) caches.put(0, put);
  caches.deliver('a', 0, 1);
  caches.deliver('u', 1, 0);
  CHECK(caches.under_way() == Texts{"i 0->1 2.0", "i 0->1 3.0", "i 0->1 4.0"});
  caches.told();
  caches.deliver_all();
  CHECK(caches.told() == Texts{"put 13", "put 11 lost", "put 12 lost", "put 14"});
}

TEST_CASE("no more puts begin at once than the bits of a version tell apart, and the others wait") {
  Rules rules;
  rules.version_bits = 5;
  rules.start_at_once = true;
  Caches caches(rules, 2);
  for (const std::uint64_t put : {11, 12, 13, 14, 15}) caches.put(0, put);
  CHECK(caches.under_way() == Texts{"i 0->1 1.0", "i 0->1 2.0", "i 0->1 3.0"});
  CHECK(caches.told() == Texts{"14 waits", "15 waits"});
  caches.deliver_all();
  CHECK(caches.told() == Texts{"put 13", "put 11 lost", "put 12 lost", "put 15", "put 14 lost"});
}

TEST_CASE("puts that have lost count among those that a node has under way") {
  Rules rules;
  rules.version_bits = 5;
  rules.start_at_once = true;
  Caches caches(rules, 2);
  for (const std::uint64_t put : {11, 12}) caches.put(0, put);
  for (const std::uint64_t put : {21, 22}) caches.put(1, put);
  caches.deliver('i', 1, 0);
  caches.deliver('i', 1, 0);
  caches.put(0, 13);  // on top of what has come
  caches.put(0, 14);
  CHECK(caches.timestamp(0) == Timestamp{3, 0});
  CHECK(caches.told() == Texts{"14 waits"});
}

TEST_CASE("of two puts at once the one of the greater node wins, and the other returns when its key is next Valid") {
  Caches caches({});
  caches.put(0, 5);
  caches.put(1, 6);
  caches.deliver('i', 0, 1);  // it lost: ignored
  CHECK(caches.state(1) == CacheState::write);
  caches.deliver('i', 1, 0);
  CHECK(caches.state(0) == CacheState::invalid);
  CHECK(caches.timestamp(0) == Timestamp{1, 1});
  caches.deliver('i', 0, 2);
  CHECK(caches.timestamp(2) == Timestamp{1, 0});
  caches.deliver('i', 1, 2);  // invalidated anew
  CHECK(caches.timestamp(2) == Timestamp{1, 1});
  CHECK(caches.under_way() == Texts{"a 0->1 1.1", "a 2->0 1.0", "a 2->1 1.1"});
  caches.deliver('a', 2, 0);  // of the put that lost: for nothing
  caches.deliver('a', 0, 1);
  caches.deliver('a', 2, 1);
  CHECK(caches.told() == Texts{"put 6"});
  caches.deliver('u', 1, 0);
  CHECK(caches.told() == Texts{"put 5 lost"});
  CHECK(caches.value(0) == 6);
  CHECK(caches.cache(0).work(sim::Key(7u)) == nullptr);
}

TEST_CASE("a put that lost returns with the next put of its own node too") {
  Rules rules;
  rules.start_at_once = true;
  Caches caches(rules);
  caches.put(0, 5);
  caches.put(0, 6);
  CHECK(caches.timestamp(0) == Timestamp{2, 0});
  caches.deliver_all();
  CHECK(caches.told() == Texts{"put 6", "put 5 lost"});
  CHECK(caches.value(1) == 6);
}

TEST_CASE("an update of another timestamp is discarded, and one for a Valid key is") {
  Caches caches({});
  caches.put(0, 5);
  caches.deliver('i', 0, 2);
  caches.deliver('i', 0, 1);
  caches.deliver('a', 2, 0);
  caches.deliver('a', 1, 0);
  caches.deliver('u', 0, 1);
  caches.put(1, 6);
  caches.deliver('i', 1, 2);
  caches.deliver('u', 0, 2);  // of the put before
  CHECK(caches.state(2) == CacheState::invalid);
  caches.deliver_all();
  CHECK(caches.value(2) == 6);
  caches.sent.push_back({'u', 0, 2, {1, 0}, 5});
  caches.deliver_all();
  CHECK(caches.value(2) == 6);
}

TEST_CASE("with losers acked a put that lost returns when all have acknowledged it, without an update") {
  Caches caches(acked());
  caches.put(0, 5);
  caches.put(1, 6);
  caches.deliver('i', 0, 1);  // acknowledged although it lost
  caches.deliver('i', 1, 0);
  caches.deliver('i', 0, 2);
  caches.deliver('a', 1, 0);
  CHECK(caches.told() == Texts{});
  caches.deliver('a', 2, 0);
  CHECK(caches.told() == Texts{"put 5 lost"});
  CHECK(caches.under_way() == Texts{"i 1->2 1.1", "a 0->1 1.1"});
  CHECK(caches.state(0) == CacheState::invalid);
  caches.deliver_all();
  CHECK(caches.told() == Texts{"put 6"});
}

TEST_CASE("with losers acked an invalidation that is older than a Valid copy is acknowledged") {
  Caches caches(acked());
  caches.put(0, 5);
  caches.deliver('i', 0, 2);
  caches.put(1, 6);
  caches.deliver('i', 1, 0);
  caches.deliver('i', 1, 2);
  caches.deliver('a', 0, 1);
  caches.deliver('a', 2, 1);
  CHECK(caches.told() == Texts{"put 6"});
  caches.deliver('i', 0, 1);
  CHECK(caches.state(1) == CacheState::valid);
  CHECK(caches.under_way() == Texts{"a 2->0 1.0", "u 1->0 1.1", "u 1->2 1.1", "a 1->0 1.0"});
}

TEST_CASE("a late acknowledgement does not count for a later put") {
  Caches caches({});
  caches.put(0, 5);
  caches.deliver('i', 0, 1);
  caches.deliver('i', 0, 2);
  caches.deliver('a', 1, 0, true);
  caches.deliver('a', 2, 0);
  caches.deliver('u', 0, 1);
  caches.put(0, 6);
  caches.deliver('a', 1, 0);  // the first put's, once more
  CHECK(caches.entry(0).header.acks == 0);
  caches.deliver('i', 0, 1);
  caches.deliver('a', 1, 0);
  CHECK(caches.state(0) == CacheState::write);
}

TEST_CASE("an acknowledgement that comes twice counts once") {
  Caches caches({});
  caches.put(0, 5);
  caches.deliver('i', 0, 1);
  caches.deliver('a', 1, 0, true);
  caches.deliver('a', 1, 0);
  CHECK(caches.state(0) == CacheState::write);
}

TEST_CASE("an invalidation that comes twice leaves a Valid copy alone, and an Invalid one acknowledges it again") {
  Caches caches({});
  caches.put(0, 5);
  caches.deliver('i', 0, 1, true);
  caches.deliver('i', 0, 1, true);
  CHECK(caches.under_way() == Texts{"i 0->1 1.0", "i 0->2 1.0", "a 1->0 1.0", "a 1->0 1.0"});
  caches.deliver('i', 0, 2);
  caches.deliver('a', 1, 0);
  caches.deliver('a', 2, 0);
  caches.deliver('u', 0, 1);
  caches.deliver('i', 0, 1);
  CHECK(caches.state(1) == CacheState::valid);
  CHECK(caches.under_way() == Texts{"a 1->0 1.0", "u 0->2 1.0"});
}

TEST_CASE("R1: a writer sends its invalidations again to those that have not acknowledged") {
  Caches caches(retransmitting());
  caches.put(0, 5);
  caches.deliver('i', 0, 1);
  caches.deliver('a', 1, 0);
  caches.sent.clear();
  caches.time_out(0);
  CHECK(caches.under_way() == Texts{"i 0->2 1.0"});
  caches.put(2, 6);
  caches.deliver('i', 2, 0);
  caches.sent.clear();
  caches.time_out(0);  // superseded: it asks for the winner's update instead
  CHECK(caches.under_way() == Texts{"a 0->2 1.2"});
}

TEST_CASE("R4: who waits for an update asks for it by another acknowledgement") {
  Caches caches(retransmitting());
  caches.put(0, 5);
  caches.deliver('i', 0, 1);
  caches.deliver('i', 0, 2);
  caches.deliver('a', 1, 0);
  caches.deliver('a', 2, 0);
  caches.sent.clear();
  caches.time_out(1);
  CHECK(caches.under_way() == Texts{"a 1->0 1.0"});
  caches.deliver('a', 1, 0);
  CHECK(caches.under_way() == Texts{"u 0->1 1.0"});
  caches.deliver_all();
  CHECK(caches.value(1) == 5);
  caches.time_out(1);  // Valid: it waits for nothing
  CHECK(caches.under_way() == Texts{});
}

TEST_CASE("without retransmit an acknowledgement after the commit is not answered") {
  Caches caches({});
  caches.put(0, 5);
  caches.deliver('i', 0, 1);
  caches.deliver('i', 0, 2);
  caches.deliver('a', 1, 0, true);
  caches.deliver('a', 2, 0);
  caches.sent.erase(caches.sent.begin() + 1, caches.sent.end());
  caches.deliver('a', 1, 0);
  CHECK(caches.under_way() == Texts{});
}

TEST_CASE("of a key that is not there an invalidation is acknowledged, and the rest ignored") {
  Caches caches({});
  caches.cache(2).remove(sim::Key(7u));
  caches.sent.push_back({'a', 0, 2, {1, 2}, 0});
  caches.sent.push_back({'u', 0, 2, {1, 0}, 5});
  caches.deliver_all();
  caches.sent.push_back({'i', 0, 2, {1, 0}, 0});
  caches.deliver('i', 0, 2);
  CHECK(caches.under_way() == Texts{"a 2->0 1.0"});
  CHECK(caches.cache(2).find(sim::Key(7u)) == nullptr);
}

TEST_CASE("operations that wait can be taken out, to be seen to by somebody else") {
  Caches caches({});
  caches.put(1, 5);
  caches.deliver('i', 1, 0);
  caches.get(0, 12);
  caches.put(0, 6);
  const auto stalled = caches.cache(0).withdraw_stalled(sim::Key(7u));
  REQUIRE(stalled.size() == 2);
  CHECK((stalled[0].operation == 12 && !stalled[0].is_put));
  CHECK((stalled[1].operation == 6 && stalled[1].is_put && stalled[1].value == 6));
  CHECK(caches.cache(0).work(sim::Key(7u)) == nullptr);
}

TEST_CASE("versions of 3 bits wrap without harm as long as fewer than four puts are alive") {
  Rules rules;
  rules.version_bits = 3;
  Caches caches(rules);
  for (std::uint64_t put = 1; put <= 20; ++put) {
    caches.put(static_cast<NodeId>(put % 3), put);
    caches.deliver_all();
    for (const NodeId node : {0, 1, 2}) {
      CHECK(caches.value(node) == put);
      CHECK(caches.timestamp(node).version == put % 8);
    }
  }
}

}  // namespace lin_table_test

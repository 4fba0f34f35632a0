// SC in one node's cache, row by row.
#include "tests/protocols/cckvs/keys/caches.hpp"

namespace sc_table_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;

namespace {

Rules sc() {
  Rules rules;
  rules.consistency = Consistency::sc;
  return rules;
}

}  // namespace

TEST_CASE("under SC a put returns at once and costs N-1 messages",
          "[claim:cckvs-inv-hot-write-msgs-sc][claim:cckvs-inv-sc-nonblocking]") {
  Caches caches(sc());
  caches.put(0, 5);
  CHECK(caches.told() == Texts{"put 5"});
  CHECK(caches.under_way() == Texts{"u 0->1 1.0", "u 0->2 1.0"});
  caches.get(0, 11);
  caches.get(1, 12);  // reads of other nodes may be late
  CHECK(caches.told() == Texts{"get 11 = 5", "get 12 = 100"});
  caches.deliver_all();
  CHECK(caches.value(1) == 5);
  CHECK(caches.timestamp(2) == Timestamp{1, 0});
}

TEST_CASE("under SC updates are applied if their timestamps are greater, and copies become equal") {
  Caches caches(sc());
  caches.put(0, 5);
  caches.put(1, 6);
  caches.deliver('u', 1, 0);  // 1.1 after 1.0
  CHECK(caches.value(0) == 6);
  caches.deliver('u', 0, 1);
  CHECK(caches.value(1) == 6);
  caches.deliver('u', 1, 2);
  caches.deliver('u', 0, 2);
  CHECK(caches.value(2) == 6);
}

TEST_CASE("under SC copies stay different without the tie-break, or if any update is taken") {
  Rules rules = sc();
  SECTION("tie_break off") {
    rules.tie_break = false;
  }
  SECTION("update_timestamps off") {
    rules.update_timestamps = false;
  }
  Caches caches(rules);
  caches.put(0, 5);
  caches.put(1, 6);
  caches.deliver_all();
  CHECK(caches.value(0) != caches.value(1));
}

TEST_CASE("under SC versions of 3 bits wrap without harm") {
  Rules rules = sc();
  rules.version_bits = 3;
  Caches caches(rules);
  for (std::uint64_t put = 1; put <= 20; ++put) {
    caches.put(static_cast<NodeId>(put % 3), put);
    caches.deliver_all();
    for (const NodeId node : {0, 1, 2}) CHECK(caches.value(node) == put);
  }
}

}  // namespace sc_table_test

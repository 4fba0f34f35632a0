#include "p4model/execute/replication.hpp"

#include <catch2/catch.hpp>

namespace replication_test {

using namespace racksim::p4;

namespace {
std::vector<Copy> copies(const ReplicationEngine& engine, const Verdict& verdict) {
  std::vector<Copy> out;
  engine.replicate(verdict, out);
  return out;
}
}  // namespace

TEST_CASE("copies come out unicast first, then group A, then group B, nodes and ports in order") {
  ReplicationEngine engine;
  engine.set_group(7, {{2, {9, 3}}, {1, {4}}});
  engine.set_group(0xffff, {{5, {1}}});
  Verdict verdict;
  verdict.ucast_port = 12;
  verdict.mcast_a = 7;
  verdict.mcast_b = 0xffff;
  CHECK(copies(engine, verdict) == std::vector<Copy>{{12, 0}, {9, 2}, {3, 2}, {4, 1}, {1, 5}});
  verdict.resubmit = true;
  CHECK(copies(engine, verdict).empty());
}

TEST_CASE("an L2 exclusion leaves out its ports from nodes with the packet's replication id only") {
  ReplicationEngine engine;
  engine.set_group(1, {{0, {1, 2, 3}}, {4, {1, 2}}});
  engine.set_exclusion(10, {2});
  Verdict verdict;
  verdict.mcast_a = 1;
  verdict.l2_exclusion = 10;
  CHECK(copies(engine, verdict) == std::vector<Copy>{{1, 0}, {3, 0}, {1, 4}, {2, 4}});
  verdict.rid = 4;
  CHECK(copies(engine, verdict) == std::vector<Copy>{{1, 0}, {2, 0}, {3, 0}, {1, 4}});
  verdict.rid = 9;
  CHECK(copies(engine, verdict).size() == 5);
  CHECK_THROWS(engine.set_exclusion(288, {}));
}

TEST_CASE("a group that is not loaded gives no copies, and loading again replaces") {
  ReplicationEngine engine;
  Verdict verdict;
  verdict.mcast_a = 3;
  CHECK(copies(engine, verdict).empty());
  engine.set_group(3, {{1, {1}}});
  engine.set_group(3, {{1, {2}}});
  CHECK(copies(engine, verdict) == std::vector<Copy>{{2, 1}});
  CHECK(engine.groups() == 1);
  engine.remove_group(3);
  CHECK(copies(engine, verdict).empty());
  CHECK(engine.groups() == 0);
}

TEST_CASE("a port that a node lists twice gets one copy of it, and no port gets none") {
  ReplicationEngine engine;
  engine.set_group(1, {{2, {4, 3, 4, 0x1ff}}, {5, {4}}});
  Verdict verdict;
  verdict.mcast_a = 1;
  CHECK(copies(engine, verdict) == std::vector<Copy>{{4, 2}, {3, 2}, {4, 5}});
}

TEST_CASE("on a switch whose ports have more bits, another number stands for no port, and each port has an exclusion") {
  ReplicationEngine engine(11);
  engine.set_group(1, {{0, {0x1ff, 1040, 0x7ff}}});
  engine.set_exclusion(1040, {1040});
  Verdict verdict;
  verdict.mcast_a = 1;
  CHECK(copies(engine, verdict) == std::vector<Copy>{{0x1ff, 0}, {1040, 0}});
  verdict.l2_exclusion = 1040;
  CHECK(copies(engine, verdict) == std::vector<Copy>{{0x1ff, 0}});
  CHECK_THROWS_WITH(engine.set_exclusion(2047, {}), "L2 exclusion id 2047 is above 2046");
}

TEST_CASE("of an ECMP set the level-1 hash takes one node, of a LAG the level-2 hash one member that works") {
  ReplicationEngine engine;
  MulticastNode a{1, {10}}, b{2, {11}}, c{3, {12}}, lag{4, {20}};
  for (auto* node : {&a, &b, &c}) node->ecmp = 5;
  lag.lags = {7};
  engine.set_group(1, {a, lag, b, c});
  Verdict verdict;
  verdict.mcast_a = 1;
  // Nothing of a LAG without members; the set's place is its chosen node's.
  CHECK(copies(engine, verdict) == std::vector<Copy>{{10, 1}, {20, 4}});
  engine.set_lag(7, {30, 31});
  verdict.level1_hash = 4;  // 4 mod 3
  verdict.level2_hash = 9;  // 9 mod 2
  CHECK(copies(engine, verdict) == std::vector<Copy>{{20, 4}, {31, 4}, {11, 2}});
  engine.set_lag(7, {30});  // a member has failed
  CHECK(copies(engine, verdict) == std::vector<Copy>{{20, 4}, {30, 4}, {11, 2}});
  verdict.level1_hash = 2;
  CHECK(copies(engine, verdict) == std::vector<Copy>{{20, 4}, {30, 4}, {12, 3}});
  engine.remove_group(1);
  CHECK(copies(engine, verdict).empty());
  CHECK(engine.groups() == 0);
}

TEST_CASE("a level-1 exclusion id leaves out the nodes that have it, a chosen one without replacement") {
  ReplicationEngine engine;
  MulticastNode plain{1, {1}}, excluded{2, {2}}, one{3, {3}}, other{4, {4}};
  excluded.exclusion = 9;
  one.ecmp = other.ecmp = 1;
  one.exclusion = 9;
  engine.set_group(1, {plain, excluded, one, other});
  Verdict verdict;
  verdict.mcast_a = 1;
  CHECK(copies(engine, verdict) == std::vector<Copy>{{1, 1}, {2, 2}, {3, 3}});
  verdict.l1_exclusion = 9;
  CHECK(copies(engine, verdict) == std::vector<Copy>{{1, 1}});
  verdict.level1_hash = 1;
  CHECK(copies(engine, verdict) == std::vector<Copy>{{1, 1}, {4, 4}});
  std::vector<MulticastNode> many(ReplicationEngine::kMostOfEcmp + 1, one);
  CHECK_THROWS(engine.set_group(2, many));
  many.pop_back();
  CHECK_NOTHROW(engine.set_group(2, many));
  CHECK_THROWS(engine.set_lag(256, {}));
}

}  // namespace replication_test

#include "p4model/execute/replication.hpp"

#include <catch2/catch.hpp>

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

// Leases on clocks that are off, exclusion and return (models/membership/). The safety of leases is an inequality: a
// member's own lease is over before the manager takes it for dead.
#include "models/membership/membership.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/options/option_error.hpp"
#include "tests/models/rack_fixture.hpp"

namespace membership_test {

using namespace racksim;
using namespace racksim::models;
using namespace sim::literals;

namespace {

constexpr Roles kRoles{.compute_nodes = 3, .memory_nodes = 2, .first_memory_node = 3};

MembershipOptions options(double slowest = 1.001) {
  MembershipOptions o;
  o.lease = 200_us;
  o.latency = 5_us;
  o.slowest_clock = slowest;
  return o;
}

/// Five servers, of which three are members; the manager's actor is a timer.
struct Group : MembershipObserver {
  explicit Group(const MembershipOptions& o = options(), bool returns = true)
      : may_return(returns), membership(test.rack, kRoles, o, *this), lane(test.calendar.add_lane("test/manager")) {
    tick();
  }
  void tick() {
    membership.look();
    for (NodeId node = 0; node < 3; ++node) {
      if (!membership.is_member(node) && excluded.insert(node).second) {
        excluded_at[node] = test.calendar.now();
        held_lease_when_excluded = held_lease_when_excluded || membership.holds_lease(node);
      }
    }
    test.calendar.at<&Group::tick>(test.calendar.now() + membership.interval(), lane, *this);
  }
  void node_cut_off(NodeId member, NodeId lost) override { cuts.push_back({member, lost}); }
  sim::Task<bool> recover(NodeId lost) override {
    cuts_before_recovery[lost] = cuts.size();
    const Membership::Work work = [this](NodeId member) { return work_at(member); };
    co_await membership.round(work);
    recovered.push_back(lost);
    co_return may_return;
  }
  sim::Task<void> work_at(NodeId member) {
    asked.push_back(member);
    co_await sim::sleep_for(test.rack.server(member).clock(), 20_us);
  }
  sim::Task<void> admit(NodeId node) override {
    admitted.push_back(node);
    co_return;
  }
  void advance(sim::Duration length) { test.calendar.run_until(test.calendar.now() + length); }
  std::uint64_t counter(const char* name) const { return test.counter(std::string("membership.") + name); }

  test::TestRack test;
  bool may_return;
  bool held_lease_when_excluded = false;
  std::vector<std::pair<NodeId, NodeId>> cuts;
  std::map<NodeId, std::size_t> cuts_before_recovery;
  std::vector<NodeId> recovered, asked, admitted;
  std::set<NodeId> excluded;
  std::map<NodeId, sim::Time> excluded_at;
  Membership membership;
  sim::Lane lane;
};

}  // namespace

TEST_CASE("Members renew their leases, and nobody waits for one") {
  Group group;
  for (int i = 0; i < 100; ++i) {
    group.advance(100_us);
    for (NodeId node = 0; node < 3; ++node) REQUIRE(group.membership.holds_lease(node));
  }
  CHECK(group.counter("exclusions") == 0);
  CHECK(group.counter("renewals") >= 3 * 10'000 / 200);
  CHECK(group.membership.at_rest());
}

TEST_CASE("A node that crashes is cut off by all others before anything is recovered") {
  Group group;
  group.advance(1_ms);
  const sim::Time crashed = group.test.calendar.now();
  group.test.rack.crash(1);
  CHECK_FALSE(group.membership.holds_lease(1));
  CHECK_FALSE(group.membership.at_rest());
  group.advance(1_ms);
  // A lease at most after its last renewal, and one look later; not before a lease after the earliest possible one.
  CHECK(group.excluded_at.at(1) >= crashed + 200_us - group.membership.interval() - 10_us);
  CHECK(group.excluded_at.at(1) <= crashed + 200_us + 1_us + group.membership.interval());
  const std::vector<std::pair<NodeId, NodeId>> expected{{0, 1}, {2, 1}, {3, 1}, {4, 1}};
  CHECK(group.cuts == expected);
  CHECK(group.cuts_before_recovery.at(1) == 4);
  CHECK(group.asked == std::vector<NodeId>{0, 2});
  CHECK(group.recovered == std::vector<NodeId>{1});
  CHECK(group.membership.at_rest());
}

TEST_CASE("A node that cannot be reached has lost its lease by its own clock before it is taken for dead") {
  struct Case {
    std::int64_t ticks, true_ticks;  // of its clock
    double allowed;
  };
  for (const Case& c : {Case{1, 1, 1.001}, Case{10, 1, 1.001}, Case{1, 2, 2.0}, Case{1000, 1001, 1.001}}) {
    Group group(options(c.allowed));
    group.test.rack.server(1).clock().set_rate(c.ticks, c.true_ticks);
    group.advance(1_ms);
    group.test.rack.server(1).lose_management_link();
    group.advance(3_ms);
    CHECK(group.excluded.contains(1));
    CHECK_FALSE(group.held_lease_when_excluded);
  }
}

TEST_CASE("A clock slower than the manager allows for breaks the promise of leases") {
  Group group(options(1.001));
  group.test.rack.server(1).clock().set_rate(1, 4);
  group.advance(1_ms);
  group.test.rack.server(1).lose_management_link();
  group.advance(3_ms);
  CHECK(group.held_lease_when_excluded);
}

TEST_CASE("A node that was taken for dead while it lived starts over, and comes back") {
  Group group;
  group.advance(1_ms);
  group.test.rack.server(1).lose_management_link();
  group.advance(1_ms);
  CHECK(group.recovered == std::vector<NodeId>{1});
  CHECK(group.test.rack.server(1).incarnation() == 0);
  group.test.rack.server(1).regain_management_link();
  group.advance(1_ms);
  CHECK(group.test.rack.server(1).incarnation() == 1);
  CHECK(group.admitted == std::vector<NodeId>{1});
  CHECK(group.membership.holds_lease(1));
  CHECK(group.membership.is_member(1));
}

TEST_CASE("A node that restarts is known to have been dead without waiting for its lease") {
  Group group;
  group.advance(1_ms);
  group.test.rack.crash(1);
  group.advance(10_us);
  group.test.rack.restart(1);
  group.advance(6_us);  // its first request
  CHECK(group.counter("exclusions") == 1);
  group.advance(194_us);
  CHECK(group.recovered == std::vector<NodeId>{1});
  CHECK(group.admitted == std::vector<NodeId>{1});
  CHECK(group.counter("admissions") == 1);
}

TEST_CASE("A node does not come back unless the protocol can take it") {
  Group group(options(), false);
  group.advance(1_ms);
  group.test.rack.crash(1);
  group.test.rack.restart(1);
  group.advance(5_ms);
  CHECK(group.admitted.empty());
  CHECK_FALSE(group.membership.holds_lease(1));
  CHECK(group.membership.at_rest());
}

TEST_CASE("Who dies while others wait for it is waited for no more") {
  Group group;
  group.advance(1_ms);
  group.test.rack.crash(1);
  group.advance(190_us);
  group.test.rack.crash(2);
  group.advance(2_ms);
  CHECK(group.recovered.size() == 2);
  CHECK(group.membership.at_rest());
  group.test.rack.crash(0);
  group.advance(2_ms);
  CHECK(group.recovered.size() == 3);
}

TEST_CASE("A round of chosen nodes waits for none that is known to be dead, nor for one that dies then") {
  Group group;
  group.advance(1_ms);
  group.test.rack.crash(1);
  group.advance(1_ms);
  REQUIRE_FALSE(group.membership.is_member(1));
  std::vector<bool> answers;
  sim::Scope scope(group.test.calendar);
  const auto hold = [&]() -> sim::Task<void> {
    const Membership::Work work = [&group](NodeId member) { return group.work_at(member); };
    std::vector<NodeId> whom{0, 1};
    const bool all = co_await group.membership.round(whom, work);
    answers.push_back(all);
  };
  scope.spawn(hold());  // it is off
  group.advance(100_us);
  CHECK(answers == std::vector<bool>{false});
  // It is back, is asked as it joins or soon after, and then dies.
  group.test.rack.restart(1);
  scope.spawn(hold());
  group.advance(10_us);
  group.test.rack.crash(1);
  group.advance(1_ms);
  CHECK(answers == std::vector<bool>{false, false});
  group.test.rack.restart(1);
  group.advance(1_ms);
  scope.spawn(hold());
  group.advance(100_us);
  CHECK(answers == std::vector<bool>{false, false, true});
}

TEST_CASE("A memory server that is off holds no recovery up") {
  Group group;
  group.advance(1_ms);
  group.test.rack.crash(1);
  group.advance(150_us);
  group.test.rack.crash(4);
  group.advance(2_ms);
  CHECK(group.recovered == std::vector<NodeId>{1});
}

TEST_CASE("A lease that a renewal or two round trips may outlast is refused") {
  MembershipOptions o = options();
  CHECK_NOTHROW(o.check(2_us));
  CHECK_THROWS_AS(o.check(100_us), sim::OptionError);
  o.latency = 50_us;
  CHECK_THROWS_AS(o.check(2_us), sim::OptionError);
}

}  // namespace membership_test

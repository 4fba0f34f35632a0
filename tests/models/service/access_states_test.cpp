// The state in which an access finds its line: by the permissions of its node and of others, and only where nobody else
// has to do with the line meanwhile.
#include "models/service/access_states.hpp"

#include <catch2/catch.hpp>

namespace access_states_test {

using namespace racksim;
using namespace racksim::models;
using namespace sim::literals;
using sim::OperationKind;
using sim::Permission;

namespace {

constexpr unsigned kUnitBits = 3;
constexpr sim::Key kLine{5};  // its objects are 40 to 47

/// Sessions of three nodes, and a clock that a test sets.
struct Nodes {
  sim::EventLog event_log;
  AccessStates states{event_log, kUnitBits, 10_us};
  std::vector<sim::Source> sessions;
  sim::Time now = sim::Time{} + 100_us;
  std::uint64_t operations = 0;

  Nodes() {
    for (unsigned node = 0; node < 3; ++node) {
      sessions.push_back(event_log.add_session("node" + std::to_string(node) + "/thread0"));
    }
  }
  void may(std::uint64_t node, Permission permission, sim::OperationId operation = 0) {
    states.permission({sim::Key{kLine << kUnitBits}, node, permission}, operation, now);
  }
  struct Begun {
    sim::Observation observation;
    AccessStates::Access access;
    sim::OperationId id() const { return observation.operation; }
  };
  Begun begin(unsigned node, OperationKind kind, sim::Key key = sim::Key{(kLine << kUnitBits) + 1}) {
    const sim::Observation observation{now,
                                       sim::Observed::operation_begun,
                                       sessions[node],
                                       sim::OperationId{++operations},
                                       {static_cast<std::uint64_t>(kind), key, 0}};
    return {observation, states.begin(observation)};
  }
  AccessState end(const Begun& begun) { return states.end(now, begun.access); }
  AccessState found(unsigned node, OperationKind kind) { return end(begin(node, kind)); }
  void rest() { now = now + 10_us; }
};

}  // namespace

TEST_CASE("what an access finds follows from who may read or write the line") {
  using enum AccessState;
  const auto found = [](std::vector<std::pair<std::uint64_t, Permission>> held, OperationKind kind, unsigned node = 0) {
    Nodes nodes;
    for (const auto& [holder, permission] : held) nodes.may(holder, permission);
    nodes.rest();
    return nodes.found(node, kind);
  };
  const auto read = OperationKind::read, write = OperationKind::write;
  CHECK(found({}, read) == read_of_unheld);
  CHECK(found({{1, Permission::read}}, read) == read_of_shared);
  CHECK(found({{1, Permission::write}}, read) == read_of_owned);
  CHECK(found({{0, Permission::read}, {1, Permission::read}}, read) == read_hit);
  CHECK(found({{0, Permission::write}}, read) == read_hit);
  CHECK(found({}, write) == write_of_unheld);
  CHECK(found({{1, Permission::read}, {2, Permission::read}}, write) == write_of_shared);
  CHECK(found({{2, Permission::write}}, write) == write_of_owned);
  CHECK(found({{0, Permission::read}}, write) == upgrade);
  CHECK(found({{0, Permission::read}, {2, Permission::read}}, write) == upgrade);
  CHECK(found({{0, Permission::write}}, write) == write_hit);
  CHECK(found({{1, Permission::write}, {1, Permission::none}}, read) == read_of_unheld);
  CHECK(found({{1, Permission::write}, {1, Permission::read}}, read) == read_of_shared);
  CHECK(found({}, OperationKind::fetch_and_add) == unknown);
  CHECK(found({}, OperationKind::fence) == unknown);
}

TEST_CASE("other holders are counted as the access began") {
  Nodes nodes;
  for (const unsigned node : {0U, 1U, 2U}) nodes.may(node, Permission::read);
  nodes.rest();
  const auto upgrade = nodes.begin(1, OperationKind::write);
  CHECK(upgrade.access.others == 2);
  nodes.may(0, Permission::none, upgrade.id());
  nodes.may(2, Permission::none, upgrade.id());
  nodes.may(1, Permission::write, upgrade.id());
  CHECK(nodes.end(upgrade) == AccessState::upgrade);
}

TEST_CASE("of a line that one of the nodes beyond the first 64 holds nothing is known") {
  Nodes nodes;
  nodes.may(64, Permission::write);
  nodes.rest();
  CHECK(nodes.found(0, OperationKind::read) == AccessState::unknown);
}

TEST_CASE("an owner is a holder, too") {
  Nodes nodes;
  nodes.may(2, Permission::write);
  nodes.rest();
  CHECK(nodes.begin(1, OperationKind::write).access.others == 1);
  CHECK(nodes.begin(2, OperationKind::write).access.others == 0);
}

TEST_CASE("a line that was used a moment ago is not at rest, but a hit is one all the same") {
  Nodes nodes;
  nodes.may(1, Permission::read);
  CHECK(nodes.found(0, OperationKind::read) == AccessState::unknown);
  CHECK(nodes.found(1, OperationKind::read) == AccessState::read_hit);
  nodes.rest();
  CHECK(nodes.found(0, OperationKind::read) == AccessState::read_of_shared);
  CHECK(nodes.found(2, OperationKind::read) == AccessState::unknown);  // the access before has just ended
  nodes.now = nodes.now + 10_us - sim::Duration::from_ps(1);
  CHECK(nodes.found(2, OperationKind::read) == AccessState::unknown);
  nodes.rest();
  CHECK(nodes.found(2, OperationKind::read) == AccessState::read_of_shared);
}

TEST_CASE("an access beside another of the line finds nothing that is known, of either") {
  Nodes nodes;
  const auto first = nodes.begin(0, OperationKind::read);
  const auto second = nodes.begin(1, OperationKind::read, sim::Key{(kLine << kUnitBits) + 7});
  CHECK(nodes.end(second) == AccessState::unknown);
  CHECK(nodes.end(first) == AccessState::unknown);
  nodes.rest();
  const auto one = nodes.begin(0, OperationKind::read);
  const auto of_the_next_line = nodes.begin(1, OperationKind::read, sim::Key{(kLine + 1) << kUnitBits});
  CHECK(nodes.end(of_the_next_line) == AccessState::read_of_unheld);
  CHECK(nodes.end(one) == AccessState::read_of_unheld);
}

TEST_CASE("a holder that gives up its copy by itself makes the access unknown") {
  for (const bool by_itself : {false, true}) {
    Nodes nodes;
    nodes.may(1, Permission::write);
    nodes.rest();
    const auto read = nodes.begin(0, OperationKind::read);
    nodes.may(1, Permission::none, by_itself ? sim::OperationId{0} : read.id());
    CHECK(nodes.end(read) == (by_itself ? AccessState::unknown : AccessState::read_of_owned));
  }
}

TEST_CASE("a hit is none where its copy changes before it ends") {
  Nodes nodes;
  nodes.may(0, Permission::read);
  const auto hit = nodes.begin(0, OperationKind::read);
  nodes.may(0, Permission::none);
  CHECK(nodes.end(hit) == AccessState::unknown);
}

TEST_CASE("a line that somebody has locked is not judged any more") {
  Nodes nodes;
  nodes.may(0, Permission::write);
  const auto lock = nodes.begin(1, OperationKind::lock, kLine);
  nodes.end(lock);
  nodes.rest();
  CHECK(nodes.found(0, OperationKind::read) == AccessState::unknown);
}

}  // namespace access_states_test

// Sessions of the key-value workload: several of a thread, each one client to the oracles, and clients that go from
// node to node (ccKVS §4), with crashes and a store that keeps its promise to those alone that do not.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/workloads/client_route.hpp"
#include "sim/checkers/history_oracle.hpp"
#include "sim/options/option_error.hpp"
#include "sim/record/history.hpp"
#include "tests/models/workloads/driven_store.hpp"
#include "tests/sim/random/chi_square.hpp"

namespace moving_clients_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using racksim::tests::chi_square;
using racksim::tests::chi_square_limit;
using sim::Observed;

namespace {

constexpr unsigned kClients = 5, kThreads = 2, kSessions = 3;
constexpr std::size_t kAll = kClients * kThreads * kSessions;

KeyValueOptions clients(ClientRouting routing, KeyValueOptions::Loop loop = KeyValueOptions::Loop::closed) {
  KeyValueOptions options = few_keys();
  options.sessions = kSessions;
  options.clients = routing;
  options.loop = loop;
  options.rate = 2'000'000;
  options.write_ratio = 0.3;
  return options;
}

struct Clients : Driven {
  explicit Clients(const KeyValueOptions& options, std::uint64_t seed = 1) : Driven(options, kClients, seed) {
    store.delay = 5_us;
  }
  /// The nodes at which each session had its operations carried out, in their order.
  std::map<std::size_t, std::vector<NodeId>> paths() const {
    std::map<std::size_t, std::vector<NodeId>> all;
    for (const auto& asked : store.asked) all[FakeStore::session_of(asked.operation)].push_back(asked.session.node);
    return all;
  }
  NodeId home(std::size_t session) const { return store.session_number(session).node; }
  /// As a protocol does it: what died is recorded after the tasks are gone.
  void crash(NodeId node) {
    rack.crash(node);
    store.sessions_died(node);
  }
};

/// Operations under way of each session, now and at most, and how often it was given up.
struct UnderWay final : sim::Observer {
  void observe(const sim::Observation& o) override {
    if (o.what == Observed::operation_begun)
      most[o.source.index] = std::max(most[o.source.index], ++now[o.source.index]);
    if (o.what == Observed::operation_ended || o.what == Observed::operation_given_up) --now[o.source.index];
    given_up += o.what == Observed::operation_given_up;
  }
  std::map<std::uint32_t, int> now, most;
  int given_up = 0;
};

}  // namespace

TEST_CASE("Each session of a thread is a client of its own that does one operation at a time, with a name of its own") {
  const auto routing = GENERATE(ClientRouting::pinned, ClientRouting::round_robin, ClientRouting::random);
  Clients t(clients(routing));
  UnderWay under_way;
  t.event_log.attach(under_way);
  t.run(1_ms);
  REQUIRE(under_way.now.size() == kAll);
  std::set<std::string> names;
  for (const auto& [session, most] : under_way.most) {
    CHECK(most == 1);
    CHECK(under_way.now[session] == 1);
    names.insert(t.event_log.name(sim::Source{session}));
  }
  CHECK(names.size() == kAll);
  CHECK(names.contains("node4/thread1/session2"));
  CHECK(t.workload->running() == kAll);
  CHECK(t.store.asked.size() == kAll * 201);  // at 0, 5, ..., 1000 us
}

TEST_CASE("Whatever node and thread a session belongs to, its number tells which it is") {
  Clients t(clients(ClientRouting::pinned));
  std::size_t index = 0;
  for (NodeId node = 0; node < kClients; ++node) {
    for (std::uint16_t thread = 0; thread < kThreads; ++thread) {
      for (std::uint16_t number = 0; number < kSessions; ++number) {
        const Session session = t.store.session_number(index++);
        CHECK(session.node == node);
        CHECK(session.thread == thread);
        CHECK(session.number == number);
      }
    }
  }
}

TEST_CASE("Pinned sessions ask their own node, and all sessions a thread of their own number") {
  for (const auto routing : {ClientRouting::pinned, ClientRouting::round_robin, ClientRouting::random}) {
    Clients t(clients(routing));
    t.run(1_ms);
    for (const auto& asked : t.store.asked) {
      const Session owner = t.store.session_number(FakeStore::session_of(asked.operation));
      CHECK(asked.session.thread == owner.thread);
      CHECK(asked.session.number == owner.number);
      if (routing == ClientRouting::pinned) CHECK(asked.session.node == owner.node);
    }
  }
}

TEST_CASE("Round robin goes through the nodes from the session's own, so that all nodes have equal work at any time") {
  Clients t(clients(ClientRouting::round_robin));
  t.run(1_ms);
  const auto paths = t.paths();
  REQUIRE(paths.size() == kAll);
  for (const auto& [session, path] : paths) {
    for (std::size_t i = 0; i < path.size(); ++i) REQUIRE(path[i] == (t.home(session) + i) % kClients);
  }
  for (NodeId node = 0; node < kClients; ++node) CHECK(t.asked_by(node) == kThreads * kSessions * 201);
}

TEST_CASE("Random clients ask each node alike, whichever they asked before") {
  Clients t(clients(ClientRouting::random));
  t.run(3_ms);
  std::vector<std::uint64_t> pairs(kClients * kClients);
  for (const auto& [session, path] : t.paths()) {
    for (std::size_t i = 1; i < path.size(); ++i) ++pairs[path[i - 1] * kClients + path[i]];
  }
  CHECK(chi_square(pairs, std::vector<double>(pairs.size(), 1.0 / static_cast<double>(pairs.size()))) <
        chi_square_limit(static_cast<unsigned>(pairs.size()) - 1));
}

TEST_CASE("Where clients go does not change what they ask: keys and writes are drawn apart from nodes") {
  std::vector<std::vector<std::pair<std::uint64_t, bool>>> drawn;
  for (const auto routing : {ClientRouting::pinned, ClientRouting::round_robin, ClientRouting::random}) {
    Clients t(clients(routing));
    t.run(1_ms);
    std::map<std::size_t, std::vector<std::pair<std::uint64_t, bool>>> by_session;
    for (const auto& asked : t.store.asked) {
      by_session[FakeStore::session_of(asked.operation)].emplace_back(asked.key, asked.write);
    }
    drawn.emplace_back();
    for (const auto& [session, operations] : by_session) {
      drawn.back().insert(drawn.back().end(), operations.begin(), operations.end());
    }
  }
  CHECK(drawn[0] == drawn[1]);
  CHECK(drawn[0] == drawn[2]);
}

TEST_CASE("In open loop moving clients offer the rate in equal parts to all nodes, as pinned ones do") {
  for (const auto routing : {ClientRouting::pinned, ClientRouting::round_robin, ClientRouting::random}) {
    Clients t(clients(routing, KeyValueOptions::Loop::open));
    t.run(20_ms);
    CHECK(std::abs(count_of(t.store.asked.size()) - 40'000) < 4 * std::sqrt(40'000.0));
    for (NodeId node = 0; node < kClients; ++node) {
      CHECK(std::abs(count_of(t.asked_by(node)) - 8'000) < 4 * std::sqrt(8'000.0));
    }
    t.workload->stop();
    t.calendar.run_until();
    CHECK(t.workload->running() == 0);
    CHECK(t.store.pending_operations() == 0);
  }
}

TEST_CASE("A crash gives up what moving clients had asked the node; they go on with the others until it is back") {
  const auto routing = GENERATE(ClientRouting::round_robin, ClientRouting::random);
  Clients t(clients(routing));
  UnderWay under_way;
  t.event_log.attach(under_way);
  t.run(1'002_us);
  std::map<NodeId, int> asking;
  for (std::size_t i = t.store.asked.size() - kAll; i < t.store.asked.size(); ++i) {
    ++asking[t.store.asked[i].session.node];
  }
  REQUIRE(asking[2] > 0);
  t.crash(2);
  CHECK(under_way.given_up == asking[2]);
  const auto before = t.asked_by(2);
  t.run_until(2_ms);
  CHECK(t.asked_by(2) == before);
  CHECK(under_way.given_up == asking[2]);
  CHECK(t.workload->running() == kAll);
  for (const auto& [session, operations] : under_way.now) CHECK(operations == 1);
  for (const auto& [session, operations] : under_way.most) CHECK(operations == 1);
  t.rack.restart(2);
  t.run_until(3_ms);
  CHECK(t.asked_by(2) > before + kAll * 20);
  CHECK(t.workload->running() == kAll);
  t.workload->stop();
  t.calendar.run_until();
  CHECK(t.workload->running() == 0);
}

TEST_CASE("Without a node to ask moving clients wait for the first that comes back") {
  for (const auto loop : {KeyValueOptions::Loop::closed, KeyValueOptions::Loop::open}) {
    Clients t(clients(ClientRouting::round_robin, loop));
    t.run(1'002_us);
    for (NodeId node = 0; node < kClients; ++node) t.crash(node);
    CHECK(t.store.pending_operations() == 0);
    const auto before = t.store.asked.size();
    t.run_until(2_ms);
    CHECK(t.store.asked.size() == before);
    t.rack.restart(3);
    t.run_until(3_ms);
    CHECK(t.store.asked.size() > before + 1000);
    CHECK(t.asked_by(3) > 1000);
    t.crash(3);
    t.workload->stop();
    t.calendar.run_until();
    CHECK(t.workload->running() == 0);
    t.rack.restart(3);
    CHECK(t.workload->running() == 0);
  }
}

TEST_CASE("A route takes the open nodes alone, in turn or at random, and none where none is open") {
  OpenNodes open(4);
  ClientRoute in_turn(ClientRouting::round_robin, 2, 1, "a"), random(ClientRouting::random, 2, 1, "b");
  open.close(3);
  open.close(3);
  std::vector<NodeId> path;
  for (int i = 0; i < 5; ++i) path.push_back(*in_turn.next(open));
  CHECK(path == std::vector<NodeId>{2, 0, 1, 2, 0});
  open.open(3);
  open.open(3);
  open.open(9);  // takes no clients
  CHECK(open.size() == 4);
  for (NodeId node = 0; node < 3; ++node) open.close(node);
  CHECK(random.next(open) == NodeId{3});
  CHECK(in_turn.next(open) == NodeId{3});
  open.close(3);
  CHECK_FALSE(random.next(open));
  CHECK_FALSE(in_turn.next(open));
}

TEST_CASE("A store is told before the run how clients behave, and may refuse them with a reason") {
  struct Told {
    ClientBehaviour clients;
    bool refuse;
    void operator()(const ClientBehaviour& behaviour) {
      clients = behaviour;
      if (refuse && behaviour.routing != ClientRouting::pinned) {
        throw sim::OptionError("/workload/clients", "clients that go from node to node", "\"pinned\"");
      }
    }
  };
  const auto build = [](const KeyValueOptions& options, bool refuse) {
    TestRack t;
    FakeStore store(t.rack, kClients, options.threads_per_node(), {{.name = "register", .doc = "a register answered"}},
                    options.sessions_per_thread());
    FakeProtocol protocol(store);
    auto told = std::make_shared<Told>(Told{{}, refuse});
    store.meet = [told](const ClientBehaviour& behaviour) { (*told)(behaviour); };
    WorkloadContext context{t.rack, protocol};
    options.build(context);
    return told->clients;
  };
  auto options = clients(ClientRouting::pinned);
  CHECK(build(options, true).routing == ClientRouting::pinned);
  CHECK(build(options, true).one_at_a_time);
  options.window = 2;
  CHECK_FALSE(build(options, true).one_at_a_time);
  CHECK_FALSE(build(clients(ClientRouting::pinned, KeyValueOptions::Loop::open), true).one_at_a_time);
  CHECK(build(clients(ClientRouting::random), false).routing == ClientRouting::random);
  CHECK_THROWS_WITH(build(clients(ClientRouting::round_robin), true),
                    "/workload/clients: found clients that go from node to node, expected \"pinned\"");
}

TEST_CASE("More sessions than values can name are refused") {
  auto options = clients(ClientRouting::pinned);
  options.threads = 64;
  options.sessions = 4096;
  CHECK_THROWS_WITH(Driven(options, kClients),
                    "sessions: found 1310720 sessions in all, expected at most 1000000: values tell who wrote them");
}

namespace {

/// Copies of all keys at each node: a put takes effect at its node at once and at the others 20 us later, and the
/// latest put is what a copy ends with. That is sequentially consistent for each key, to sessions that keep to a node.
struct Replicas {
  explicit Replicas(Clients& t) {
    t.store.distort = [this, &t](const FakeStore::Asked& asked, Answer& answer) {
      const sim::Time now = t.calendar.now();
      if (asked.write) {
        puts[asked.key].push_back({asked.session.node, now, asked.value});
        return;
      }
      answer.value = sim::Value{0};
      for (const Put& put : puts[asked.key]) {
        if (put.node == asked.session.node || put.at + 20_us <= now) answer.value = put.value;
      }
    };
  }
  struct Put {
    NodeId node;
    sim::Time at;
    sim::Value value;
  };
  std::map<std::uint64_t, std::vector<Put>> puts;
};

/// How many keys break the promise.
std::uint64_t broken(ClientRouting routing, std::string_view promise) {
  auto options = clients(routing);
  options.keys = 50;
  Clients t(options);
  Replicas replicas(t);
  sim::checkers::HistoryRecorder recorder;
  t.event_log.attach(recorder);
  t.run(1_ms);
  t.workload->stop();
  t.calendar.run_until();
  for (const auto& check : sim::checkers::history_checks()) {
    if (check.name != promise) continue;
    sim::checkers::HistoryOracle oracle(check, recorder, t.event_log);
    oracle.finish(t.calendar.now());
    return oracle.violation_count();
  }
  FAIL("no such check");
  return 0;
}

}  // namespace

TEST_CASE(
    "To the oracles a client is one session wherever it goes: replicas that keep SC break it for moving clients") {
  for (const char* promise : {"sequential", "sessions"}) {
    INFO(promise);
    CHECK(broken(ClientRouting::pinned, promise) == 0);
    CHECK(broken(ClientRouting::round_robin, promise) > 0);
    CHECK(broken(ClientRouting::random, promise) > 0);
  }
  CHECK(broken(ClientRouting::pinned, "linearizable") > 0);
}

}  // namespace moving_clients_test

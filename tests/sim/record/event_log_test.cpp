// The run hash depends on what each source did, and on nothing else.
#include "sim/record/event_log.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace event_log_test {

using namespace racksim::sim;

namespace {

constexpr Time at_ns(std::int64_t ns) {
  return Time::from_ps(ns * 1000);
}

/// The hash of an event log with sources "a" and "b" in which `body` records.
RunHash hash_of(const std::function<void(EventLog&, Source a, Source b)>& body) {
  EventLog event_log;
  const auto a = event_log.add_source("a");
  const auto b = event_log.add_source("b");
  body(event_log, a, b);
  return event_log.hash();
}

struct Collector : Observer {
  std::vector<Observation> seen;
  void observe(const Observation& observation) override { seen.push_back(observation); }
};

}  // namespace

TEST_CASE("texts call an operation by its session and its number in it") {
  EventLog event_log;
  event_log.add_source("switch");
  for (const char* name : {"node3/thread1", "node12/thread0/session7", "client"}) event_log.add_session(name);
  CHECK(event_log.operation(OperationId{number_of_session(0, 43)}) == "n3.t1 #43");
  CHECK(event_log.operation(OperationId{number_of_session(1, 1)}) == "n12.t0.s7 #1");
  CHECK(event_log.operation(OperationId{number_of_session(2, 2)}) == "client #2");
  // What no session has issued: a history from elsewhere, a session that is not there.
  CHECK(event_log.operation(OperationId{7u}) == "operation 7");
  CHECK(event_log.operation(OperationId{7u}, Source{1}) == "n3.t1 #7");
  CHECK(event_log.operation(OperationId{number_of_session(3, 1)}) == "operation 4398046511105");
}

TEST_CASE("the interleaving of different sources does not matter") {
  const auto fused = hash_of([](EventLog& event_log, Source a, Source b) {
    for (int i = 0; i < 10; ++i) event_log.record(Observed::switch_state, a, at_ns(i), 1);
    for (int i = 0; i < 10; ++i) event_log.record(Observed::message_sent, b, at_ns(i), 2);
  });
  const auto stepped = hash_of([](EventLog& event_log, Source a, Source b) {
    for (int i = 0; i < 10; ++i) {
      event_log.record(Observed::message_sent, b, at_ns(i), 2);
      event_log.record(Observed::switch_state, a, at_ns(i), 1);
    }
  });
  CHECK(fused == stepped);
}

TEST_CASE("the order within a source matters, even at one instant") {
  const auto one = hash_of([](EventLog& event_log, Source a, Source) {
    event_log.record(Observed::message_sent, a, at_ns(1), 1);
    event_log.record(Observed::message_sent, a, at_ns(1), 2);
  });
  const auto other = hash_of([](EventLog& event_log, Source a, Source) {
    event_log.record(Observed::message_sent, a, at_ns(1), 2);
    event_log.record(Observed::message_sent, a, at_ns(1), 1);
  });
  CHECK(one != other);
}

TEST_CASE("every field changes the hash") {
  std::set<std::string> seen;
  const auto add = [&seen](Observed what, int source, Time at, std::uint64_t operation, std::uint64_t x,
                           std::uint64_t y, std::uint64_t z) {
    seen.insert(hash_of([&](EventLog& event_log, Source a, Source b) {
                  event_log.record(what, source == 0 ? a : b, at, OperationId{operation}, x, y, z);
                }).hex());
  };
  add(Observed::message_sent, 0, at_ns(5), 1, 2, 3, 4);
  add(Observed::message_delivered, 0, at_ns(5), 1, 2, 3, 4);
  add(Observed::message_sent, 1, at_ns(5), 1, 2, 3, 4);
  add(Observed::message_sent, 0, Time::from_ps(5'001), 1, 2, 3, 4);
  add(Observed::message_sent, 0, at_ns(5), 0, 2, 3, 4);
  add(Observed::message_sent, 0, at_ns(5), 1, 3, 3, 4);
  add(Observed::message_sent, 0, at_ns(5), 1, 2, 2, 4);
  add(Observed::message_sent, 0, at_ns(5), 1, 2, 3, 5);
  seen.insert(RunHash().hex());
  CHECK(seen.size() == 9);
}

TEST_CASE("one observation more, less or repeated changes the hash") {
  std::set<std::string> seen;
  for (int n = 0; n < 8; ++n) {
    seen.insert(hash_of([n](EventLog& event_log, Source a, Source) {
                  for (int i = 0; i < n; ++i) event_log.record(Observed::fault_begun, a, at_ns(1), 0);
                }).hex());
  }
  CHECK(seen.size() == 8);
}

TEST_CASE("configuration and seed change the hash") {
  std::set<std::string> seen;
  for (const auto* text : {"", "{}", "{\"a\":1}", "{\"a\":2}"}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      EventLog event_log;
      event_log.fold_configuration(text, seed);
      seen.insert(event_log.hash().hex());
    }
  }
  CHECK(seen.size() == 12);
}

// Computed outside this project, by a Python script that spells the mixing out on integers mod 2^64. It pins the hash
// across compilers, optimisation levels and releases.
TEST_CASE("a small run has the known hash") {
  EventLog event_log;
  event_log.fold_configuration("{\"protocol\":\"x\"}!", 42);
  CHECK(event_log.hash().hex() == "c801183bbf9b085d88a449a2c80450ce");
  const auto a = event_log.add_source("a");
  const auto b = event_log.add_source("b");
  event_log.record(Observed::message_sent, a, at_ns(1), 7, 1, 2, 3);
  event_log.record(Observed::message_delivered, b, Time::from_ps(2'500), 7, ~std::uint64_t{0});
  event_log.record(Observed::final_state, a, at_ns(3), 0);
  CHECK(event_log.hash().hex() == "d46528b321c29818a659626bc67c3daf");
}

TEST_CASE("observers see every observation in order, and leave the hash alone") {
  Collector first, second;
  const auto body = [](EventLog& event_log, Source a, Source b) {
    event_log.record(Observed::operation_begun, a, at_ns(1), 9, 10, 11, 12);
    event_log.record(Observed::permission, b, at_ns(2), 9);
    event_log.record(Observed::operation_ended, a, at_ns(3), 9);
  };
  const auto watched = hash_of([&](EventLog& event_log, Source a, Source b) {
    event_log.attach(first);
    event_log.attach(second);
    body(event_log, a, b);
  });
  CHECK(watched == hash_of(body));
  REQUIRE(first.seen.size() == 3);
  CHECK(second.seen.size() == 3);
  CHECK(first.seen[0].at == at_ns(1));
  CHECK(first.seen[0].what == Observed::operation_begun);
  CHECK(first.seen[0].source == Source{0});
  CHECK(first.seen[0].operation == 9);
  CHECK(first.seen[0].detail == std::array<std::uint64_t, 3>{10, 11, 12});
  CHECK(first.seen[1].what == Observed::permission);
  CHECK(first.seen[2].what == Observed::operation_ended);
}

TEST_CASE("permissions are counted but stay outside the hash, and so does their place in the order") {
  const auto with = hash_of([](EventLog& event_log, Source a, Source) {
    event_log.record(Observed::permission, a, at_ns(1), 1, 2);
    event_log.record(Observed::message_sent, a, at_ns(1), 1);
    event_log.record(Observed::permission, a, at_ns(2), 1, 3);
    event_log.record(Observed::message_sent, a, at_ns(2), 1);
    CHECK(event_log.count(Observed::permission) == 2);
    CHECK(event_log.count(Observed::message_sent) == 2);
    CHECK(event_log.count(Observed::fault_begun) == 0);
    CHECK(event_log.count() == 2);
  });
  const auto without = hash_of([](EventLog& event_log, Source a, Source) {
    event_log.record(Observed::message_sent, a, at_ns(1), 1);
    event_log.record(Observed::message_sent, a, at_ns(2), 1);
  });
  CHECK(with == without);
  STATIC_REQUIRE_FALSE(is_folded(Observed::permission));
  STATIC_REQUIRE(is_folded(Observed::switch_state));
  STATIC_REQUIRE(is_folded(Observed::final_state));
}

TEST_CASE("a source keeps its name, and a taken name is refused by name") {
  EventLog event_log;
  const auto nic = event_log.add_source("node0/nic");
  const auto pipe = event_log.add_source("switch/pipe0");
  CHECK(event_log.name(nic) == "node0/nic");
  CHECK(event_log.name(pipe) == "switch/pipe0");
  CHECK_THROWS_WITH(event_log.add_source("node0/nic"), Catch::Contains("node0/nic"));
}

TEST_CASE("every kind of observation has a name of its own") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kObservedKinds; ++i) names.insert(to_string(static_cast<Observed>(i)));
  CHECK(names.size() == kObservedKinds);
  CHECK(to_string(Observed::switch_state) == "switch_state");
}

TEST_CASE("the hash of a source covers what it has recorded and the whole is the sum of all") {
  EventLog event_log;
  const auto a = event_log.add_source("a"), b = event_log.add_source("b");
  CHECK(event_log.sources() == 2);
  event_log.fold_configuration("{}", 1);
  const auto configuration = event_log.hash();
  CHECK(event_log.hash(a) == RunHash());
  event_log.record(Observed::fault_begun, a, at_ns(1), 0);
  const auto of_a = event_log.hash(a);
  CHECK_FALSE(of_a == RunHash());
  event_log.record(Observed::fault_begun, b, at_ns(1), 0);
  event_log.record(Observed::permission, a, at_ns(2), 0);
  CHECK(event_log.hash(a) == of_a);
  auto sum = configuration;
  sum += of_a;
  sum += event_log.hash(b);
  CHECK(event_log.hash() == sum);
}

namespace {

/// Notes its name in a list when it is shown something.
struct Choosy : Observer {
  Choosy(std::string n, ObservedKinds k, std::vector<std::string>& l) : name(std::move(n)), wanted(k), list(l) {}
  ObservedKinds kinds() const override { return wanted; }
  void observe(const Observation&) override { list.push_back(name); }
  std::string name;
  ObservedKinds wanted;
  std::vector<std::string>& list;
};

}  // namespace

TEST_CASE("an observer is shown the kinds that it wants, in the order of attachment, and nothing else") {
  for (std::size_t one = 0; one < kObservedKinds; ++one) {
    const auto kind = static_cast<Observed>(one), other = static_cast<Observed>((one + 1) % kObservedKinds);
    EventLog event_log;
    const auto source = event_log.add_source("a");
    std::vector<std::string> shown;
    Choosy first("first", {kind}, shown), all("all", ObservedKinds::all(), shown), both("both", {other, kind}, shown),
        none("none", {}, shown);
    for (Observer* observer : {static_cast<Observer*>(&first), static_cast<Observer*>(&all),
                               static_cast<Observer*>(&both), static_cast<Observer*>(&none)}) {
      event_log.attach(*observer);
    }
    CHECK(event_log.observers() == 4);
    event_log.record(kind, source, at_ns(1), 0);
    CHECK(shown == std::vector<std::string>{"first", "all", "both"});
    shown.clear();
    event_log.record(other, source, at_ns(2), 0);
    CHECK(shown == std::vector<std::string>{"all", "both"});
  }
}

}  // namespace event_log_test

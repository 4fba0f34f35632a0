// The run hash depends on what each source did, and on nothing else.
#include "sim/record/journal.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace racksim::sim;

namespace {

constexpr Time at_ns(std::int64_t ns) {
  return Time::from_ps(ns * 1000);
}

/// The hash of a journal with sources "a" and "b" in which `body` records.
RunHash hash_of(const std::function<void(Journal&, Source a, Source b)>& body) {
  Journal journal;
  const auto a = journal.add_source("a");
  const auto b = journal.add_source("b");
  body(journal, a, b);
  return journal.hash();
}

struct Collector : Observer {
  std::vector<Observation> seen;
  void observe(const Observation& observation) override { seen.push_back(observation); }
};

}  // namespace

TEST_CASE("the interleaving of different sources does not matter") {
  const auto fused = hash_of([](Journal& journal, Source a, Source b) {
    for (int i = 0; i < 10; ++i) journal.record(Observed::switch_state, a, at_ns(i), 1);
    for (int i = 0; i < 10; ++i) journal.record(Observed::message_sent, b, at_ns(i), 2);
  });
  const auto stepped = hash_of([](Journal& journal, Source a, Source b) {
    for (int i = 0; i < 10; ++i) {
      journal.record(Observed::message_sent, b, at_ns(i), 2);
      journal.record(Observed::switch_state, a, at_ns(i), 1);
    }
  });
  CHECK(fused == stepped);
}

TEST_CASE("the order within a source matters, even at one instant") {
  const auto one = hash_of([](Journal& journal, Source a, Source) {
    journal.record(Observed::message_sent, a, at_ns(1), 1);
    journal.record(Observed::message_sent, a, at_ns(1), 2);
  });
  const auto other = hash_of([](Journal& journal, Source a, Source) {
    journal.record(Observed::message_sent, a, at_ns(1), 2);
    journal.record(Observed::message_sent, a, at_ns(1), 1);
  });
  CHECK(one != other);
}

TEST_CASE("every field changes the hash") {
  std::set<std::string> seen;
  const auto add = [&seen](Observed what, int source, Time at, std::uint64_t operation, std::uint64_t x,
                           std::uint64_t y, std::uint64_t z) {
    seen.insert(hash_of([&](Journal& journal, Source a, Source b) {
                  journal.record(what, source == 0 ? a : b, at, operation, x, y, z);
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
    seen.insert(hash_of([n](Journal& journal, Source a, Source) {
                  for (int i = 0; i < n; ++i) journal.record(Observed::fault_begun, a, at_ns(1), 0);
                }).hex());
  }
  CHECK(seen.size() == 8);
}

TEST_CASE("configuration and seed change the hash") {
  std::set<std::string> seen;
  for (const auto* text : {"", "{}", "{\"a\":1}", "{\"a\":2}"}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      Journal journal;
      journal.fold_configuration(text, seed);
      seen.insert(journal.hash().hex());
    }
  }
  CHECK(seen.size() == 12);
}

// Computed outside this project, by a Python script that spells the mixing out on integers mod 2^64. It pins the hash
// across compilers, optimisation levels and releases.
TEST_CASE("a small run has the known hash") {
  Journal journal;
  journal.fold_configuration("{\"protocol\":\"x\"}!", 42);
  CHECK(journal.hash().hex() == "c801183bbf9b085d88a449a2c80450ce");
  const auto a = journal.add_source("a");
  const auto b = journal.add_source("b");
  journal.record(Observed::message_sent, a, at_ns(1), 7, 1, 2, 3);
  journal.record(Observed::message_delivered, b, Time::from_ps(2'500), 7, ~std::uint64_t{0});
  journal.record(Observed::final_state, a, at_ns(3), 0);
  CHECK(journal.hash().hex() == "d46528b321c29818a659626bc67c3daf");
}

TEST_CASE("observers see every observation in order, and leave the hash alone") {
  Collector first, second;
  const auto body = [](Journal& journal, Source a, Source b) {
    journal.record(Observed::operation_begun, a, at_ns(1), 9, 10, 11, 12);
    journal.record(Observed::permission, b, at_ns(2), 9);
    journal.record(Observed::operation_ended, a, at_ns(3), 9);
  };
  const auto watched = hash_of([&](Journal& journal, Source a, Source b) {
    journal.attach(first);
    journal.attach(second);
    body(journal, a, b);
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
  const auto with = hash_of([](Journal& journal, Source a, Source) {
    journal.record(Observed::permission, a, at_ns(1), 1, 2);
    journal.record(Observed::message_sent, a, at_ns(1), 1);
    journal.record(Observed::permission, a, at_ns(2), 1, 3);
    journal.record(Observed::message_sent, a, at_ns(2), 1);
    CHECK(journal.count(Observed::permission) == 2);
    CHECK(journal.count(Observed::message_sent) == 2);
    CHECK(journal.count(Observed::fault_begun) == 0);
    CHECK(journal.count() == 2);
  });
  const auto without = hash_of([](Journal& journal, Source a, Source) {
    journal.record(Observed::message_sent, a, at_ns(1), 1);
    journal.record(Observed::message_sent, a, at_ns(2), 1);
  });
  CHECK(with == without);
  STATIC_REQUIRE_FALSE(is_folded(Observed::permission));
  STATIC_REQUIRE(is_folded(Observed::switch_state));
  STATIC_REQUIRE(is_folded(Observed::final_state));
}

TEST_CASE("a source keeps its name, and a taken name is refused by name") {
  Journal journal;
  const auto nic = journal.add_source("node0/nic");
  const auto pipe = journal.add_source("switch/pipe0");
  CHECK(journal.name(nic) == "node0/nic");
  CHECK(journal.name(pipe) == "switch/pipe0");
  CHECK_THROWS_WITH(journal.add_source("node0/nic"), Catch::Contains("node0/nic"));
}

TEST_CASE("every kind of observation has a name of its own") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kObservedKinds; ++i) names.insert(to_string(static_cast<Observed>(i)));
  CHECK(names.size() == kObservedKinds);
  CHECK(to_string(Observed::switch_state) == "switch_state");
}

TEST_CASE("the hash of a source covers what it has recorded and the whole is the sum of all") {
  Journal journal;
  const auto a = journal.add_source("a"), b = journal.add_source("b");
  CHECK(journal.sources() == 2);
  journal.fold_configuration("{}", 1);
  const auto configuration = journal.hash();
  CHECK(journal.hash(a) == RunHash());
  journal.record(Observed::fault_begun, a, at_ns(1), 0);
  const auto of_a = journal.hash(a);
  CHECK_FALSE(of_a == RunHash());
  journal.record(Observed::fault_begun, b, at_ns(1), 0);
  journal.record(Observed::permission, a, at_ns(2), 0);
  CHECK(journal.hash(a) == of_a);
  auto sum = configuration;
  sum += of_a;
  sum += journal.hash(b);
  CHECK(journal.hash() == sum);
}

// The hand-over of a key explored: while requests go on it is clean, and each of its faults is found.
#include <catch2/catch.hpp>
#include <string>

#include "tests/protocols/cckvs/explored/explorations.hpp"

namespace explore_hand_over_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;
using Catch::Contains;
using Fault = Rules::HandOver;

namespace {

/// One operation a session, of which `puts` may be puts, and so many changes.
Change changing(std::uint64_t changes, std::uint64_t puts, Fault fault = Fault::safe) {
  return [=](ExploreOptions& o) {
    o.operations = 1;
    o.puts = puts;
    o.changes = changes;
    o.rules.hand_over = fault;
  };
}
/// What clients see is judged alone.
Change for_clients(const Change& change) {
  return [=](ExploreOptions& o) {
    change(o);
    o.invariants = false;
  };
}

}  // namespace

TEST_CASE("a key is installed and evicted by two control messages to each node and one back, twice") {
  const auto found = lin([](ExploreOptions& o) {
    o.sessions = "0";
    o.operations = 1;
    o.puts = 0;
    o.changes = 2;
    o.cached_at_first = false;
  });
  CHECK(verdict(found) == "clean");
  // Two orders, INSTALL, INSTALLED, ACTIVATE, SEAL, SEALED and DONE for both others, and the get.
  CHECK(found.depth == 2 + 6 * 2 + 1);
}

TEST_CASE("under Lin a key is handed over while requests go on") {
  CHECK(verdict(lin(changing(1, 2))) == "clean");
  CHECK(verdict(lin(changing(2, 1))) == "clean");
  CHECK(verdict(lin([](ExploreOptions& o) {
          changing(2, 1)(o);
          o.cached_at_first = false;
        })) == "clean");
  CHECK(verdict(lin([](ExploreOptions& o) {
          changing(1, 2)(o);
          o.rules.losers = Rules::Losers::acked;
        })) == "clean");
}

TEST_CASE("under Lin a key is handed over although a packet is lost, if it is sent again") {
  CHECK(verdict(lin([](ExploreOptions& o) {
          changing(1, 1)(o);
          o.losses = 1;
          o.rules.retransmit = true;
        })) == "clean");
}

TEST_CASE("under SC a key is handed over while requests go on") {
  CHECK(verdict(sc(changing(2, 2))) == "clean");
  CHECK(verdict(sc([](ExploreOptions& o) {
          changing(2, 2)(o);
          o.sessions = "0,1";
          o.operations = 2;
        })) == "clean");
}

TEST_CASE("the home may be any node") {
  ExploreOptions options = options_of(Consistency::lin, changing(1, 1));
  options.keys = 2;
  const auto parts = options.build();
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].name == "key 1");
  CHECK(verdict(sim::explore(*parts[1].model)) == "clean");
}

TEST_CASE("each fault of a hand-over under Lin makes a get stale") {
  for (const Fault fault : {Fault::paper, Fault::active_at_install, Fault::puts_while_installing,
                            Fault::store_while_cached, Fault::sealed_early, Fault::home_alone}) {
    INFO("fault " << static_cast<int>(fault));
    const auto found = verdict(lin([&](ExploreOptions& o) {
      for_clients(changing(fault == Fault::sealed_early ? 1 : 2, 1, fault))(o);
      o.cached_at_first = fault != Fault::active_at_install && fault != Fault::puts_while_installing;
    }));
    CHECK_THAT(found, Contains("not linearizable"));
  }
}

TEST_CASE("each fault of a hand-over under SC loses a put, or makes a session read new and then old") {
  for (const Fault fault : {Fault::paper, Fault::puts_while_installing, Fault::store_while_cached, Fault::home_alone,
                            Fault::answers_ignored}) {
    INFO("fault " << static_cast<int>(fault));
    const auto found = verdict(sc([&](ExploreOptions& o) {
      changing(1, 1, fault)(o);
      o.sessions = "0,1";
      o.operations = 2;
      o.cached_at_first = fault != Fault::puts_while_installing && fault != Fault::answers_ignored;
    }));
    CHECK_THAT(found, Contains("not sequentially consistent") || Contains("a put is lost"));
  }
}

}  // namespace explore_hand_over_test

// ccKVS explored: the safe rules are clean, and each rule that is missing is found, by the shortest way.
#include <catch2/catch.hpp>
#include <string>

#include "sim/options/option_error.hpp"
#include "tests/protocols/cckvs/explored/explorations.hpp"

namespace explore_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;

namespace {

/// What clients see is judged alone, and there is one put a session, with two puts of them all.
void clients_only(ExploreOptions& o) {
  o.invariants = false;
  o.puts = 2;
}

const std::string kWaits = "all has come to rest, and an operation waits";
const std::string kDiffer = "all has come to rest, and copies differ or are not Valid, or a put is lost";
const std::string kNoEnd = "no order of steps leads to an end from here";

using Catch::Contains;
using Catch::StartsWith;

}  // namespace

// One session at node 0 that gets or puts once. After the put each of the n others has an invalidation, an
// acknowledgement or nothing under way (3^n, of which the last is the commit), then an update or nothing (2^n).
TEST_CASE("one put under Lin has 3^n + 2^n + 1 states with n other nodes, under SC 2^n + 2") {
  std::uint64_t three = 1, two = 1;
  for (std::uint64_t others = 1; others <= 4; ++others) {
    three *= 3;
    two *= 2;
    const auto one_put = [others](ExploreOptions& o) {
      o.nodes = others + 1;
      o.sessions = "0";
      o.operations = 1;
    };
    const auto of_lin = lin(one_put);
    CHECK(verdict(of_lin) == "clean");
    CHECK(of_lin.states == three + two + 1);
    CHECK(of_lin.depth == 1 + 3 * others);  // the put, and 3(N-1) messages
    CHECK(of_lin.terminal == 2);
    const auto of_sc = sc(one_put);
    CHECK(verdict(of_sc) == "clean");
    CHECK(of_sc.states == two + 2);
    CHECK(of_sc.depth == 1 + others);
  }
}

TEST_CASE("the safe rules are clean: three nodes, three sessions of two operations, versions of two bits",
          "[claim:cckvs-inv-lin][claim:cckvs-inv-murphi]") {
  const auto found = lin([](ExploreOptions&) {});
  CHECK(verdict(found) == "clean");
  CHECK(found.depth == 24);  // three puts with six messages each, and three gets
  CHECK(found.terminal == found.ends);
}

TEST_CASE("the variants of the safe rules are clean") {
  for (const auto losers : {Rules::Losers::wait, Rules::Losers::acked}) {
    for (const bool start_at_once : {false, true}) {
      for (const char* sessions : {"0,1,2", "0,1,1", "0,0,1"}) {
        INFO(sessions << (start_at_once ? ", puts start at once" : ""));
        CHECK(verdict(lin([&](ExploreOptions& o) {
                o.puts = 2;
                o.sessions = sessions;
                o.rules.losers = losers;
                o.rules.start_at_once = start_at_once;
              })) == "clean");
      }
    }
  }
  // The more waits, the later may it go on.
  for (const auto stalled : {Rules::Stalled::together, Rules::Stalled::in_order}) {
    for (const auto losers : {Rules::Losers::wait, Rules::Losers::acked}) {
      CHECK(verdict(lin([&](ExploreOptions& o) {
              o.version_bits = 4;  // two puts of each of three nodes go on together
              o.puts = 3;
              o.operations = 1;
              o.sessions = "1,0,0,2";
              o.rules.stalled = stalled;
              o.rules.losers = losers;
            })) == "clean");
    }
  }
  CHECK(verdict(lin([](ExploreOptions& o) {
          o.puts = 2;
          o.sessions = "0,1";
          o.sessions_roam = true;
        })) == "clean");
}

TEST_CASE("with retransmit a loss, a duplicate and a spurious timeout do no harm") {
  CHECK(verdict(lin([](ExploreOptions& o) {
          o.puts = 1;
          o.operations = 1;
          o.losses = o.duplicates = o.timeouts = 1;
          o.rules.retransmit = true;
        })) == "clean");
  for (const auto losers : {Rules::Losers::wait, Rules::Losers::acked}) {
    CHECK(verdict(lin([losers](ExploreOptions& o) {
            o.puts = 2;
            o.operations = 1;
            o.losses = 1;
            o.rules.retransmit = true;
            o.rules.losers = losers;
          })) == "clean");
  }
}

TEST_CASE("without clients, as published models have it, the invariants hold") {
  CHECK(verdict(lin([](ExploreOptions& o) {
          o.nodes = 2;
          o.clients = false;
        })) == "clean");
  CHECK(verdict(lin([](ExploreOptions& o) {
          o.nodes = 2;
          o.clients = false;
          o.rules.losers = Rules::Losers::acked;
        })) == "clean");
}

TEST_CASE("losers that return at once: a stale get in 4 steps") {
  CHECK_THAT(verdict(lin([](ExploreOptions& o) { o.rules.losers = Rules::Losers::at_once; })),
             StartsWith("4: not linearizable: the get"));
}

TEST_CASE("acknowledgements without a look at their timestamp: a stale get in 14 steps, behind a wrong commit") {
  const auto found = [](bool invariants) {
    return verdict(lin([invariants](ExploreOptions& o) {
      o.sessions = "0,0,1,2";
      o.operations = 1;
      o.invariants = invariants;
      o.rules.ack_timestamps = false;
    }));
  };
  CHECK_THAT(found(false), StartsWith("14: not linearizable: the get"));
  CHECK_THAT(found(true), StartsWith("13: two writers or readers"));
}

TEST_CASE("R2: a counter of acknowledgements and a duplicate: a stale get in 6 steps") {
  CHECK_THAT(verdict(lin([](ExploreOptions& o) {
               clients_only(o);
               o.duplicates = 1;
               o.rules.ack_set = false;
             })),
             StartsWith("6: not linearizable: the get"));
}

TEST_CASE("one acknowledgement too few: a stale get in 4 steps") {  // put, INV, ACK, get
  CHECK_THAT(verdict(lin([](ExploreOptions& o) {
               clients_only(o);
               o.rules.all_acks = false;
             })),
             StartsWith("4: not linearizable: the get"));
}

TEST_CASE("without Invalid: a stale get in 6 steps") {  // put, two INV, two ACK, get
  CHECK_THAT(verdict(lin([](ExploreOptions& o) {
               clients_only(o);
               o.rules.invalid_state = false;
             })),
             StartsWith("6: not linearizable: the get"));
}

TEST_CASE("without the tie-break the exploration finds two puts that wait for each other") {
  CHECK_THAT(verdict(lin([](ExploreOptions& o) {
               o.puts = 2;
               o.operations = 1;
               o.rules.tie_break = false;
             })),
             Contains(kWaits));
}

// put 1, two INV, two ACK; put 2, INV to one node, there UPD 1, INV to the other, two ACK, get
TEST_CASE("updates without a look at their timestamp: a stale get in 12 steps") {
  CHECK_THAT(verdict(lin([](ExploreOptions& o) {
               clients_only(o);
               o.rules.update_timestamps = false;
             })),
             StartsWith("12: not linearizable: the get"));
}

TEST_CASE("R3: a duplicate that invalidates a Valid copy leaves it so, unless R4 repairs it") {
  const auto found = [](bool retransmit) {
    return verdict(lin([retransmit](ExploreOptions& o) {
      o.puts = 1;
      o.operations = 1;
      o.duplicates = 1;
      o.rules.equal_ignored = false;
      o.rules.retransmit = retransmit;
    }));
  };
  CHECK_THAT(found(false), Contains("all has come to rest"));
  CHECK(found(true) == "clean");
}

TEST_CASE("without R1 or R4 a loss ends in timers that ask in vain") {
  const auto found = [](bool Rules::*rule, std::uint64_t losses) {
    return verdict(lin([&](ExploreOptions& o) {
      o.puts = 1;
      o.operations = 1;
      o.losses = losses;
      o.rules.retransmit = true;
      o.rules.*rule = false;
    }));
  };
  CHECK(found(&Rules::resend_invalidations, 1) == "2: " + kNoEnd);  // put, INV lost
  CHECK(found(&Rules::ask_for_updates, 1) == "6: " + kNoEnd);       // put, two INV, two ACK, UPD lost
  CHECK(found(&Rules::ask_for_updates, 0) == "clean");
}

TEST_CASE("without retransmit a loss leaves operations waiting") {
  CHECK_THAT(verdict(lin([](ExploreOptions& o) {
               o.puts = 1;
               o.operations = 1;
               o.losses = 1;
             })),
             Contains("all has come to rest"));
}

TEST_CASE("as printed the exploration finds a put that lost and waits for ever") {
  CHECK_THAT(verdict(lin([](ExploreOptions& o) {
               o.puts = 2;
               o.operations = 1;
               o.rules.source = Rules::Source::paper;
             })),
             Contains(kWaits));
}

TEST_CASE("a get in Write: the new value is never safe, the old one only if losers are not acknowledged") {
  const auto found = [](Rules::GetInWrite get_in_write, Rules::Losers losers) {
    return verdict(lin([&](ExploreOptions& o) {
      clients_only(o);
      o.sessions = "0,1,1";
      o.rules.get_in_write = get_in_write;
      o.rules.losers = losers;
    }));
  };
  using Get = Rules::GetInWrite;
  CHECK_THAT(found(Get::new_value, Rules::Losers::wait), StartsWith("3: not linearizable"));  // put, get new, get old
  CHECK_THAT(found(Get::new_value, Rules::Losers::acked), StartsWith("3: not linearizable"));
  CHECK(found(Get::old_value, Rules::Losers::wait) == "clean");
  // two puts, two INV of the one that will lose, two ACK, get
  CHECK_THAT(found(Get::old_value, Rules::Losers::acked), StartsWith("7: not linearizable"));
  // a put, two INV, two ACK, a put of a node that waits for UPD, and a get there
  CHECK_THAT(verdict(lin([](ExploreOptions& o) {
               clients_only(o);
               o.rules.get_in_write = Get::old_value;
               o.rules.start_at_once = true;
               o.sessions = "0,0,1";
             })),
             StartsWith("7: not linearizable"));
}

TEST_CASE("versions of two bits that wrap break Lin with five puts, not with four, nor with three bits, nor in order") {
  const auto found = [](std::uint64_t puts, std::uint64_t bits, ExploreOptions::Network network) {
    return verdict(lin([&](ExploreOptions& o) {
      o.nodes = 2;
      o.sessions = "0,1";
      o.operations = 3;
      o.wrap = true;
      o.puts = puts;
      o.version_bits = bits;
      o.network = network;
    }));
  };
  using Network = ExploreOptions::Network;
  CHECK_THAT(found(5, 2, Network::unordered), Contains("not of the last committed put"));
  CHECK(found(4, 2, Network::unordered) == "clean");
  CHECK(found(5, 3, Network::unordered) == "clean");
  CHECK(found(5, 2, Network::fifo) == "clean");
}

TEST_CASE("SC is clean for sessions that keep to a node", "[claim:cckvs-inv-sc]") {
  CHECK(verdict(sc([](ExploreOptions& o) { o.puts = 2; })) == "clean");
  CHECK(verdict(sc([](ExploreOptions& o) {
          o.puts = 2;
          o.duplicates = 1;
          o.operations = 1;
        })) == "clean");
}

TEST_CASE(
    "SC for sessions that pick a node for each request: a session misses its own put, three sessions in 6 steps") {
  const auto roams = [](ExploreOptions& o) {
    o.sessions_roam = true;
    o.puts = 1;
  };
  CHECK_THAT(verdict(sc(roams)), StartsWith("6: not sequentially consistent"));  // each session's two operations
  CHECK(verdict(sc([&](ExploreOptions& o) {
          roams(o);
          o.sessions = "0";
        })) == "2: not sequentially consistent: session 0: put 1 get 0");
}

TEST_CASE("SC without the tie-break, with wrapped versions or a lost update ends with different copies") {
  const auto found = [](const Change& change) {
    return verdict(sc([&](ExploreOptions& o) {
      o.operations = 1;
      change(o);
    }));
  };
  CHECK_THAT(found([](ExploreOptions& o) { o.rules.tie_break = false; }), Contains(kDiffer));
  CHECK_THAT(found([](ExploreOptions& o) { o.losses = 1; }), Contains(kDiffer));
  CHECK_THAT(found([](ExploreOptions& o) { o.wrap = true; }), Contains(kDiffer));
  CHECK(found([](ExploreOptions& o) {
          o.wrap = true;
          o.version_bits = 3;
        }) == "clean");
}

TEST_CASE("SC that takes any update: a session reads new, then old") {
  CHECK_THAT(verdict(sc([](ExploreOptions& o) {
               o.puts = 2;
               o.rules.update_timestamps = false;
             })),
             Contains("not sequentially consistent"));
}

TEST_CASE("options that cannot be explored are refused") {
  const auto refuses = [](const Change& change, const std::string& what) {
    CHECK_THROWS_WITH(lin(change), Contains(what));
  };
  refuses([](ExploreOptions& o) { o.sessions = "0,3"; }, "sessions: found \"0,3\", expected 1 to 8 numbers of nodes");
  refuses([](ExploreOptions& o) { o.sessions = ""; }, "sessions");
  refuses([](ExploreOptions& o) { o.sessions = "0,"; }, "sessions");
  refuses([](ExploreOptions& o) { o.sessions = "0,0,0,0,0,0,0,0,0"; }, "sessions");
  refuses(
      [](ExploreOptions& o) {
        o.clients = false;
        o.changes = 1;
      },
      "changes");
  refuses(
      [](ExploreOptions& o) {
        o.clients = false;
        o.version_bits = 6;
        o.nodes = 4;
      },
      "version_bits: found 6 with 4 nodes, expected at most 255 timestamps");
  CHECK_THROWS_AS(sc([](ExploreOptions& o) { o.clients = false; }), sim::OptionError);
}

}  // namespace explore_test

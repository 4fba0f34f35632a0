// What all oracles share, and the two small ones: quiescence and conservation.
#include "sim/oracles/oracle.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "sim/oracles/conservation_oracle.hpp"
#include "sim/oracles/quiescence_oracle.hpp"

namespace oracle_test {

using namespace racksim::sim;

TEST_CASE("an oracle keeps the first 20 violations and counts all") {
  QuiescenceOracle oracle;
  for (int i = 0; i < 1000; ++i) oracle.report("leaked-lock", Time() + 1_ns * i, "block " + std::to_string(i));
  CHECK(oracle.violation_count() == 1000);
  REQUIRE(oracle.violations().size() == 20);
  CHECK(oracle.violations()[0].what == "block 0");
  CHECK(oracle.violations()[19].what == "block 19");
}

TEST_CASE("a leftover is reported under the name of its kind") {
  QuiescenceOracle oracle;
  oracle.finish(Time() + 5_ns);
  CHECK(oracle.violations().empty());
  oracle.report("leaked-lock", Time() + 7_ns, "block 3 is locked by node 1");
  oracle.report("stuck-request", Time() + 7_ns, "node 2 waits for block 3");
  REQUIRE(oracle.violations().size() == 2);
  CHECK(oracle.violations()[0].oracle == "leaked-lock");
  CHECK(oracle.violations()[0].at == Time() + 7_ns);
  CHECK(oracle.violations()[0].what == "block 3 is locked by node 1");
  CHECK(oracle.violations()[1].oracle == "stuck-request");
}

TEST_CASE("instants are printed in nanoseconds to the picosecond") {
  CHECK(printed(Time()) == "0.000 ns");
  CHECK(printed(Time() + 12'345_ps) == "12.345 ns");
  CHECK(printed(Time() + 7_s + 1_ps) == "7000000000.001 ns");
  CHECK(printed(Time() - 7_ps) == "-0.007 ns");
}

TEST_CASE("packets that balance are no violation") {
  CHECK_FALSE(check_conservation({}, Time()));
  CHECK_FALSE(check_conservation({100, 20, 90, 10, 15, 5}, Time()));
}

TEST_CASE("packets that vanish or come from nowhere are a violation that names all numbers") {
  const auto lost = check_conservation({101, 20, 90, 10, 15, 5}, Time() + 3_ns);
  REQUIRE(lost);
  CHECK(lost->oracle == "conservation");
  CHECK(lost->at == Time() + 3_ns);
  CHECK(lost->what ==
        "1 packets vanished: 101 created + 20 copied = 121, but 90 delivered + 10 absorbed + 15 dropped + 5 in flight "
        "= 120");
  const auto found = check_conservation({100, 20, 93, 10, 15, 5}, Time());
  REQUIRE(found);
  CHECK_THAT(found->what, Catch::StartsWith("3 packets came from nowhere"));
}

// One packet too many or too few in any place shows.
TEST_CASE("each term of the balance counts") {
  for (auto term : {&PacketBalance::created, &PacketBalance::copied, &PacketBalance::delivered,
                    &PacketBalance::absorbed, &PacketBalance::dropped, &PacketBalance::in_flight}) {
    PacketBalance balance{100, 20, 90, 10, 15, 5};
    ++(balance.*term);
    CHECK(check_conservation(balance, Time()));
  }
}

TEST_CASE("cells that packets account for are no violation") {
  CHECK_FALSE(check_conservation("the packet buffer", {}, Time()));
  CHECK_FALSE(check_conservation("the packet buffer", {7, 7}, Time()));
}

TEST_CASE("cells of no packet, and packets without their cells, are a violation that says where and when") {
  const auto leaked = check_conservation("the packet buffer", {19, 7}, Time() + 1'200'000_ns);
  REQUIRE(leaked);
  CHECK(leaked->oracle == "conservation");
  CHECK(leaked->at == Time() + 1'200'000_ns);
  CHECK(leaked->what == "the packet buffer holds 12 cells of no packet at 1200000.000 ns: 19 in use, 7 of packets");
  const auto given_up = check_conservation("the packet buffer", {7, 10}, Time());
  REQUIRE(given_up);
  CHECK_THAT(given_up->what, Catch::StartsWith("the packet buffer has given up 3 cells of packets that are in it"));
}

}  // namespace oracle_test

#include "tools/bench/instruction_parts.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <sstream>

using namespace racksim::tools;

namespace {

InstructionsByPart parts_of(const std::string& counted) {
  std::istringstream text(counted);
  return instructions_by_part(text);
}

double of(const InstructionsByPart& parts, Part part) {
  return parts[static_cast<std::size_t>(part)];
}

// Names as the compiler mangles them: racksim::models::Nic::send(), racksim::checkers::Served::judge(), ...
const std::string kNic = "_ZN7racksim6models3Nic4sendEv", kOracle = "_ZN7racksim8checkers6Served5judgeEv",
                  kVector = "_ZNSt6vectorIiSaIiEE9push_backERKi";

}  // namespace

TEST_CASE("Instructions count for the part of their function, and those of no part for whom called it") {
  // A vector is pushed to by a NIC for 30 instructions and by an oracle for 10; malloc works for the vector alone.
  const auto parts = parts_of("fn=(1) " + kNic + "\n10 100\ncfn=(2) " + kVector + "\ncalls=3 20\n11 30\n\nfn=(3) " +
                              kOracle + "\n5 60\n+1 40\ncfn=(2)\ncalls=1 20\n* 10\n\nfn=(2)\n20 24\ncfn=(4) malloc\n" +
                              "calls=4 9\n21 16\n\nfn=(4)\n9 16\n");
  CHECK(of(parts, Part::network) == Approx(100 + 0.75 * 40));
  CHECK(of(parts, Part::oracles) == Approx(100 + 0.25 * 40));
  CHECK(std::accumulate(parts.begin(), parts.end(), 0.0) == Approx(240));
}

TEST_CASE("What nobody called, and what only calls itself, counts as other") {
  const auto parts =
      parts_of("fn=(1) _start\n1 7\ncfn=(2) loop\ncalls=1 2\n1 50\nfn=(2)\n2 25\ncfn=(2)\ncalls=9 2\n2 25\n");
  CHECK(of(parts, Part::other) == Approx(32));
}

TEST_CASE("A text that callgrind did not write is refused") {
  CHECK_THROWS_WITH(parts_of(""), "callgrind counted nothing");
  CHECK_THROWS_WITH(parts_of("fn=(1 main\n"), "not a function of callgrind: (1 main");
  CHECK_THROWS_WITH(parts_of("fn=(1) main\n1 ten\n"), "not a line of callgrind: 1 ten");
}

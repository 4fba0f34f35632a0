// SELCC's latches as an application holds them (§6.1), and what a crash of a compute node leaves behind: the paper has
// no recovery, so whoever needs a line that it held waits, and the report says for whom.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/protocols/held_latches.hpp"
#include "tests/protocols/selcc/selcc_run.hpp"

namespace locks_and_crash_test {

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;
using models::LockMode;

TEST_CASE("An exclusive latch keeps others out, and its release leaves the line where it is") {
  SelccScript run{Setup{}};
  racksim::testing::check_that_an_exclusive_latch_keeps_others_out(run);
}

TEST_CASE("Latches held shared by two nodes do not keep each other out") {
  SelccScript run{Setup{}};
  racksim::testing::check_that_shared_latches_are_held_together(run);
}

TEST_CASE("After a crash of its owner a line is stuck, and the waits say who waits for whom") {
  SelccScript run{Setup{}};
  run.write(0, 0);
  run.rack.crash(0);
  run.begin({1, 0}, run.line(0), false);
  run.advance(1_ms);
  const auto waits = run.waits();
  CHECK(std::any_of(waits.begin(), waits.end(), [](const std::string& line) {
    return line.find("node1/thread0") != std::string::npos && line.find("node0") != std::string::npos;
  }));
  // Everybody else goes on.
  CHECK(run.write(2, 1) < 20_us);
}

}  // namespace locks_and_crash_test

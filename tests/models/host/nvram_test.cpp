#include "models/host/nvram.hpp"

#include <catch2/catch.hpp>

namespace nvram_test {

using namespace racksim;
using namespace racksim::sim::literals;

namespace {

sim::Time at(sim::Duration since_start) {
  return sim::Time{} + since_start;
}

// A byte takes a nanosecond in, and four out.
models::NvramOptions small() {
  models::NvramOptions options;
  options.bytes = 1000;
  options.latency = 100_ns;
  options.bandwidth = 8'000'000'000;
  options.spill = 2'000'000'000;
  return options;
}

}  // namespace

TEST_CASE("An entry is durable when its bytes are taken in, one entry behind the other, and the latency is over") {
  models::Nvram nvram(small());
  CHECK(nvram.append(at(0_ns), 200) == at(300_ns));
  CHECK(nvram.append(at(50_ns), 100) == at(400_ns));
  CHECK(nvram.append(at(1_us), 100) == at(1200_ns));
  CHECK(nvram.read(500) == 600_ns);
}

TEST_CASE("A full device takes no entry until a disk has taken over as much") {
  models::Nvram nvram(small());
  CHECK(nvram.append(at(0_ns), 1000) == at(1100_ns));
  CHECK(nvram.stalls() == 0);
  CHECK(nvram.held(at(400_ns)) == 900);
  // 500 bytes are gone after 2 us; 250 are when the first entry is in.
  CHECK(nvram.append(at(1_us), 500) == at(2600_ns));
  CHECK(nvram.stalls() == 1);
  CHECK(nvram.held(at(2_us)) == 1000);
  CHECK(nvram.held(at(4_us)) == 500);
  CHECK(nvram.held(at(1_ms)) == 0);
  CHECK_THROWS_AS(nvram.append(at(2_ms), 1001), std::logic_error);
}

TEST_CASE("Without power a device keeps what it holds, and spills nothing") {
  models::Nvram nvram(small());
  nvram.append(at(0_ns), 800);
  nvram.power_off(at(2_us));
  nvram.power_on(at(1_ms));
  CHECK(nvram.held(at(1_ms)) == 300);
  CHECK(nvram.held(at(1_ms) + 400_ns) == 200);
  CHECK(nvram.append(at(1_ms), 700) == at(1_ms) + 800_ns);
}

TEST_CASE("What goes to the disk does not depend on how often somebody looks") {
  models::Nvram nvram(small());
  nvram.append(at(0_ns), 1000);
  for (int i = 1; i < 1001; ++i) nvram.append(at(1_ns * (1000 + i)), 0);
  CHECK(nvram.held(at(2001_ns)) == 500);
}

}  // namespace nvram_test

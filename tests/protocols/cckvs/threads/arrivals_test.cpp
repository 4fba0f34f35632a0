// Which numbered messages have come: gaps, copies, and numbers that wrap.
#include "protocols/cckvs/threads/arrivals.hpp"

#include <catch2/catch.hpp>

namespace arrivals_test {

using namespace racksim::cckvs;

TEST_CASE("what has come counts up to the first gap, and a copy counts once") {
  Arrivals arrivals;
  arrivals.take(1);
  arrivals.take(3);
  arrivals.take(3);
  arrivals.take(4);
  CHECK(arrivals.up_to() == 1);
  arrivals.take(1);
  CHECK(arrivals.up_to() == 1);
  arrivals.take(2);
  CHECK(arrivals.up_to() == 4);
}

TEST_CASE("what is skipped counts as come, with what has come behind it") {
  Arrivals arrivals;
  arrivals.take(2);
  arrivals.take(6);
  arrivals.take(7);
  arrivals.skip_to(5);
  CHECK(arrivals.up_to() == 7);
  arrivals.skip_to(3);
  CHECK(arrivals.up_to() == 7);
}

TEST_CASE("numbers wrap around") {
  Arrivals arrivals;
  arrivals.skip_to(0x7fff'ffff);
  arrivals.skip_to(0xffff'fffe);
  arrivals.take(1);
  arrivals.take(0xffff'ffff);
  CHECK(arrivals.up_to() == 0xffff'ffff);
  arrivals.take(0);
  CHECK(arrivals.up_to() == 1);
  CHECK(comes_after(0, 0xffff'ffff));
  CHECK_FALSE(comes_after(0xffff'ffff, 0));
}

}  // namespace arrivals_test

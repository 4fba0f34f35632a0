// What status and copyset say together, and what agents rely on.
#include <catch2/catch.hpp>

#include "protocols/flowcc/rules/block.hpp"
#include "protocols/flowcc/rules/last_executed.hpp"
#include "sim/kernel/invariant.hpp"

namespace metadata_test {

using namespace racksim;
using namespace racksim::flowcc;

TEST_CASE("a Modified block has one holder, a Shared one some and an Unshared one none, all of them in the rack") {
  using enum GlobalStatus;
  CHECK(consistent({unshared, 0}, 4));
  CHECK_FALSE(consistent({unshared, 0b1}, 4));
  CHECK(consistent({shared, 0b1}, 4));
  CHECK(consistent({shared, 0b1111}, 4));
  CHECK_FALSE(consistent({shared, 0}, 4));
  CHECK(consistent({modified, 0b1000}, 4));
  CHECK_FALSE(consistent({modified, 0b1001}, 4));
  CHECK_FALSE(consistent({modified, 0}, 4));
  CHECK_FALSE(consistent({modified, 0b10000}, 4));
  CHECK(consistent({shared, 0xffff}, 16));
}

TEST_CASE("a request of no requester of the rack breaks an invariant") {
  const sim::InvariantChecks on(true);
  LastExecuted last_executed(4, true);
  CHECK(last_executed.judge(3, 1) == LastExecuted::Verdict::execute);
  CHECK_THROWS_AS(last_executed.judge(4, 1), sim::BrokenInvariant);
}

}  // namespace metadata_test

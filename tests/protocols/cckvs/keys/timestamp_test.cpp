// Timestamps: their order, and where versions wrap.
#include "protocols/cckvs/keys/timestamp.hpp"

#include <catch2/catch.hpp>

#include "protocols/cckvs/keys/rules.hpp"
#include "sim/options/option_error.hpp"

namespace timestamp_test {

using namespace racksim;
using namespace racksim::cckvs;

TEST_CASE("a put's version is one more, and its node is the one that writes", "[claim:cckvs-inv-unique-ts]") {
  const TimestampOrder order(32);
  CHECK(order.next({41, 3}, 5) == Timestamp{42, 5});
  CHECK(order.next({0xffffffff, 3}, 5) == Timestamp{0, 5});
  CHECK(TimestampOrder(3).next({7, 0}, 1) == Timestamp{0, 1});
}

TEST_CASE("versions count first, and nodes break ties", "[claim:cckvs-inv-unique-ts]") {
  const TimestampOrder order(32);
  CHECK(order.after({2, 0}, {1, 8}));
  CHECK_FALSE(order.after({1, 8}, {2, 0}));
  CHECK(order.after({2, 1}, {2, 0}));
  CHECK_FALSE(order.after({2, 0}, {2, 1}));
  CHECK_FALSE(order.after({2, 1}, {2, 1}));
  const TimestampOrder no_ties(32, false);
  CHECK_FALSE(no_ties.after({2, 1}, {2, 0}));
  CHECK_FALSE(no_ties.after({2, 0}, {2, 1}));
  CHECK(no_ties.after({2, 0}, {1, 1}));
}

TEST_CASE("versions compare as serial numbers: one is after those that fewer than half of all steps lead from") {
  for (const unsigned bits : {2u, 3u, 4u, 8u}) {
    const TimestampOrder order(bits);
    const std::uint32_t count = 1u << bits;
    for (std::uint32_t from = 0; from < count; ++from) {
      Timestamp to{from, 0};
      for (std::uint32_t steps = 1; steps < count; ++steps) {
        to = order.next(to, 0);
        INFO(bits << " bits, " << steps << " steps after " << from);
        CHECK(order.after(to, {from, 0}) == (steps < count / 2));
        CHECK(order.after({from, 0}, to) == (steps > count / 2));
      }
    }
  }
}

TEST_CASE("rules refuse what timestamps cannot tell apart") {
  Rules rules;
  rules.version_bits = 3;
  CHECK_NOTHROW(rules.check(9, 3, "nodes"));
  CHECK_THROWS_WITH(rules.check(9, 4, "nodes"),
                    "version_bits: found 3, expected more than 4 versions that compare: so many puts of a key can be "
                    "alive at once");
  CHECK_THROWS_WITH(rules.check(1, 1, "nodes"), Catch::Contains("nodes: found 1 node, expected at least 2"));
  CHECK_THROWS_WITH(rules.check(256, 1, "nodes"), Catch::Contains("at most 255"));
  CHECK_NOTHROW(rules.check(255, 1, "nodes"));
}

}  // namespace timestamp_test

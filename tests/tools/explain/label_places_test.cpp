// Where labels may stand.
#include "tools/explain/label_places.hpp"

#include <catch2/catch.hpp>

namespace label_places_test {

using namespace racksim::tools::explain;

namespace {
constexpr Box kBox{10, 10, 20, 20};
}

TEST_CASE("a stroke crosses a box when it goes through its inside", "[explain]") {
  CHECK(crosses({{0, 15}, {30, 15}}, kBox));
  CHECK(crosses({{15, 0}, {15, 30}}, kBox));
  CHECK(crosses({{0, 0}, {30, 30}}, kBox));
  CHECK(crosses({{12, 12}, {13, 13}}, kBox));  // within it
  CHECK(crosses({{15, 15}, {100, 90}}, kBox));
  CHECK(crosses({{30, 14}, {0, 16}}, kBox));
  CHECK_FALSE(crosses({{0, 5}, {30, 5}}, kBox));
  CHECK_FALSE(crosses({{0, 15}, {9, 15}}, kBox));    // it ends before
  CHECK_FALSE(crosses({{0, 18}, {18, 36}}, kBox));   // it passes the corner
  CHECK_FALSE(crosses({{10, 0}, {10, 30}}, kBox));   // along its edge
  CHECK_FALSE(crosses({{15, 25}, {15, 25}}, kBox));  // a point outside
}

TEST_CASE("boxes meet when they have an inside in common", "[explain]") {
  CHECK(meet(kBox, {15, 15, 25, 25}));
  CHECK(meet(kBox, {0, 0, 30, 30}));
  CHECK_FALSE(meet(kBox, {20, 10, 30, 20}));
  CHECK_FALSE(meet(kBox, {10, 21, 20, 30}));
}

TEST_CASE("the first free place that is not too far to the left is taken, and is free no longer", "[explain]") {
  LabelPlaces places(0);
  places.block(Segment{{0, 15}, {50, 15}});
  places.block(Box{60, 10, 70, 20});
  const std::vector<Box> wanted{
      {-5, 30, 5, 40}, {20, 10, 30, 20}, {65, 10, 75, 20}, {80, 10, 90, 20}, {80, 30, 90, 40}};
  CHECK(places.take(wanted)->top == 10);
  CHECK(places.take(wanted)->top == 30);
  CHECK_FALSE(places.take(wanted));
}

}  // namespace label_places_test

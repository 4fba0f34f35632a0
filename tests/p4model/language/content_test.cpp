#include "p4model/language/content.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "sim/kernel/sanitizer.hpp"

namespace content_test {

using namespace racksim::p4;

namespace {
struct Small {
  std::uint32_t a = 0, b = 0;
  bool operator==(const Small&) const = default;
};
struct Large {
  std::array<std::uint64_t, 40> words{};
  bool operator==(const Large&) const = default;
};
Large counted() {
  Large value;
  std::iota(value.words.begin(), value.words.end(), 1);
  return value;
}
}  // namespace

TEST_CASE("A message is read as the value that it was made of, short or long") {
  CHECK(Content::of(Small{1, 2}).as<Small>() == Small{1, 2});
  CHECK(Content::of(counted()).as<Large>() == counted());
  CHECK(Content::of(counted()).size() == sizeof(Large));
  CHECK(Content().empty());
}

TEST_CASE("A message that is read as another type is refused, even one of the same size") {
  const Content content = Content::of(Small{1, 2});
  CHECK_FALSE(content.holds<std::uint64_t>());
  CHECK_THROWS_AS(content.as<std::uint64_t>(), std::logic_error);
  CHECK_THROWS_AS(Content().as<Small>(), std::logic_error);
}

TEST_CASE("Bytes are read as any type of their size") {
  const Content content = Content::of_bytes(Content::of(Small{3, 4}).bytes());
  CHECK(content.as<Small>() == Small{3, 4});
  CHECK(content.holds<std::uint64_t>());
  CHECK_FALSE(content.holds<std::uint32_t>());
}

TEST_CASE("Copies of a long message live as long as any of them") {
  std::vector<Content> copies;
  {
    Content original = Content::of(counted());
    copies.assign(3, original);
    original = Content::of(Small{1, 1});
  }
  copies.erase(copies.begin());
  Content moved = std::move(copies.front());
  copies.clear();
  moved = Content(moved);
  CHECK(moved.as<Large>() == counted());
  CHECK(moved == Content::of(counted()));
  CHECK_FALSE(moved == Content::of(Large{}));
}

TEST_CASE("A long message takes the block of one that is gone, and no block of one that is not") {
  if (racksim::sim::kUnderAddressSanitizer) return;  // no block is used again, so that what is used too late is seen
  Content first = Content::of(counted());
  const Content kept = first;
  const std::byte* block = first.bytes().data();
  first = Content();
  Content second = Content::of(Large{});
  CHECK(second.bytes().data() != block);
  CHECK(kept.as<Large>() == counted());
  block = second.bytes().data();
  second = Content();
  const Content third = Content::of(counted());
  CHECK(third.bytes().data() == block);
  CHECK(third.as<Large>() == counted());
}

}  // namespace content_test

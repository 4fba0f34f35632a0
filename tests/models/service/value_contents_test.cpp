// Bytes behind values: what is written over what, and what stands for values without bytes.
#include "models/service/value_contents.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace value_contents_test {

using racksim::models::ValueContents;
using Bytes = std::vector<std::byte>;

namespace {

Bytes bytes(std::initializer_list<unsigned> numbers) {
  Bytes made;
  for (const unsigned number : numbers) made.push_back(static_cast<std::byte>(number));
  return made;
}

Bytes read(const ValueContents& contents, std::uint64_t value, std::size_t offset, std::size_t count) {
  Bytes into(count, std::byte{0xee});
  contents.copy(racksim::sim::Value{value}, offset, into);
  return into;
}

}  // namespace

TEST_CASE("A value without bytes stands for its number, and zeros after it") {
  const ValueContents contents(16);
  CHECK(read(contents, 0, 0, 16) == Bytes(16));
  CHECK(read(contents, 0x0807060504030201, 0, 10) == bytes({1, 2, 3, 4, 5, 6, 7, 8, 0, 0}));
  CHECK(read(contents, 0x0807060504030201, 6, 3) == bytes({7, 8, 0}));
  CHECK(read(contents, 5, 15, 1) == bytes({0}));
}

TEST_CASE("A value is what the one before was with bytes written over it, and older ones stay readable") {
  ValueContents contents(8);
  contents.compose(100, 0x0201, 1, bytes({9, 8}));
  CHECK(read(contents, 100, 0, 8) == bytes({1, 9, 8, 0, 0, 0, 0, 0}));
  contents.compose(200, 100, 7, bytes({7}));
  contents.compose(300, 100, 0, bytes({1, 1, 1, 1, 1, 1, 1, 1}));
  CHECK(read(contents, 200, 0, 8) == bytes({1, 9, 8, 0, 0, 0, 0, 7}));
  CHECK(read(contents, 300, 2, 3) == bytes({1, 1, 1}));
  CHECK(read(contents, 100, 0, 8) == bytes({1, 9, 8, 0, 0, 0, 0, 0}));
  CHECK(read(contents, 0x0201, 0, 2) == bytes({1, 2}));
}

}  // namespace value_contents_test

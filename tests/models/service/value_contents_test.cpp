// Bytes behind values: what is written over what, what stands for values without bytes, and what a crash has undone.
// Judged by a reference that keeps every value's whole content.
#include "models/service/value_contents.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "sim/random/random.hpp"

namespace value_contents_test {

using racksim::models::ValueContents;
using racksim::sim::Key;
using racksim::sim::Value;
using Bytes = std::vector<std::byte>;

namespace {

Bytes bytes(std::initializer_list<unsigned> numbers) {
  Bytes made;
  for (const unsigned number : numbers) made.push_back(static_cast<std::byte>(number));
  return made;
}

Bytes read(const ValueContents& contents, std::uint64_t value, std::size_t offset, std::size_t count,
           std::uint64_t object = 1) {
  Bytes into(count, std::byte{0xee});
  contents.copy(Key{object}, Value{value}, offset, into);
  return into;
}

/// What an object holds before anybody stores there.
std::byte first_byte(std::uint64_t object, std::size_t offset) {
  return static_cast<std::byte>(object * 31 + offset * 7 + 3);
}
void fill_first(Key object, std::size_t offset, std::span<std::byte> into) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = first_byte(object, offset + i);
}

}  // namespace

TEST_CASE("A value without bytes stands for its number, and zeros after it") {
  ValueContents contents(16);
  CHECK(read(contents, 0, 0, 16) == Bytes(16));
  CHECK(read(contents, 0x0807060504030201, 0, 10) == bytes({1, 2, 3, 4, 5, 6, 7, 8, 0, 0}));
  CHECK(read(contents, 0x0807060504030201, 6, 3) == bytes({7, 8, 0}));
  CHECK(read(contents, 5, 15, 1) == bytes({0}));
  contents.count(Key{1u}, Value{0x0201u});
  contents.write(Key{1u}, Value{100u}, 1, bytes({9, 8}));
  CHECK(read(contents, 100, 0, 4) == bytes({1, 9, 8, 0}));
}

TEST_CASE("What nobody has stored over is computed, and a write without bytes leaves it as it is") {
  ValueContents contents(256);
  contents.begin_with(fill_first);
  contents.write(Key{1u}, Value{7u}, 0, {});
  contents.write(Key{1u}, Value{8u}, 130, bytes({1, 2}));
  for (const std::size_t offset : {0, 63, 64, 129, 132, 255}) {
    CHECK(read(contents, 0, offset, 1) == Bytes{first_byte(1, offset)});
    CHECK(read(contents, 7, offset, 1) == Bytes{first_byte(1, offset)});
    CHECK(read(contents, 8, offset, 1) == Bytes{first_byte(1, offset)});
  }
  CHECK(read(contents, 8, 130, 2) == bytes({1, 2}));
  CHECK(read(contents, 0, 130, 1, 2) == Bytes{first_byte(2, 130)});
}

TEST_CASE("Every value of every object reads as a copy of all its bytes would, to the end") {
  for (const std::size_t object_bytes : {8, 64, 512}) {
    CAPTURE(object_bytes);
    racksim::sim::RandomStream random(object_bytes, "value-contents-test");
    ValueContents contents(object_bytes);
    contents.begin_with(fill_first);
    std::map<std::uint64_t, Bytes> known;                        // by value
    std::map<std::uint64_t, std::uint64_t> object_of;            // by value
    std::map<std::uint64_t, std::vector<std::uint64_t>> values;  // by object: those not lost, oldest first
    const auto content_of = [&](std::uint64_t object) {
      if (!values[object].empty()) return known[values[object].back()];
      Bytes first(object_bytes);
      fill_first(Key{object}, 0, first);
      return first;
    };
    for (std::uint64_t value = 1; value <= 600; ++value) {
      const std::uint64_t object = 1 + random.below(3), what = random.below(10);
      if (what == 0 && values[object].size() > 1) {
        // A crash undoes the last two, the older one first; what is left is told or not.
        const std::uint64_t last = values[object].back(), before = values[object][values[object].size() - 2];
        values[object].resize(values[object].size() - 2);
        contents.lose(Key{object}, Value{before}, Value{});
        const bool told = random.chance(0.5) && !values[object].empty();
        contents.lose(Key{object}, Value{last}, Value{told ? values[object].back() : 0});
        CHECK(contents.current(Key{object}) == (values[object].empty() ? 0 : values[object].back()));
        continue;
      }
      Bytes content = content_of(object);
      if (what == 1) {
        contents.count(Key{object}, Value{value});
        std::fill(content.begin(), content.end(), std::byte{});
        content[0] = static_cast<std::byte>(value);
        content[1] = static_cast<std::byte>(value >> 8);
      } else if (what == 2) {
        contents.write(Key{object}, Value{value}, 0, {});
      } else {
        const std::size_t offset = random.below(object_bytes), most = object_bytes - offset;
        const Bytes written(1 + random.below(most), static_cast<std::byte>(value * 13));
        contents.write(Key{object}, Value{value}, offset, written);
        std::copy(written.begin(), written.end(), content.begin() + static_cast<std::ptrdiff_t>(offset));
      }
      known[value] = content;
      object_of[value] = object;
      values[object].push_back(value);
      CHECK(contents.current(Key{object}) == value);
    }
    for (const auto& [value, content] : known)
      CHECK(read(contents, value, 0, object_bytes, object_of[value]) == content);
  }
}

}  // namespace value_contents_test

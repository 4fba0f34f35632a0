// States as bytes and back.
#include "sim/exploration/archive.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <optional>
#include <vector>

#include "sim/record/ids.hpp"

namespace archive_test {

using namespace racksim::sim;

namespace {

enum class Colour : std::uint8_t { red, green };

struct Things {
  std::uint64_t number = 0;
  bool flag = false;
  Colour colour{};
  Key key;
  std::array<std::uint32_t, 2> pair{};
  std::vector<std::uint16_t> many;
  std::deque<Key> keys{};
  std::optional<std::uint8_t> maybe;
  std::string text;

  template <class Archive>
  void archive(Archive& archive) {
    archive(number, flag, colour, key);
    archive.each(pair);
    archive.list(many, [&](std::uint16_t& one) { archive(one); });
    archive.list(keys, [&](Key& one) { archive(one); });
    archive.maybe(maybe, [&](std::uint8_t& one) { archive(one); });
    archive.text(text);
  }
  bool operator==(const Things&) const = default;
};

std::string written(Things things) {
  StateWriter writer;
  things.archive(writer);
  return writer.bytes();
}
Things read(const std::string& bytes, Things into = {}) {
  StateReader reader(bytes);
  into.archive(reader);
  return into;
}

}  // namespace

TEST_CASE("what is written is read again, whatever was there before") {
  const Things none;
  const Things all{.number = ~std::uint64_t{0},
                   .flag = true,
                   .colour = Colour::green,
                   .key = Key{std::uint64_t{1} << 40},
                   .pair = {127, 128},
                   .many = {0, 0xffff, 5},
                   .keys = {7, 8},
                   .maybe = std::uint8_t{0},
                   .text = std::string("a\0b", 3)};
  CHECK(read(written(all)) == all);
  CHECK(read(written(none), all) == none);
  CHECK(read(written(all), all) == all);
}

TEST_CASE("a number takes a byte for each seven bits") {
  const auto size = [](std::uint64_t number) {
    StateWriter writer;
    writer(number);
    return writer.bytes().size();
  };
  CHECK(size(0) == 1);
  CHECK(size(127) == 1);
  CHECK(size(128) == 2);
  CHECK(size(16383) == 2);
  CHECK(size(16384) == 3);
  CHECK(size(~std::uint64_t{0}) == 10);
}

TEST_CASE("states that differ are written differently") {
  Things one;
  one.many = {1, 2};
  Things other;
  other.many = {1};
  other.keys.push_back(2);
  CHECK(written(one) != written(other));
}

}  // namespace archive_test

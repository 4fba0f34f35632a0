// Sparse values of a line against a plain array.
#include "protocols/latched_memory/line_data.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "sim/random/random.hpp"

namespace line_data_test {

using namespace racksim;
using namespace racksim::latched_memory;

TEST_CASE("A line's data are what was set last, whatever the order") {
  sim::RandomStream random(1, "line data");
  for (int round = 0; round < 50; ++round) {
    LineData data;
    std::array<std::uint64_t, 32> plain{};
    for (int i = 0; i < 60; ++i) {
      const auto object = static_cast<std::uint16_t>(random.below(plain.size()));
      plain[object] = random.below(4);  // 0 too
      data.set(object, sim::Value{plain[object]});
    }
    for (std::uint16_t object = 0; object < plain.size(); ++object) CHECK(data.value(object) == plain[object]);

    const ObjectRange range{.low = 5, .high = 20};
    std::array<std::uint64_t, 15> stored{};
    data.store(range, std::as_writable_bytes(std::span(stored)));
    for (std::size_t i = 0; i < stored.size(); ++i) CHECK(stored[i] == plain[i + 5]);

    LineData loaded;
    loaded.set(31, sim::Value{7u});
    loaded.load(std::as_bytes(std::span(plain)));
    for (std::uint16_t object = 0; object < plain.size(); ++object) CHECK(loaded.value(object) == plain[object]);
  }
}

TEST_CASE("A line is loaded from memory, and written back to it, as by its bytes") {
  sim::RandomStream random(2, "line data");
  constexpr std::uint64_t kWords = 40;
  for (int round = 0; round < 200; ++round) {
    models::Memory memory;
    const std::uint64_t line = 8 * random.below(1'000);
    for (int i = 0; i < 60; ++i) memory.set_word(8 * random.below(1'200), random.below(1'000));
    LineData by_bytes, by_words;
    by_bytes.load(memory.read(line, 8 * kWords).bytes());
    by_words.set(3, sim::Value{9u});
    by_words.load(memory, line, 8 * kWords);
    for (std::uint16_t object = 0; object < kWords; ++object) REQUIRE(by_words.value(object) == by_bytes.value(object));

    for (int i = 0; i < 10; ++i) {
      by_words.set(static_cast<std::uint16_t>(random.below(kWords)), sim::Value{1 + random.below(9)});
    }
    const auto low = static_cast<std::uint16_t>(random.below(kWords));
    const ObjectRange range{low, static_cast<std::uint16_t>(low + 1 + random.below(kWords - low))};
    models::Memory expected;
    memory.visit_words([&](std::uint64_t address, std::uint64_t word) { expected.set_word(address, word); });
    expected.write(line + 8 * range.low, by_words.bytes(range));
    by_words.write_back(range, memory, line);
    REQUIRE(memory.read(0, 10'000) == expected.read(0, 10'000));
  }
}

TEST_CASE("Dirty boundaries enclose all writes, and nothing before the first (SELCC §5.2.2)") {
  ObjectRange range;
  CHECK(range.empty());
  range.widen(0);
  CHECK(range == ObjectRange{.low = 0, .high = 1});
  range.widen(9);
  range.widen(3);
  CHECK(range == ObjectRange{.low = 0, .high = 10});
  CHECK(range.bytes() == 80);
}

}  // namespace line_data_test

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

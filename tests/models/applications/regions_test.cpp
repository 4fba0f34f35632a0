// Where slots lie: apart, whole in a line where they fit, and found again by their addresses.
#include "models/applications/regions.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <stdexcept>

#include "sim/options/option_error.hpp"
#include "tests/models/service/fake_memory.hpp"

namespace regions_test {

using namespace racksim;
using namespace racksim::app;
using models::GlobalAddress;
using models::test::FakeMemory;

namespace {
const std::vector<Region> kRegions{{"small", 37, 24}, {"line", 5, 64}, {"long", 6, 100}, {"one", 1, 8}};
}

TEST_CASE("Slots lie apart, in one line if they fit, and every byte tells its slot") {
  for (const SlotLayout layout : {SlotLayout::packed, SlotLayout::padded}) {
    models::test::TestRack rack;
    FakeMemory memory(rack.rack, FakeMemory::shape_of(8));  // lines of 64 bytes, four memory nodes
    const Regions regions(memory, kRegions, layout);
    std::map<std::uint64_t, Slot> bytes;
    std::map<std::uint64_t, Slot> lines;
    for (std::uint32_t region = 0; region < kRegions.size(); ++region) {
      CHECK(regions.number(kRegions[region].name) == region);
      for (std::uint64_t index = 0; index < kRegions[region].slots; ++index) {
        const Slot slot{region, index};
        const std::uint64_t begin = regions.address(slot).value, end = begin + kRegions[region].bytes;
        if (kRegions[region].bytes <= 64) CHECK(begin / 64 == (end - 1) / 64);
        for (std::uint64_t byte = begin; byte < end; ++byte) {
          CHECK(bytes.emplace(byte, slot).second);
          CHECK(regions.slot_at({byte}) == slot);
        }
        CHECK(regions.holds(memory.block_of({begin})));
        for (std::uint64_t line = begin / 64; line <= (end - 1) / 64; ++line) {
          const auto [other, is_new] = lines.emplace(line, slot);
          CHECK((is_new || (layout == SlotLayout::packed && other->second.region == region)));
        }
      }
    }
    // 2 of 24 bytes in a line: 19 lines; 5; two lines each: 12; 1. Padded: 37, 5, 12, 1.
    const std::uint64_t expected = layout == SlotLayout::packed ? 19 + 5 + 12 + 1 : 37 + 5 + 12 + 1;
    CHECK(Regions::lines(kRegions, layout, 64) == expected);
    CHECK(lines.size() == expected);
  }
}

TEST_CASE("A region's lines are dealt out to the memory nodes one by one") {
  models::test::TestRack rack;
  FakeMemory memory(rack.rack, FakeMemory::shape_of(8));
  const Regions regions(memory, {{"line", 9, 64}}, SlotLayout::packed);
  std::map<models::NodeId, unsigned> at;
  for (std::uint64_t index = 0; index < 9; ++index) {
    ++at[memory.home_of(memory.block_of(regions.address({0, index})))];
  }
  CHECK(at == std::map<models::NodeId, unsigned>{{0, 3}, {1, 2}, {2, 2}, {3, 2}});
}

TEST_CASE("Bytes between slots and outside are of none, and a region that there is not is a defect") {
  models::test::TestRack rack;
  FakeMemory memory(rack.rack, FakeMemory::shape_of(8));
  const Regions regions(memory, {{"small", 3, 24}}, SlotLayout::packed);
  const std::uint64_t first = regions.address({0, 0}).value;
  CHECK_FALSE(regions.slot_at({first + 48}).has_value());  // two of 24 bytes in 64
  CHECK_FALSE(regions.slot_at({regions.address({0, 2}).value + 24}).has_value());
  CHECK_FALSE(regions.slot_at({first + 64}).has_value());
  CHECK_FALSE(regions.holds(memory.block_of(GlobalAddress::at(0, 1 << 20))));
  CHECK_THROWS_AS(regions.number("none"), std::logic_error);
}

TEST_CASE("Regions that a memory node has no room for are refused before the run") {
  models::test::TestRack rack;
  models::MemoryShape shape = FakeMemory::shape_of(8);
  shape.memory_bytes = 128;
  FakeMemory memory(rack.rack, shape);
  CHECK_NOTHROW(Regions(memory, {{"line", 4, 64}}, SlotLayout::packed));
  CHECK_THROWS_AS(Regions(memory, {{"line", 5, 64}}, SlotLayout::packed), sim::OptionError);
}

}  // namespace regions_test

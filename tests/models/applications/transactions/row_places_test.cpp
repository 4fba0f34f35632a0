// Where rows lie: addresses that are each one row's, lines that parts share or do not, nodes of parts, and the way back.
#include "models/applications/transactions/row_places.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/models/service/fake_memory.hpp"

namespace row_places_test {

using namespace racksim;
using namespace racksim::app;
using models::test::FakeMemory;

namespace {

constexpr std::uint64_t kLine = 256;
// Slots of 8 + 16 + 40 = 64 bytes; of 8 + 16 + 12, rounded up: 40; of 324, rounded up: 328, more than a line.
const std::vector<RowTable> kTables{
    {"account", 50, 40, 10}, {"small", 15, 12, 3}, {"long", 5, 300, 1}, {"rate", 9, 8, 0}};

struct Bench : models::test::TestRack {
  FakeMemory memory{rack, FakeMemory::shape_of(8, kLine)};
  RowPlaces places(RowLayout layout, RowSpread spread) {
    return {memory, kTables, {.layout = layout, .spread = spread, .header_bytes = 8, .parts = 5}};
  }
};

}  // namespace

TEST_CASE("Every byte of a slot leads back to its row, and no two rows share one, however rows lie") {
  for (const RowLayout layout : {RowLayout::padded, RowLayout::warehouse, RowLayout::heap}) {
    for (const RowSpread spread : {RowSpread::parts, RowSpread::uniform}) {
      Bench t;
      const RowPlaces places = t.places(layout, spread);
      std::set<std::uint64_t> used;
      std::set<std::uint64_t> lines;
      for (std::uint32_t table = 0; table < kTables.size(); ++table) {
        for (std::uint64_t key = 0; key < kTables[table].keys; ++key) {
          const std::uint64_t begin = places.address({table, key}, 0).value, size = places.slot_bytes(table);
          if (size <= kLine) CHECK(begin / kLine == (begin + size - 1) / kLine);
          for (std::uint64_t at = begin; at < begin + size; ++at) {
            CHECK(used.insert(at).second);
            CHECK(places.row_at({at}) == Row{table, key});
            CHECK(places.offset_in_slot({at}) == at - begin);
            lines.insert(at / kLine);
            CHECK(places.holds(sim::Key{at / kLine}));
          }
        }
      }
      // Copies of what nobody writes at the other nodes come on top.
      const RowPlaces::Rules rules{layout, spread, 8, 5};
      CHECK(RowPlaces::lines(kTables, rules, kLine, 4) >= lines.size());
      CHECK(RowPlaces::most_lines_of_row(kTables, rules, kLine) == 2);
    }
  }
}

TEST_CASE("Padded rows have lines of their own, a part's packed rows share none with another part, and a heap's do") {
  const auto parts_in_lines = [](RowLayout layout) {
    Bench t;
    const RowPlaces places = t.places(layout, RowSpread::parts);
    std::map<std::uint64_t, std::set<std::uint64_t>> rows, parts;  // by line
    for (std::uint64_t key = 0; key < 50; ++key) {
      const std::uint64_t line = places.address({0, key}, 0).value / kLine;
      rows[line].insert(key);
      parts[line].insert(key / 10);
    }
    std::size_t most_rows = 0, most_parts = 0;
    for (const auto& [line, keys] : rows) most_rows = std::max(most_rows, keys.size());
    for (const auto& [line, numbers] : parts) most_parts = std::max(most_parts, numbers.size());
    return std::pair(most_rows, most_parts);
  };
  CHECK(parts_in_lines(RowLayout::padded) == std::pair<std::size_t, std::size_t>(1, 1));
  CHECK(parts_in_lines(RowLayout::warehouse) == std::pair<std::size_t, std::size_t>(4, 1));
  CHECK(parts_in_lines(RowLayout::heap) == std::pair<std::size_t, std::size_t>(4, 2));
}

TEST_CASE("A part's rows lie at one node, parts follow each other on the nodes, and lines that are spread go round") {
  Bench t;
  const RowPlaces parts = t.places(RowLayout::warehouse, RowSpread::parts);
  // Part p of 5 at node p * 4 / 5 of 4.
  for (std::uint64_t key = 0; key < 50; ++key) {
    const models::NodeId home = t.memory.home_of(t.memory.block_of(parts.address({0, key}, 3)));
    CHECK(home == key / 10 * 4 / 5);
  }
  CHECK(parts.parts_of(0, 4).first == 0);
  CHECK(parts.parts_of(0, 4).count == 2);
  CHECK(parts.parts_of(3, 4).first == 4);
  CHECK(parts.parts_of(3, 4).count == 1);
  Bench u;
  const RowPlaces spread = u.places(RowLayout::warehouse, RowSpread::uniform);
  // 3 lines a part (10 rows, 4 a line), one after the other to the next node.
  for (std::uint64_t key = 0; key < 50; ++key) {
    const models::NodeId home = u.memory.home_of(u.memory.block_of(spread.address({0, key}, 3)));
    CHECK(home == (key / 10 * 3 + key % 10 / 4) % 4);
  }
}

TEST_CASE("What nobody writes is read at home") {
  Bench t;
  const RowPlaces places = t.places(RowLayout::heap, RowSpread::uniform);
  for (models::NodeId node = 0; node < 4; ++node) {
    for (std::uint64_t key = 0; key < 9; ++key) {
      const models::GlobalAddress address = places.address({3, key}, node);
      CHECK(t.memory.home_of(t.memory.block_of(address)) == node);
      CHECK(places.row_at(address) == Row{3, key});
    }
  }
}

TEST_CASE("Keys that are fetched together lie in one line and one part, one after the other") {
  for (const RowLayout layout : {RowLayout::padded, RowLayout::warehouse, RowLayout::heap}) {
    Bench t;
    const RowPlaces places = t.places(layout, RowSpread::parts);
    for (std::uint64_t key = 0; key < 50; ++key) {
      const std::uint64_t together = places.together({0, key});
      CHECK(together >= 1);
      for (std::uint64_t next = 1; next < together; ++next) {
        CHECK(places.address({0, key + next}, 0).value == places.address({0, key}, 0).value + 64 * next);
        CHECK(places.address({0, key + next}, 0).value / kLine == places.address({0, key}, 0).value / kLine);
        CHECK((key + next) / 10 == key / 10);
      }
    }
  }
}

}  // namespace row_places_test

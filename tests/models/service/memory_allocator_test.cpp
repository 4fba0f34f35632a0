// Allocation against a slow reference that looks at every block of a bitmap.
#include "models/service/memory_allocator.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>
#include <vector>

#include "sim/random/random.hpp"

namespace memory_allocator_test {

using namespace racksim;
using namespace racksim::models;

namespace {

constexpr std::uint64_t kBlock = 64;

/// First fit in a bitmap of one home's first blocks; what lies behind is free.
struct Bitmap {
  std::uint64_t take(std::uint64_t blocks) {
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i - first < blocks; ++i) {
      if (i < used.size() && used[i]) first = i + 1;
    }
    used.resize(std::max<std::size_t>(used.size(), first + blocks));
    std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(first), blocks, true);
    return first;
  }
  void give_back(std::uint64_t first, std::uint64_t blocks) {
    std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(first), blocks, false);
  }
  std::vector<bool> used;
};

struct Piece {
  GlobalAddress address;
  std::uint64_t home, blocks;
};

}  // namespace

TEST_CASE("Allocation is first fit at each home, as a bitmap does it") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::RandomStream random(seed, "allocations");
    constexpr NodeId kFirst = 2;
    constexpr unsigned kHomes = 3;
    MemoryAllocator allocator(kFirst, kHomes, kBlock);
    std::vector<Bitmap> reference(kHomes);
    std::vector<Piece> pieces;
    std::uint64_t turn = 0, allocated = 0;
    for (int step = 0; step < 500; ++step) {
      // Towards the end there is less and less.
      if (pieces.empty() || random.chance(step < 250 ? 0.7 : 0.4)) {
        const std::uint64_t bytes = 1 + random.below(random.chance(0.1) ? 64 * kBlock : 4 * kBlock);
        const bool anywhere = random.chance(0.3);
        const std::uint64_t home = anywhere ? turn++ % kHomes : random.below(kHomes);
        AllocationHint hint;
        if (!anywhere) hint.home = static_cast<NodeId>(kFirst + home);
        const std::uint64_t blocks = (bytes + kBlock - 1) / kBlock;
        const GlobalAddress address = allocator.allocate(bytes, hint);
        REQUIRE(address.home() == kFirst + home);
        REQUIRE(address.offset() == reference[home].take(blocks) * kBlock);
        pieces.push_back({address, home, blocks});
        allocated += blocks * kBlock;
      } else {
        const auto freed = pieces.begin() + static_cast<std::ptrdiff_t>(random.below(pieces.size()));
        allocator.free(freed->address);
        reference[freed->home].give_back(freed->address.offset() / kBlock, freed->blocks);
        allocated -= freed->blocks * kBlock;
        pieces.erase(freed);
      }
      REQUIRE(allocator.allocated() == allocated);
    }
    // All neighbours become one again: the whole memory of a home can be had at once.
    for (const Piece& piece : pieces) allocator.free(piece.address);
    for (NodeId home = kFirst; home < kFirst + kHomes; ++home) {
      const AllocationHint hint{home, true};
      CHECK(allocator.allocate(std::uint64_t{1} << GlobalAddress::kOffsetBits, hint) == GlobalAddress::at(home, 0));
      CHECK_THROWS_AS(allocator.allocate(1, hint), std::bad_alloc);
    }
  }
}

TEST_CASE("Allocations that make no sense are refused") {
  MemoryAllocator allocator(2, 3, kBlock);
  CHECK_THROWS_WITH(allocator.allocate(0, {}), "an allocation of 0 bytes");
  CHECK_THROWS_WITH(allocator.allocate(1, {1, true}), "node 1 holds no memory");
  CHECK_THROWS_WITH(allocator.allocate(1, {5, true}), "node 5 holds no memory");
  CHECK_THROWS_AS(allocator.allocate(~std::uint64_t{0}, {2, true}), std::bad_alloc);
  CHECK_THROWS_AS(allocator.allocate((std::uint64_t{1} << GlobalAddress::kOffsetBits) + 1, {2, true}), std::bad_alloc);
  CHECK(allocator.allocated() == 0);
}

TEST_CASE("Only what was allocated and not given back can be given back, by its first address") {
  MemoryAllocator allocator(2, 3, kBlock);
  const GlobalAddress given = allocator.allocate(3 * kBlock, {3, true});
  for (const GlobalAddress wrong : {GlobalAddress::at(3, kBlock), GlobalAddress::at(2, 0), GlobalAddress::at(1, 0),
                                    GlobalAddress::at(5, 0), GlobalAddress{given.value + 8}}) {
    CHECK_THROWS_AS(allocator.free(wrong), std::invalid_argument);
  }
  allocator.free(given);
  CHECK_THROWS_AS(allocator.free(given), std::invalid_argument);
  CHECK(allocator.allocate(kBlock, {3, true}) == given);
}

TEST_CASE("A home has so much memory and no more, tells what it has left, and what lies in its allocations") {
  MemoryAllocator allocator(1, 2, kBlock, 4 * kBlock);
  const GlobalAddress first = allocator.allocate(2 * kBlock, {.home = NodeId{2}});
  CHECK(allocator.free_bytes(2) == 2 * kBlock);
  CHECK(allocator.free_bytes(1) == 4 * kBlock);
  CHECK_THROWS_AS(allocator.free_bytes(3), std::invalid_argument);
  CHECK_THROWS_AS(allocator.allocate(3 * kBlock, {.home = NodeId{2}}), std::bad_alloc);
  CHECK(allocator.holds(first));
  CHECK(allocator.holds({first.value + 2 * kBlock - 1}));
  CHECK(!allocator.holds({first.value + 2 * kBlock}));
  CHECK(!allocator.holds(GlobalAddress::at(1, 0)));
  CHECK(!allocator.holds(GlobalAddress::at(3, 0)));
  allocator.free(first);
  CHECK(allocator.free_bytes(2) == 4 * kBlock);
  CHECK(!allocator.holds(first));
}

}  // namespace memory_allocator_test

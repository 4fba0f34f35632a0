// The memory of register arrays as the control plane sees it, beside plain numbers.
#include "p4model/execute/register_file.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "p4model/language/header.hpp"
#include "p4model/language/program.hpp"
#include "sim/random/random.hpp"

namespace register_file_test {

using namespace racksim;
using namespace racksim::p4;

namespace {

constexpr Width kWidths[] = {Width::single(1),  Width::single(8),   Width::single(16), Width::single(32),
                             Width::pair_of(8), Width::pair_of(16), Width::pair_of(32)};

/// An array of each width, and what it ought to hold.
struct Arrays {
  explicit Arrays(std::uint64_t size) {
    for (const Width& width : kWidths) {
      program.register_array("R" + std::to_string(held.size()), width, size);
      held.emplace_back(size);
    }
  }
  Program program{"arrays"};
  std::vector<std::vector<std::uint64_t>> held;
};

}  // namespace

TEST_CASE("an entry of a register array is what was written to it last, whatever its width") {
  Arrays arrays(37);
  RegisterFile memory("arrays", arrays.program.arrays());
  sim::RandomStream random(1, "writes");
  for (int i = 0; i < 3'000; ++i) {
    const auto array = static_cast<std::uint32_t>(random.below(std::size(kWidths)));
    const std::uint64_t index = random.below(37);
    const std::uint64_t value = random.next() & mask_of(kWidths[array].total());
    memory.write(array, index, value);
    arrays.held[array][index] = value;
  }
  for (std::uint32_t array = 0; array < std::size(kWidths); ++array) {
    for (std::uint64_t index = 0; index < 37; ++index) CHECK(memory.read(array, index) == arrays.held[array][index]);
    CHECK_THROWS(memory.read(array, 37));
  }
}

TEST_CASE("the next used entry is the first that reads as more than 0") {
  for (const std::uint64_t size : {1, 2, 7, 8, 9, 64, 131}) {
    Arrays arrays(size);
    RegisterFile memory("arrays", arrays.program.arrays());
    sim::RandomStream random(size, "writes");
    for (std::uint32_t array = 0; array < std::size(kWidths); ++array) {
      const unsigned bits = kWidths[array].total();
      CHECK(memory.next_used(array, 0) == size);
      for (std::uint64_t index = 0; index < size; ++index) {  // one bit, in a half or the other
        if (random.chance(0.1)) memory.write(array, index, std::uint64_t{1} << random.below(bits));
      }
      for (std::uint64_t from = 0; from <= size; ++from) {
        std::uint64_t next = from;
        while (next < size && memory.read(array, next) == 0) ++next;
        CHECK(memory.next_used(array, from) == next);
      }
    }
  }
}

TEST_CASE("a copy of register arrays is memory of its own, also when it is assigned or moved") {
  Program program("arrays");
  program.register_array("few", Width::single(8), 5);
  program.register_array("many", Width::pair_of(32), 9);
  program.register_array("as many", Width::single(16), 9);
  RegisterFile first("arrays", program.arrays());
  for (std::uint64_t i = 0; i < 9; ++i) {
    if (i < 5) first.write(0, i, i + 1);
    first.write(1, i, (i + 2) << 32 | i);
    first.write(2, i, i + 3);
  }
  const auto holds = [](const RegisterFile& memory, std::uint64_t more) {
    for (std::uint64_t i = 0; i < 9; ++i) {
      if (i < 5) CHECK(memory.read(0, i) == i + 1);
      CHECK(memory.read(1, i) == ((i + 2) << 32 | i));
      CHECK(memory.read(2, i) == i + 3 + more);
    }
  };
  RegisterFile copy(first);
  for (std::uint64_t i = 0; i < 9; ++i) copy.write(2, i, i + 3 + 100);
  holds(first, 0);
  holds(copy, 100);
  RegisterFile assigned("arrays", program.arrays());
  assigned = copy;
  const RegisterFile moved = std::move(copy);
  for (std::uint64_t i = 0; i < 9; ++i) first.write(2, i, i + 3 + 7);
  holds(assigned, 100);
  holds(moved, 100);
  holds(first, 7);
}

}  // namespace register_file_test

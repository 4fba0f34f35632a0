#include "models/host/memory.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

namespace memory_test {

using namespace racksim::models;
using racksim::p4::Content;
using Access = Memory::Access;
using Verdict = Memory::Verdict;

namespace {
Memory::Region region(std::uint64_t begin, std::uint64_t bytes) {
  Memory::Region made;
  made.begin = begin;
  made.bytes = bytes;
  return made;
}
}  // namespace

TEST_CASE("Memory holds what was last written to each byte, and 0 before") {
  Memory memory;
  std::map<std::uint64_t, std::byte> reference;
  std::mt19937_64 random(1);
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t address = 1'000 + random() % 2'000, bytes = random() % 600;
    if (random() % 2 == 0) {
      std::vector<std::byte> written(bytes);
      for (auto& b : written) b = static_cast<std::byte>(random());
      memory.write(address, written);
      for (std::uint64_t k = 0; k < bytes; ++k) reference[address + k] = written[k];
    } else {
      const Content read = memory.read(address, bytes);
      REQUIRE(read.size() == bytes);
      std::vector<std::byte> expected(bytes);
      for (std::uint64_t k = 0; k < bytes; ++k) {
        if (const auto found = reference.find(address + k); found != reference.end()) expected[k] = found->second;
      }
      REQUIRE(std::equal(expected.begin(), expected.end(), read.bytes().begin()));
    }
  }
}

TEST_CASE("A remote access lies within its region and the rights of it") {
  Memory memory;
  const auto key = memory.add(region(4096, 4096));
  Memory::Region read_only = region(0, 4096);
  read_only.rights = {.read = true, .write = false, .atomic = false};
  const auto readable = memory.add(read_only);
  CHECK(memory.check(Access::write, 4096, key, 4096) == Verdict::allowed);
  CHECK(memory.check(Access::write, 4096, key, 4097) == Verdict::refused);
  CHECK(memory.check(Access::write, 4095, key, 1) == Verdict::refused);
  CHECK(memory.check(Access::write, 8191, key, 1) == Verdict::allowed);
  CHECK(memory.check(Access::write, 8192, key, 1) == Verdict::refused);
  CHECK(memory.check(Access::write, ~std::uint64_t{0}, key, 2) == Verdict::refused);
  CHECK(memory.check(Access::write, 0, 77, 1) == Verdict::refused);
  CHECK(memory.check(Access::write, 0, 77, 0) == Verdict::allowed);  // of nothing
  CHECK(memory.check(Access::read, 0, readable, 8) == Verdict::allowed);
  CHECK(memory.check(Access::write, 0, readable, 8) == Verdict::refused);
  CHECK(memory.check(Access::atomic, 0, readable, 8) == Verdict::refused);
  CHECK(memory.check(Access::atomic, 4100, key, 8) == Verdict::misaligned);
  memory.remove(key);
  CHECK(memory.check(Access::write, 4096, key, 1) == Verdict::refused);
}

TEST_CASE("A region that is empty or ends beyond the addresses is refused, one that ends with them is not") {
  Memory memory;
  CHECK_THROWS_AS(memory.add(region(5, 0)), std::invalid_argument);
  CHECK_THROWS_AS(memory.add(region(~std::uint64_t{0}, 2)), std::invalid_argument);
  CHECK(memory.add(region(~std::uint64_t{0}, 1)) != 0);
}

TEST_CASE("A crash leaves durable regions and nothing else") {
  Memory memory;
  Memory::Region durable = region(1000, 100);
  durable.durable = true;
  const auto kept = memory.add(durable), lost = memory.add(region(0, 4096));
  const auto byte = [](std::uint64_t address) { return static_cast<std::byte>(address % 251 + 1); };  // never 0
  std::vector<std::byte> bytes;
  for (std::uint64_t address = 0; address < 4096; ++address) bytes.push_back(byte(address));
  memory.write(0, bytes);
  memory.crash();
  for (std::uint64_t address = 0; address < 4096; ++address) {
    const bool survives = address >= 1000 && address < 1100;
    CHECK(memory.read(address, 1).bytes()[0] == (survives ? byte(address) : std::byte{}));
  }
  CHECK(memory.find(kept) != nullptr);
  CHECK(memory.find(lost) == nullptr);
}

TEST_CASE("A crash leaves the bytes of overlapping durable regions, at every edge, and those of no other") {
  constexpr std::uint64_t kBytes = 8192;
  std::mt19937_64 random(5);
  for (int round = 0; round < 30; ++round) {
    Memory memory;
    std::vector<std::byte> plain(kBytes);
    std::vector<bool> survives(kBytes);
    for (int i = 0; i < 4; ++i) {
      Memory::Region made = region(random() % (kBytes - 1), 0);
      made.bytes = 1 + random() % (kBytes - made.begin);
      if (made.bytes > 2000) made.bytes = made.bytes % 700 + 1;
      made.durable = i % 2 == 0;
      memory.add(made);
      if (made.durable) std::fill_n(survives.begin() + static_cast<std::ptrdiff_t>(made.begin), made.bytes, true);
    }
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t address = random() % (kBytes - 300);
      std::vector<std::byte> written(random() % 300);
      for (std::byte& b : written) b = static_cast<std::byte>(random());
      memory.write(address, written);
      std::copy(written.begin(), written.end(), plain.begin() + static_cast<std::ptrdiff_t>(address));
    }
    memory.crash();
    const Content left = memory.read(0, kBytes);
    for (std::uint64_t at = 0; at < kBytes; ++at) {
      REQUIRE(left.bytes()[at] == (survives[at] ? plain[at] : std::byte{}));
    }
  }
}

TEST_CASE("A crash of a node without durable memory gives all room back") {
  Memory memory;
  memory.add(region(0, 4096));
  memory.set_word(8, 1);
  CHECK(memory.room() > 0);
  memory.crash();
  CHECK(memory.word(8) == 0);
  CHECK(memory.room() == 0);
}

}  // namespace memory_test

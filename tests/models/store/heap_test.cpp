// Pieces of a thread's heap: apart, within lines, and used again.
#include "models/store/heap.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <vector>

#include "sim/random/random.hpp"
#include "tests/models/service/fake_memory.hpp"

namespace heap_test {

using namespace racksim;
using models::GlobalAddress;
using models::Heap;
using models::test::FakeMemory;

namespace {

struct Bench : models::test::TestRack {
  explicit Bench(const models::MemoryShape& shape) : memory(rack, shape) {}
  GlobalAddress allocate(Heap& heap, std::uint64_t bytes) {
    GlobalAddress piece;
    scope.spawn(keep(heap, bytes, piece));
    calendar.run_until();
    return piece;
  }
  static sim::Task<void> keep(Heap& heap, std::uint64_t bytes, GlobalAddress& into) {
    into = co_await heap.allocate(bytes);
  }
  std::size_t chunks() const { return memory.hints.size(); }

  FakeMemory memory;
  sim::Scope scope{calendar};
};

}  // namespace

TEST_CASE("A piece has a power of two of bytes, 16 at least") {
  const std::map<std::uint64_t, std::uint64_t> sizes{{1, 16}, {16, 16}, {17, 32}, {64, 64}, {100, 128}, {4097, 8192}};
  for (const auto& [bytes, size] : sizes) CHECK(Heap::size_of(bytes) == size);
}

TEST_CASE(
    "Pieces in use lie apart and over no line's end, whatever is freed between, in memory that the service gave") {
  Bench t(FakeMemory::shape_of(8));  // lines of 64 bytes
  std::vector<Heap> heaps;
  for (std::uint16_t thread = 0; thread < 2; ++thread) heaps.emplace_back(t.memory, models::Session{1, thread});
  sim::RandomStream random(1, "heap-test");
  std::map<std::uint64_t, std::uint64_t> used;  // by address: bytes
  for (unsigned i = 0; i < 20'000; ++i) {
    Heap& heap = heaps[random.below(2)];
    if (!used.empty() && random.chance(0.48)) {
      auto one = used.lower_bound(random.next() % (used.rbegin()->first + 1));
      if (one == used.end()) one = used.begin();
      heap.free({one->first}, one->second);
      used.erase(one);
      continue;
    }
    const std::uint64_t bytes = 1 + random.below(random.chance(0.9) ? 64 : 300);
    const std::uint64_t piece = t.allocate(heap, bytes).value;
    if (bytes <= 64) CHECK(piece / 64 == (piece + bytes - 1) / 64);
    const auto behind = used.lower_bound(piece);
    CHECK((behind == used.end() || behind->first >= piece + bytes));
    CHECK((behind == used.begin() || std::prev(behind)->first + std::prev(behind)->second <= piece));
    CHECK(t.memory.home_of(t.memory.block_of({piece})) == 1);
    used[piece] = bytes;
  }
  // 20,000 pieces in all, of which some 800 are in use at the end: most were used before.
  CHECK(t.chunks() < 8);
}

TEST_CASE("What was freed last is used first, by whoever freed it, and by nobody after its thread has died") {
  Bench t(FakeMemory::shape_of(8));
  Heap first(t.memory, {0, 0}), second(t.memory, {1, 0});
  const GlobalAddress a = t.allocate(first, 40), b = t.allocate(first, 40);
  second.free(a, 40);
  second.free(b, 40);
  CHECK(t.allocate(second, 33).value == b.value);
  CHECK(t.allocate(second, 64).value == a.value);
  CHECK(t.chunks() == 1);
  second.free(a, 40);
  second.forget();
  CHECK(t.allocate(second, 40).value != a.value);
  CHECK(t.chunks() == 2);
}

TEST_CASE("A thread whose node holds no memory takes chunks where the service gives them") {
  models::MemoryShape shape = FakeMemory::shape_of(8);
  shape.roles = {.compute_nodes = 2, .memory_nodes = 2, .first_memory_node = 2};
  Bench t(shape);
  Heap heap(t.memory, {1, 0});
  const GlobalAddress piece = t.allocate(heap, 100'000);
  CHECK(t.memory.home_of(t.memory.block_of(piece)) >= 2);
  CHECK_FALSE(t.memory.hints.front().home.has_value());
}

}  // namespace heap_test

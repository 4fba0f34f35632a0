// Sessions that allocate, use and free (allocation_workload.hpp), on a memory that answers after a fixed delay.
#include "models/workloads/allocation_workload.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/models/service/fake_memory.hpp"
#include "tests/models/service/fake_protocol.hpp"

namespace allocation_workload_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

/// Four nodes of two threads each, with so much memory at each node.
struct Bench : TestRack {
  explicit Bench(const AllocationOptions& given, std::uint64_t memory_bytes = MemoryAllocator::kEverything)
      : options(given), memory(rack, shape_of(memory_bytes)), protocol(memory) {
    memory.delay = 1_us;
    WorkloadContext context{rack, protocol};
    workload = options.build(context);
  }
  static MemoryShape shape_of(std::uint64_t memory_bytes) {
    MemoryShape shape = FakeMemory::shape_of(8);
    shape.memory_bytes = memory_bytes;
    return shape;
  }
  void run(std::uint64_t operations) {
    workload->notify_after(operations, [this] { workload->stop(); });
    workload->start();
    calendar.run_until();
    CHECK(workload->running() == 0);
  }
  std::uint64_t counter(const char* name) { return std::get<sim::Counter>(rack.metrics().find(name)->value).value; }

  AllocationOptions options;
  FakeMemory memory;
  FakeProtocol protocol;
  std::unique_ptr<Workload> workload;
};

constexpr std::uint64_t kSessions = 4 * 2;

}  // namespace

TEST_CASE("Sessions hold no more pieces than they may, free the others, and use each other's") {
  AllocationOptions options;
  options.pieces = 3;
  options.largest = 512;
  Bench bench(options);
  bench.run(5'000);
  const std::uint64_t held = bench.counter("allocation.pieces") - bench.counter("allocation.freed");
  CHECK(held <= kSessions * options.pieces);
  CHECK(held > 0);
  CHECK(bench.counter("allocation.freed") > 100);
  CHECK(bench.counter("allocation.refused") == 0);
  std::map<std::uint64_t, std::set<std::pair<NodeId, std::uint16_t>>> users;
  for (const FakeMemory::Asked& asked : bench.memory.asked) {
    users[asked.key].emplace(asked.session.node, asked.session.thread);
  }
  std::size_t shared = 0;
  for (const auto& [object, sessions] : users) shared += sessions.size() > 1;
  CHECK(shared > 10);
}

TEST_CASE("None, half or all of the allocations say where their pieces shall lie") {
  for (const double hinted : {0.0, 0.5, 1.0}) {
    AllocationOptions options;
    options.hinted = hinted;
    Bench bench(options);
    bench.run(5'000);
    double said = 0;
    for (const AllocationHint& hint : bench.memory.hints) {
      said += hint.home || hint.locality != AllocationHint::Locality::any ? 1 : 0;
    }
    // One may want to lie beside others before there are any.
    CHECK(said / static_cast<double>(bench.memory.hints.size()) == Approx(hinted).margin(0.05));
  }
}

TEST_CASE("No piece is freed while somebody reads in it") {
  AllocationOptions options;
  options.pieces = 2;
  options.largest = 64;
  options.read_ratio = 1;
  Bench bench(options);
  bench.memory.answer = 3_us;
  std::size_t reads = 0, in_freed = 0;
  bench.memory.distort = [&](Session, sim::Key object, std::uint64_t&) {
    ++reads;
    in_freed += !bench.memory.allocator().holds({object * 8});
  };
  bench.run(5'000);
  CHECK(bench.counter("allocation.freed") > 100);
  CHECK(reads > 1'000);
  CHECK(in_freed == 0);
}

TEST_CASE(
    "Accesses under locks have the lock of their block, shared to read and exclusive to write, and give it back") {
  AllocationOptions options;
  options.locked = 1;
  Bench bench(options);
  bench.memory.answer = 1_us;
  bench.run(5'000);
  using Kind = FakeMemory::Kind;
  std::map<std::pair<NodeId, std::uint16_t>, std::vector<FakeMemory::Asked>> by_session;
  for (const FakeMemory::Asked& asked : bench.memory.accesses()) {
    by_session[{asked.session.node, asked.session.thread}].push_back(asked);
  }
  CHECK(by_session.size() == kSessions);
  for (const auto& [session, asked] : by_session) {
    REQUIRE(asked.size() % 3 == 0);
    for (std::size_t i = 0; i < asked.size(); i += 3) {
      const sim::Key block = bench.memory.block_of_object(asked[i + 1].key);
      CHECK(asked[i].kind == (asked[i + 1].kind == Kind::read ? Kind::lock_shared : Kind::lock));
      CHECK(asked[i].key == block);
      CHECK(asked[i + 2].kind == Kind::unlock);
      CHECK(asked[i + 2].key == block);
    }
  }
}

TEST_CASE("A share of the accesses is under locks, and a memory without locks refuses any") {
  AllocationOptions options;
  options.locked = 0.25;
  Bench bench(options);
  bench.run(10'000);
  double locks = 0, accesses = 0;
  for (const FakeMemory::Asked& asked : bench.memory.accesses()) {
    locks += asked.kind == FakeMemory::Kind::unlock;
    accesses += asked.kind == FakeMemory::Kind::read || asked.kind == FakeMemory::Kind::write;
  }
  CHECK(locks / accesses == Approx(0.25).margin(0.03));  // more than five standard deviations
  TestRack rack;
  FakeMemory memory(rack.rack, FakeMemory::shape_on(rack.rack, 2, {}));
  FakeProtocol protocol(memory);
  WorkloadContext context{rack.rack, protocol};
  CHECK_THROWS_AS(options.build(context), sim::OptionError);
}

TEST_CASE("Where memory is short allocations are refused, and sessions go on with what they get") {
  AllocationOptions options;
  options.largest = 1024;
  Bench bench(options, 2048);
  bench.run(2'000);
  CHECK(bench.counter("allocation.refused") > 0);
  CHECK(bench.counter("allocation.pieces") > 20);
}

TEST_CASE("Where no piece fits at all the run goes on until it is stopped") {
  AllocationOptions options;
  options.smallest = 4096;
  Bench bench(options, 1024);
  bench.run(50);
  CHECK(bench.counter("allocation.refused") >= 50);
  CHECK(bench.memory.asked.empty());
}

TEST_CASE("A largest piece below the smallest is refused") {
  AllocationOptions options;
  options.smallest = 100;
  options.largest = 99;
  CHECK_THROWS_AS(options.check(), sim::OptionError);
}

}  // namespace allocation_workload_test

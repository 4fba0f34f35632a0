// The memory service's locks, allocation, refusals, and what becomes of operations whose tasks die.
#include <catch2/catch.hpp>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/record/history.hpp"
#include "tests/models/service/watched_memory.hpp"

namespace memory_requests_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using sim::Observed;
using Kind = sim::OperationKind;

namespace {

std::string what(const std::function<void()>& refused) {
  try {
    refused();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

/// A memory that implements no more than it must.
class Bare final : public MemoryService {
 public:
  Bare(Rack& rack, const MemoryShape& shape)
      : MemoryService(rack.calendar(), rack.event_log(), rack.metrics(), shape) {}
  void warm_access(Session, GlobalAddress, bool) override {}

 private:
  struct Port final : MemoryPort {
    sim::Task<void> read(MemoryAccess, std::span<sim::Value>, sim::OperationId) override { co_return; }
    sim::Task<void> write(MemoryAccess, sim::Value, sim::OperationId) override { co_return; }
  };
  MemoryPort& port(Session) override { return port_; }

  Port port_;
};

MemoryShape bare_shape(std::uint64_t block_bytes = 64, std::uint64_t object_bytes = 0) {
  return {4, Roles::both(4), 2, block_bytes, object_bytes};
}

}  // namespace

TEST_CASE("A lock is of the block that an address lies in, recorded as granted when its request ends") {
  Watched t(FakeMemory::shape_of(8));
  const GlobalAddress address = GlobalAddress::at(1, 64 * 5 + 24);
  const std::uint64_t block = ((std::uint64_t{1} << GlobalAddress::kOffsetBits) + 64 * 5) / 64;
  t.memory.delay = 1_us;
  t.scope.spawn(t.memory.lock(kFirst, address));
  t.scope.spawn(t.memory.lock(kSecond, {address.value + 8}, LockMode::shared));
  t.calendar.run_until();
  REQUIRE(t.all(Observed::operation_ended, Kind::lock).size() == 1);
  CHECK(t.all(Observed::operation_ended, Kind::lock_shared).empty());  // it waits
  CHECK(t.memory.pending_operations() == 1);
  t.scope.spawn(t.memory.unlock(kFirst, address));
  t.calendar.run_until();
  const auto shared = t.all(Observed::operation_ended, Kind::lock_shared);
  REQUIRE(shared.size() == 1);
  CHECK(shared[0].at == at(2_us));
  CHECK(sim::OperationView::of(shared[0]).value == 1);
  for (const auto& observation : t.record) CHECK(sim::OperationView::of(observation).key == block);
  CHECK(t.all(Observed::operation_begun, Kind::unlock)[0].at == at(1_us));
}

TEST_CASE("An attempt at a lock ends at once with whether it is granted, and says so in the record") {
  Watched t;
  const GlobalAddress address = GlobalAddress::at(0, 0);
  std::vector<bool> granted;
  const auto attempt = [&](Session session, LockMode mode) -> sim::Task<void> {
    granted.push_back(co_await t.memory.try_lock(session, address, mode));
  };
  t.scope.spawn(attempt(kFirst, LockMode::shared));
  t.scope.spawn(attempt(kSecond, LockMode::shared));
  t.scope.spawn(attempt({2, 0}, LockMode::exclusive));
  t.scope.spawn(t.memory.unlock(kFirst, address));
  t.scope.spawn(t.memory.unlock(kSecond, address));
  t.scope.spawn(attempt({2, 0}, LockMode::exclusive));
  t.scope.spawn(attempt(kFirst, LockMode::shared));
  t.calendar.run_until();
  CHECK(granted == std::vector<bool>{true, true, false, true, false});
  std::vector<std::uint64_t> shared, exclusive;
  for (const auto& o : t.all(Observed::operation_ended, Kind::try_lock_shared))
    shared.push_back(sim::OperationView::of(o).value);
  for (const auto& o : t.all(Observed::operation_ended, Kind::try_lock))
    exclusive.push_back(sim::OperationView::of(o).value);
  CHECK(shared == std::vector<std::uint64_t>{1, 1, 0});
  CHECK(exclusive == std::vector<std::uint64_t>{0, 1});
}

TEST_CASE("What cannot be had is given up: accesses, atomic operations, and locks with all those taken before") {
  Watched t;
  unsigned thrown = 0;
  const auto expect_unavailable = [&](sim::Task<void> task) -> sim::Task<void> {
    try {
      co_await task;
    } catch (const Unavailable&) {
      ++thrown;
    }
  };
  const GlobalAddress address = GlobalAddress::at(1, 64);
  t.memory.unavailable = [&](const FakeMemory::Asked& asked) {
    return asked.key == t.memory.block_of(address) + 2;  // the third of three blocks
  };
  const GlobalAddress third{address.value + 128};
  const auto all_three = [&](bool tries) -> sim::Task<void> {
    if (tries) {
      co_await t.memory.try_lock(kFirst, address, LockMode::exclusive, 192);
    } else {
      co_await t.memory.lock(kFirst, address, LockMode::exclusive, 192);
    }
  };
  t.run(expect_unavailable(done(t.memory.read(kFirst, third))));
  t.run(expect_unavailable(done(t.memory.write(kFirst, third))));
  t.run(expect_unavailable(done(t.memory.compare_and_swap(kFirst, third, 0))));
  t.run(expect_unavailable(done(t.memory.fetch_and_add(kFirst, third, 1))));
  CHECK(thrown == 4);
  CHECK(t.all(Observed::operation_given_up).size() == 4);
  for (const bool tries : {false, true}) {
    t.run(expect_unavailable(all_three(tries)));
    CHECK_FALSE(t.memory.holds_locks());
    CHECK(t.run(t.memory.try_lock(kSecond, address, LockMode::exclusive, 128)));  // nobody holds them
    t.run(t.memory.unlock(kSecond, address, 128));
  }
  CHECK(thrown == 6);
  CHECK(t.memory.pending_operations() == 0);
}

TEST_CASE("Operations whose tasks a crash destroys are given up, wherever they were, and those alone") {
  Watched t;
  t.memory.delay = 2_us;
  const GlobalAddress a = GlobalAddress::at(0, 0), b = GlobalAddress::at(0, 64);
  std::vector<std::byte> into(8);
  {
    sim::Scope dying{t.calendar};
    t.scope.spawn(t.memory.lock({3, 1}, a));  // of another node: it stays
    t.calendar.run_until();
    t.record.clear();
    dying.spawn(done(t.memory.write({1, 0}, b, 128)));  // one object is written when the crash comes
    dying.spawn(t.memory.lock({1, 1}, a));              // waits for the lock
    t.calendar.run_until(t.calendar.now() + 3_us);
    dying.spawn(t.memory.load({1, 1}, b, into));  // asks
    t.scope.spawn(done(t.memory.fetch_and_add({0, 0}, b, 1)));
    CHECK(t.memory.pending_operations() == 4);
  }
  CHECK(t.memory.pending_operations() == 4);
  t.memory.sessions_died(1);
  t.memory.sessions_died(2);  // had none
  CHECK(t.memory.pending_operations() == 1);
  std::vector<std::pair<Kind, std::uint64_t>> gone;
  for (const auto& o : t.record) {
    if (o.what == Observed::operation_given_up)
      gone.emplace_back(sim::OperationView::of(o).kind, sim::OperationView::of(o).key);
  }
  CHECK(gone == std::vector<std::pair<Kind, std::uint64_t>>{{Kind::write, 2}, {Kind::lock, 0}, {Kind::read, 1}});
  REQUIRE(t.all(Observed::operation_given_up, Kind::write).size() == 1);
  CHECK(sim::OperationView::of(t.all(Observed::operation_given_up, Kind::write)[0]).value ==
        sim::OperationView::of(t.all(Observed::operation_begun, Kind::write)[1]).value);
  t.calendar.run_until();
  CHECK(t.all(Observed::operation_ended, Kind::fetch_and_add).size() == 1);
  CHECK(t.memory.pending_operations() == 0);
  t.memory.sessions_died(1);  // nothing twice
  CHECK(t.memory.pending_operations() == 0);
}

TEST_CASE("A lock that was given back in the name of a session that lives is given back once, and may be taken again") {
  Watched t;
  const GlobalAddress address = GlobalAddress::at(0, 0);
  const sim::Key block = t.memory.block_of(address);
  t.run(t.memory.lock(kFirst, address));
  t.memory.unlock_for_dead(kFirst, block);
  CHECK_FALSE(t.memory.holds_locks());
  CHECK(t.all(Observed::operation_begun, Kind::unlock).size() == 1);
  t.run(t.memory.unlock(kFirst, address));  // it does not know
  CHECK(t.all(Observed::operation_begun, Kind::unlock).size() == 1);
  CHECK(t.memory.asked.back().kind == Kind::unlock);
  t.run(t.memory.lock(kFirst, address));
  t.run(t.memory.unlock(kFirst, address));
  CHECK(t.all(Observed::operation_ended, Kind::unlock).size() == 2);
  // Of a session that has died meanwhile nothing is left for its next life.
  t.run(t.memory.lock(kFirst, address));
  t.memory.unlock_for_dead(kFirst, block);
  t.memory.sessions_died(kFirst.node);
  t.run(t.memory.unlock(kFirst, address));
  CHECK(t.all(Observed::operation_ended, Kind::unlock).size() == 4);
}

TEST_CASE("Memory is allocated by hint and given back, as operations that name its size and its place") {
  Watched t;
  std::vector<GlobalAddress> given;
  const auto allocate = [&](std::uint64_t bytes, AllocationHint hint) -> sim::Task<void> {
    given.push_back(co_await t.memory.allocate(kFirst, bytes, hint));
  };
  t.scope.spawn(allocate(65, {2, true}));
  t.scope.spawn(allocate(1, {2, false}));
  t.scope.spawn(allocate(64, {}));
  t.calendar.run_until();
  CHECK(given ==
        std::vector<GlobalAddress>{GlobalAddress::at(2, 0), GlobalAddress::at(2, 128), GlobalAddress::at(0, 0)});
  const auto begun = t.all(Observed::operation_begun, Kind::allocate);
  const auto ended = t.all(Observed::operation_ended, Kind::allocate);
  REQUIRE(ended.size() == 3);
  CHECK(sim::OperationView::of(begun[0]).value == 65);
  CHECK(sim::OperationView::of(ended[0]).key == 0);
  CHECK(sim::OperationView::of(ended[0]).value == given[0].value);
  CHECK(t.memory.allocator().allocated() == 128 + 64 + 64);
  t.scope.spawn(t.memory.free(kFirst, given[0]));
  t.calendar.run_until();
  CHECK(sim::OperationView::of(t.all(Observed::operation_ended, Kind::free)[0]).key == t.memory.block_of(given[0]));
  CHECK(t.memory.allocator().allocated() == 64 + 64);
}

TEST_CASE("Addresses behind the end of a node's memory are refused, as are allocations of nothing or at no home") {
  MemoryShape shape = FakeMemory::shape_of();
  shape.memory_bytes = 4 * 64;
  Watched t(shape);
  const auto refusal = [&](auto make) { return what([&] { t.scope.spawn(done(make())); }); };
  const GlobalAddress last = GlobalAddress::at(2, 4 * 64 - 8), behind = GlobalAddress::at(2, 4 * 64);
  t.run(t.memory.write(kFirst, last));
  const std::size_t recorded = t.record.size();
  const std::string out_of_range = "an address out of range: offset 0x100 of 0x80000000004, but a node has 256 bytes";
  CHECK(refusal([&] { return t.memory.write(kFirst, behind); }) == out_of_range);
  CHECK(refusal([&] { return t.memory.read(kFirst, behind); }) == out_of_range);
  CHECK(refusal([&] { return t.memory.lock(kFirst, behind); }) == out_of_range);
  CHECK(refusal([&] { return t.memory.allocate(kFirst, 0, {}); }) == "an allocation of 0 bytes");
  CHECK(refusal([&] { return t.memory.allocate(kFirst, 8, {.home = NodeId{4}}); }) == "node 4 holds no memory");
  CHECK(t.record.size() == recorded);
  CHECK(t.memory.pending_operations() == 0);
}

TEST_CASE("What is reserved before the run is no operation, and the protocol is told of it") {
  Watched t;
  const GlobalAddress first = t.memory.reserve(100, {3, true}), second = t.memory.reserve(1, {3, false});
  CHECK(first == GlobalAddress::at(3, 0));
  CHECK(second == GlobalAddress::at(3, 128));
  CHECK(t.record.empty());
  REQUIRE(t.memory.reservations.size() == 2);
  CHECK(t.memory.reservations[0].first == first);
  CHECK(t.memory.reservations[0].second.shared);
  CHECK(t.memory.reservations[1].first == second);
  CHECK_FALSE(t.memory.reservations[1].second.shared);
}

TEST_CASE("What a protocol does not offer is refused by name before the run, and is a defect in it") {
  TestRack rack;
  Bare bare(rack.rack, bare_shape());
  bare.require({});
  bare.require({Kind::read, Kind::write, Kind::fence, Kind::allocate, Kind::free});
  CHECK(
      what([&] { bare.require(kLocks); }) ==
      "found a workload that needs lock, shared lock, try-lock, shared try-lock and unlock, expected one that needs no "
      "more than the protocol offers: read, write, fence, allocate and free");
  CHECK(what([&] {
          bare.require({Kind::write, Kind::fetch_and_add});
        }) ==
        "found a workload that needs fetch-and-add, expected one that needs no more than the protocol offers: read, "
        "write, "
        "fence, allocate and free");
  Watched t;
  t.memory.require(kLocks.with(kAtomics));
  sim::Scope scope{rack.calendar};
  const auto defect = [&](auto make) { return what([&] { scope.spawn(done(make())); }); };
  const GlobalAddress a = GlobalAddress::at(0, 0);
  const std::string rest = " was asked of a memory service that does not implement it";
  CHECK(defect([&] { return bare.lock({0, 0}, a); }) == "lock" + rest);
  CHECK(defect([&] { return bare.lock({0, 0}, a, LockMode::shared); }) == "shared lock" + rest);
  CHECK(defect([&] { return bare.try_lock({0, 0}, a); }) == "try-lock" + rest);
  CHECK(defect([&] { return bare.try_lock({0, 0}, a, LockMode::shared); }) == "shared try-lock" + rest);
  CHECK(defect([&] { return bare.unlock({0, 0}, a); }) == "unlock" + rest);
  CHECK(defect([&] { return bare.compare_and_swap({0, 0}, a, 0); }) == "compare-and-swap" + rest);
  CHECK(defect([&] { return bare.fetch_and_add({0, 0}, a, 0); }) == "fetch-and-add" + rest);
  CHECK(defect([&] { return bare.fence({0, 0}); }) == "accepted");
}

TEST_CASE("More locks than a session may hold, or than a node has room for, are refused with both numbers") {
  MemoryShape shape = bare_shape();
  TestRack of_free;
  Bare(of_free.rack, shape).require_locks(1'000'000, 1'000'000);
  TestRack rack;
  shape.threads_per_node = 2;
  shape.locks_per_session = 10;
  shape.lines_pinned_per_node = 16;
  Bare bound(rack.rack, shape);
  bound.require_locks(8, 1'000);
  bound.require_locks(10, 16);  // both threads' locks are of the same blocks
  CHECK(
      what([&] { bound.require_locks(11, 1); }) ==
      "found a workload whose sessions hold 11 locks at once, expected at most 10 with these options of the protocol");
  CHECK(
      what([&] { bound.require_locks(9, 1'000); }) ==
      "found a workload that holds locks of 18 blocks at a node: 2 threads, 9 locks at once, expected at most 16, for "
      "which the node's cache has room");
}

TEST_CASE("A memory that lets writes return early has to say what a fence is") {
  TestRack rack;
  MemoryShape shape = bare_shape();
  shape.writes_return_early = true;
  Bare bare(rack.rack, shape);
  sim::Scope scope{rack.calendar};
  CHECK(what([&] {
          scope.spawn(bare.fence({0, 0}));
        }) == "fence was asked of a memory service that does not implement it");
}

TEST_CASE("Blocks are powers of two from 8 bytes, objects from 8 bytes to a block") {
  TestRack rack;
  const auto built = [&](std::uint64_t block, std::uint64_t object) {
    return what([&] {
      sim::Metrics metrics;
      sim::EventLog event_log;
      Rack other(rack.calendar, event_log, metrics, TestRack::small(), 1);
      Bare(other, bare_shape(block, object));
    });
  };
  CHECK(built(8, 0) == "accepted");
  CHECK(built(8, 8) == "accepted");
  CHECK(built(4096, 4096) == "accepted");
  for (const std::uint64_t block : {0, 4, 24, 4095}) {
    CHECK(built(block, 0) == "found a block of " + std::to_string(block) + " bytes, expected a power of two from 8");
  }
  for (const std::uint64_t object : {4, 24, 128}) {
    CHECK(built(64, object) == "found an object of " + std::to_string(object) +
                                   " bytes, expected a power of two from 8 up to a block of 64");
  }
}

}  // namespace memory_requests_test

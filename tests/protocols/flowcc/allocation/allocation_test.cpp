// Allocation as sessions see it (Concordia §6, "Global memory allocation"): who is asked, what it costs, what is
// refused; and that no chunk is given twice or lost, whatever packets are (§5.3.1). A test of its own keeps who has
// which bytes.
#include "protocols/flowcc/allocation/allocation.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>

#include "models/workloads/allocation_workload.hpp"
#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace allocation_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using models::AllocationHint;
using models::GlobalAddress;
using models::Session;
using From = FlowCcOptions::AllocateFrom;
using Where = AllocationHint::Locality;

namespace {

constexpr std::uint64_t kBlock = 4096, kChunk = 4 * kBlock;

Setup small_chunks() {
  Setup setup;
  setup.flowcc.chunk_bytes = kChunk;
  setup.flowcc.memory_bytes = 64 * kBlock;
  return setup;
}

/// Allocations of a script, and which of them overlap.
class Allocations : public FlowCcScript {
 public:
  explicit Allocations(const Setup& s) : FlowCcScript(s) {}

  struct Taken {
    std::optional<GlobalAddress> address;
    sim::Duration took;
  };

  /// Begins an allocation; its piece counts from when the session gets it.
  sim::Task<void> take(Session session, std::uint64_t bytes, AllocationHint hint, Taken* taken) {
    const sim::Time begun = calendar.now();
    std::optional<GlobalAddress> address;
    try {
      const GlobalAddress first = co_await protocol->allocate(session, bytes, hint);
      address = first;
    } catch (const std::bad_alloc&) {
    }
    if (address) add(*address, bytes);
    if (taken != nullptr) *taken = {address, calendar.now() - begun};
  }
  Taken allocate(Session session, std::uint64_t bytes, AllocationHint hint = {}) {
    Taken taken;
    spawn(take(session, bytes, hint, &taken), session.node);
    advance(300_us);
    return taken;
  }
  NodeId home(Session session, std::uint64_t bytes, AllocationHint hint = {}) {
    const Taken taken = allocate(session, bytes, hint);
    return taken.address ? taken.address->home() : NodeId{99};
  }
  /// Frees; the refusal, if it is refused.
  std::string free(Session session, GlobalAddress address) {
    std::string said = "no answer";
    spawn(give_back(session, address, &said), session.node);
    advance(300_us);
    return said;
  }
  std::string refusal_of(Session session, std::uint64_t bytes, AllocationHint hint) {
    std::string said;
    spawn(ask(session, bytes, hint, &said), session.node);
    advance(300_us);
    return said;
  }
  std::string refusal_of_access(Session session, GlobalAddress address, bool write) {
    std::string said;
    spawn(touch(session, address, write, &said), session.node);
    advance(300_us);
    return said;
  }
  bool overlapped() const { return overlapped_; }
  std::size_t in_use() const { return in_use_.size(); }

  sim::Task<void> give_back(Session session, GlobalAddress address, std::string* said) {
    in_use_.erase(address.value);
    std::string refusal;
    try {
      co_await protocol->free(session, address);
    } catch (const std::invalid_argument& refused) {
      refusal = refused.what();
    }
    if (said != nullptr) *said = refusal;
  }

 private:
  void add(GlobalAddress first, std::uint64_t bytes) {
    const auto after = in_use_.lower_bound(first.value);
    overlapped_ |= after != in_use_.end() && first.value + bytes > after->first;
    overlapped_ |= after != in_use_.begin() && std::prev(after)->first + std::prev(after)->second > first.value;
    in_use_.emplace(first.value, bytes);
  }
  sim::Task<void> ask(Session session, std::uint64_t bytes, AllocationHint hint, std::string* said) {
    try {
      co_await protocol->allocate(session, bytes, hint);
    } catch (const std::invalid_argument& refused) {
      *said = refused.what();
    }
  }
  sim::Task<void> touch(Session session, GlobalAddress address, bool write, std::string* said) {
    try {
      if (write) {
        co_await protocol->write(session, address);
      } else {
        co_await protocol->read(session, address);
      }
    } catch (const std::invalid_argument& refused) {
      *said = refused.what();
    }
  }

  std::map<std::uint64_t, std::uint64_t> in_use_;  // by address, as sessions know of them
  bool overlapped_ = false;
};

/// A fault of packets of allocation of one type.
models::TargetedFault fault_of(AllocationType type, models::TargetedFault::Effect effect) {
  models::TargetedFault fault;
  fault.match = {"flowcc_allocation", {{"type", static_cast<std::uint64_t>(type)}}};
  fault.effect = effect;
  fault.delay = 40_us;
  return fault;
}

}  // namespace

TEST_CASE("A chunk costs a round trip and the home agent's work, what is carved of it the thread's time alone") {
  Allocations run(small_chunks());
  const auto first = run.allocate({1, 0}, 100, {.home = NodeId{2}});
  REQUIRE(first.address);
  CHECK(first.took > 1_us + run.setup.flowcc.home_agent_work + run.setup.flowcc.carve_work);
  CHECK(first.took < 6_us);
  const std::uint64_t sent = run.counter("requester.packets_sent");
  CHECK(sent == 1);
  const auto second = run.allocate({1, 0}, 100, {.home = NodeId{2}});
  CHECK(second.took == run.setup.flowcc.carve_work);
  CHECK(second.address->value == first.address->value + 104);  // 39 of these in a block, each of whole words
  CHECK(run.counter("requester.packets_sent") == sent);
  CHECK(run.counter("allocation.chunks") == 1);
  // A sibling has chunks of its own.
  CHECK(run.allocate({1, 1}, 100, {.home = NodeId{2}}).took > 1_us);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Chunks come from homes in turn, from the thread's own, from a named one, or as a hint says") {
  const auto homes = [](From from, AllocationHint hint) {
    Setup setup = small_chunks();
    setup.flowcc.allocate_from = from;
    setup.flowcc.allocation_home = 3;
    Allocations run(setup);
    std::vector<NodeId> homes;
    for (int i = 0; i < 5; ++i) homes.push_back(run.home({1, 0}, kChunk, hint));
    run.finish();
    CHECK(run.violations() == "");
    return homes;
  };
  using Homes = std::vector<NodeId>;
  CHECK(homes(From::round_robin, {}) == Homes{2, 3, 0, 1, 2});
  CHECK(homes(From::local, {}) == Homes{1, 1, 1, 1, 1});
  CHECK(homes(From::named, {}) == Homes{3, 3, 3, 3, 3});
  CHECK(homes(From::named, {.home = NodeId{2}}) == Homes{2, 2, 2, 2, 2});
  CHECK(homes(From::named, {.home = {}, .locality = Where::local}) == Homes{1, 1, 1, 1, 1});
  CHECK(homes(From::local, {.home = {}, .locality = Where::remote}) == Homes{2, 3, 0, 2, 3});
}

TEST_CASE("Where a home has no room the next is asked, until none has; what is freed is had again without a message") {
  Setup setup = small_chunks();
  setup.flowcc.memory_bytes = 10 * kBlock;  // no room for two chunks beside the three blocks that the script reserves
  Allocations run(setup);
  std::vector<GlobalAddress> pieces;
  for (;;) {
    const auto taken = run.allocate({1, 0}, 2 * kBlock);
    if (!taken.address) break;
    pieces.push_back(*taken.address);
    REQUIRE(pieces.size() <= 32);
  }
  CHECK(pieces.size() == 4 * 1 * 2);  // one chunk a node: three blocks and two chunks are eleven
  CHECK_FALSE(run.overlapped());
  // A hint that names a home asks no other.
  const std::uint64_t refused = run.counter("allocation.refused");
  CHECK_FALSE(run.allocate({1, 0}, 2 * kBlock, {.home = NodeId{3}}).address);
  CHECK(run.counter("allocation.refused") == refused + 1);
  CHECK(run.free({1, 0}, pieces[5]) == "");
  const std::uint64_t sent = run.counter("requester.packets_sent");
  CHECK(run.allocate({1, 0}, 2 * kBlock).address == pieces[5]);
  CHECK(run.counter("requester.packets_sent") == sent);
  // More than a node has is refused without a message.
  CHECK_FALSE(run.allocate({1, 0}, 11 * kBlock).address);
  CHECK(run.counter("requester.packets_sent") == sent);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Whoever frees a piece may use it again, and its neighbours in the block stay as they are") {
  Allocations run(small_chunks());
  const GlobalAddress a = *run.allocate({1, 0}, 512).address;
  const GlobalAddress b = *run.allocate({1, 0}, 512).address;
  run.access({1, 0}, b, true);
  CHECK(run.free({2, 1}, a) == "");
  CHECK(run.allocate({2, 1}, 512).address == a);
  CHECK(run.allocate({1, 0}, 512).address == GlobalAddress{b.value + 512});
  run.access({2, 1}, a, true);
  run.access({1, 0}, a, false);
  CHECK_FALSE(run.overlapped());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("What is larger than a chunk is chunks in a row") {
  Allocations run(small_chunks());
  const auto large = run.allocate({0, 0}, 2 * kChunk + 1, {.home = NodeId{3}});
  REQUIRE(large.address);
  CHECK(large.address->home() == 3);
  CHECK(run.counter("allocation.chunks") == 3);
  CHECK(run.refusal_of_access({2, 0}, {large.address->value + 2 * kChunk}, true) == "");
  CHECK(run.free({0, 0}, *large.address) == "");
  CHECK(run.allocate({0, 0}, 2 * kChunk + 1, {.home = NodeId{3}}).address == large.address);
  CHECK(run.counter("allocation.chunks") == 3);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("More than a node's memory is refused without a message, and all of it by a home that has given some away") {
  Setup setup = small_chunks();
  setup.micro.shared_bytes = kBlock;  // the script reserves one at each node
  Allocations run(setup);
  CHECK_FALSE(run.allocate({1, 0}, 64 * kBlock + 1, {.home = NodeId{2}}).address);
  CHECK(run.counter("requester.packets_sent") == 0);
  CHECK_FALSE(run.allocate({1, 0}, 64 * kBlock, {.home = NodeId{2}}).address);
  CHECK(run.counter("requester.packets_sent") == 1);
  CHECK(run.allocate({1, 0}, 60 * kBlock, {.home = NodeId{2}}).address == GlobalAddress::at(2, kBlock));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("What makes no sense is refused, and has not begun") {
  Allocations run(small_chunks());
  CHECK(run.refusal_of({1, 0}, 0, {}) == "an allocation of 0 bytes");
  CHECK(run.refusal_of({1, 0}, 8, {.home = NodeId{4}}) == "node 4 holds no memory");
  const GlobalAddress taken = *run.allocate({1, 0}, 64).address;
  CHECK(run.free({1, 0}, {taken.value + 8}).find("no allocation's") != std::string::npos);
  CHECK(run.free({1, 0}, GlobalAddress::at(3, 32 * kBlock)).find("no allocation's") != std::string::npos);
  CHECK(run.free({1, 0}, GlobalAddress::at(9, 0)).find("no allocation's") != std::string::npos);
  CHECK(run.free({1, 0}, taken) == "");
  CHECK(run.free({1, 0}, taken).find("no allocation's") != std::string::npos);
  CHECK(run.free({2, 0}, taken).find("no allocation's") != std::string::npos);
  // The last word of a node's memory, and the first behind it.
  const std::uint64_t end = run.setup.flowcc.memory_bytes;
  for (const bool write : {false, true}) {
    CHECK(run.refusal_of_access({1, 0}, GlobalAddress::at(2, end - 8), write) == "");
    CHECK(run.refusal_of_access({1, 0}, GlobalAddress::at(2, end), write).find("out of range") != std::string::npos);
  }
  CHECK(run.protocol->pending_operations() == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A request or answer that is lost, comes twice or comes late gives one chunk, and none is lost") {
  using Effect = models::TargetedFault::Effect;
  for (const auto type : {AllocationType::request, AllocationType::given}) {
    for (const Effect effect : {Effect::drop, Effect::duplicate, Effect::hold}) {
      for (const bool idempotent : {true, false}) {
        CAPTURE(static_cast<int>(type), static_cast<int>(effect), idempotent);
        Setup setup = small_chunks();
        setup.flowcc.last_executed = idempotent;
        Allocations run(setup);
        const NodeId victim = type == AllocationType::request ? 2 : 1;
        run.rack.downlink(victim).add_targeted_fault(fault_of(type, effect));
        // The second follows before what is held of the first has come.
        Allocations::Taken first, second;
        run.spawn(run.take({1, 0}, kChunk, {.home = NodeId{2}}, &first), 1);
        run.advance(20_us);
        run.spawn(run.take({1, 0}, kChunk, {.home = NodeId{2}}, &second), 1);
        run.advance(300_us);
        REQUIRE(first.address);
        REQUIRE(second.address);
        CHECK(*first.address != *second.address);
        CHECK(run.counter("allocation.retransmissions") == (effect == Effect::duplicate ? 0 : 1));
        // A lost request is executed once by any agent; all else is seen twice by it, unless it was the answer that
        // came twice.
        const bool twice = type == AllocationType::request ? effect != Effect::drop : effect != Effect::duplicate;
        CHECK(run.counter("allocation.chunks") == (twice && !idempotent ? 3 : 2));
        run.finish();
        CHECK(run.found("leaked-chunk") == (twice && !idempotent));
        if (idempotent) CHECK(run.violations() == "");
      }
    }
  }
}

TEST_CASE("Memory of a chunk that is neither in use nor free at rest is a leak, unless a crash may have cost it") {
  for (const std::uint64_t bytes : {std::uint64_t{100}, kBlock, kChunk}) {
    for (const bool forgets : {true, false}) {
      Allocations run(small_chunks());
      const GlobalAddress first = *run.allocate({1, 0}, bytes, {.home = NodeId{2}}).address;
      REQUIRE(run.allocate({3, 1}, 512, {.home = NodeId{2}}).address);
      if (bytes == kChunk) REQUIRE(run.free({1, 0}, first) == "");
      // What the thread has free it does not know any more.
      if (forgets) const_cast<Allocation&>(run.protocol->allocation()).thread({1, 0}).crash();
      run.finish();
      CHECK(run.found("leaked-memory") == forgets);
      if (!forgets) CHECK(run.violations() == "");
    }
  }
}

TEST_CASE("A refusal that is lost is said again") {
  Setup setup = small_chunks();
  setup.flowcc.memory_bytes = 8 * kBlock;
  Allocations run(setup);
  REQUIRE(run.allocate({1, 0}, kChunk, {.home = NodeId{2}}).address != std::nullopt);
  run.rack.downlink(1).add_targeted_fault(fault_of(AllocationType::refused, models::TargetedFault::Effect::drop));
  CHECK(run.allocate({1, 0}, kChunk, {.home = NodeId{2}}).address == std::nullopt);
  CHECK(run.counter("allocation.retransmissions") == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Threads that allocate and free under loss, duplication and reordering never get what another has") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Setup setup = small_chunks();
    setup.seed = seed;
    setup.flowcc.block_bytes = seed % 2 == 0 ? 1024 : 4096;
    setup.rack.faults.loss = 0.05;
    setup.rack.faults.duplicate = 0.1;
    setup.rack.faults.reorder = 0.2;
    setup.rack.faults.reorder_delay = 20_us;
    Allocations run(setup);
    bool stop = false;
    const auto session = [&](Session who) -> sim::Task<void> {
      sim::RandomStream random(seed, "session" + std::to_string(who.node * 2 + who.thread));
      std::vector<GlobalAddress> own;
      while (!stop) {
        if (own.size() < 12 && random.chance(0.6)) {
          Allocations::Taken taken;
          const std::uint64_t bytes = 1 + random.below(random.chance(0.2) ? 2 * kChunk : kBlock);
          co_await run.take(who, bytes, AllocationHint{}, &taken);
          if (taken.address) own.push_back(*taken.address);
          if (taken.address) continue;
        }
        if (own.empty()) {
          co_await sim::sleep_for(run.rack.server(who.node).clock(), 1_us);
          continue;
        }
        const std::size_t freed = random.below(own.size());
        const GlobalAddress address = own[freed];
        own.erase(own.begin() + static_cast<std::ptrdiff_t>(freed));
        co_await run.give_back(who, address, nullptr);
      }
    };
    for (NodeId node = 0; node < 4; ++node) {
      for (std::uint16_t thread = 0; thread < 2; ++thread) run.spawn(session({node, thread}), node);
    }
    run.advance(1_ms);
    stop = true;
    run.advance(1_ms);
    CHECK_FALSE(run.overlapped());
    CHECK(run.in_use() > 10);
    CHECK(run.counter("allocation.refused") > 0);
    CHECK(run.counter("repeated_requests") > 0);
    // What was given away is what threads have.
    std::map<std::uint64_t, unsigned> given;
    for (NodeId home = 0; home < 4; ++home) {
      for (const auto& chunk : run.protocol->allocation().server(home).given()) {
        CHECK(chunk.first.home() == home);
        CHECK(++given[chunk.first.value] == 1);
      }
    }
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("The chunks of a node that crashes are reported, and what others have of them stays theirs") {
  Setup setup = small_chunks();
  Allocations run(setup);
  const GlobalAddress shared = *run.allocate({1, 0}, 100, {.home = NodeId{2}}).address;
  run.allocate({1, 1}, 2 * kChunk, {.home = NodeId{3}});
  run.allocate({0, 0}, 100, {.home = NodeId{1}});
  run.allocate({1, 0}, 100, {.home = NodeId{1}});
  run.rack.crash(1);
  CHECK(run.counter("allocation.chunks_of_dead_nodes") == 1 + 2 + 1);
  CHECK(run.counter("allocation.chunks_at_dead_nodes") == 1);
  // Another frees what the dead thread had allocated, and uses it.
  CHECK(run.free({0, 0}, shared) == "");
  CHECK(run.allocate({0, 0}, 100, {.home = NodeId{2}}).address == shared);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A chunk that is given to a node as it dies is reported as the dead node's, and not as leaked") {
  // The answer is lost before the crash, or the request arrives after it.
  for (const auto type : {AllocationType::given, AllocationType::request}) {
    Allocations run(small_chunks());
    const bool given = type == AllocationType::given;
    const auto effect = given ? models::TargetedFault::Effect::drop : models::TargetedFault::Effect::hold;
    run.rack.downlink(given ? 1 : 2).add_targeted_fault(fault_of(type, effect));
    run.spawn(run.take({1, 0}, 100, {.home = NodeId{2}}, nullptr), 1);
    run.advance(5_us);
    run.rack.crash(1);
    CHECK(run.counter("allocation.chunks_of_dead_nodes") == (given ? 1 : 0));
    run.advance(100_us);
    CHECK(run.counter("allocation.chunks_of_dead_nodes") == 1);
    run.finish();
    CHECK_FALSE(run.found("leaked-chunk"));
    CHECK_FALSE(run.found("stuck-request"));
  }
}

TEST_CASE("A thread whose home agent is dead is seen to wait for it") {
  Allocations run(small_chunks());
  run.rack.crash(2);
  run.spawn(run.take({1, 0}, 100, {.home = NodeId{2}}, nullptr), 1);
  run.advance(100_us);
  std::string all;
  for (const std::string& line : run.waits()) all += line + '\n';
  CHECK(all.find("node1/thread0 waits for home agent of node2") != std::string::npos);
  // After 6, 18 and 42 round trips of 2.2 us.
  CHECK(run.counter("allocation.retransmissions") == 3);
  run.finish();
  CHECK(run.found("stuck-request"));
}

TEST_CASE("Chunks that are no whole blocks, or a named home outside the rack, are refused") {
  Setup setup = small_chunks();
  setup.flowcc.chunk_bytes = kChunk + 64;
  CHECK_THROWS_WITH(Allocations(setup), Catch::Matchers::Contains("allocation/chunk") &&
                                            Catch::Matchers::Contains("a multiple of a block of 4096"));
  setup = small_chunks();
  setup.flowcc.allocate_from = From::named;
  setup.flowcc.allocation_home = 4;
  CHECK_THROWS_WITH(Allocations(setup), Catch::Matchers::Contains("one of the nodes 0 to 3"));
}

}  // namespace allocation_test

// The micro benchmark against what its options promise (Concordia §7.2, GAM §7.1, SELCC §7.1), on a memory that answers
// after a fixed delay. Bounds are four standard deviations, or a chance of 1e-4 (chi_square.hpp).
#include "models/workloads/micro_workload.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/models/service/fake_memory.hpp"
#include "tests/models/service/fake_protocol.hpp"
#include "tests/models/service/fake_store.hpp"
#include "tests/sim/random/chi_square.hpp"

namespace micro_workload_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using Kind = sim::OperationKind;
using Asked = FakeMemory::Asked;

namespace {

constexpr std::uint64_t kBlock = 64;

struct Bench : TestRack {
  explicit Bench(const MicroOptions& given, const MemoryShape& shape = FakeMemory::shape_of(8))
      : options(given), memory(rack, shape), protocol(memory) {
    memory.delay = 1_us;
    WorkloadContext context{rack, protocol};
    workload = options.build(context);
  }
  /// Until so many operations of the workload have ended and all sessions have finished theirs.
  const std::vector<Asked>& run(std::uint64_t operations) {
    workload->notify_after(operations, [this] {
      counted = true;
      workload->stop();
    });
    workload->start();
    calendar.run_until();
    CHECK(workload->running() == 0);
    CHECK(counted);
    return memory.asked;
  }
  NodeId home(const Asked& asked) const { return memory.home_of(memory.block_of_object(asked.key)); }
  /// Whether it lies in what was reserved with this hint.
  bool is_shared(const Asked& asked) const {
    const std::uint64_t address = asked.key * 8;
    const std::pair<GlobalAddress, AllocationHint>* found = nullptr;
    for (const auto& reservation : memory.reservations) {
      if (reservation.first.value <= address && (!found || reservation.first > found->first)) found = &reservation;
    }
    REQUIRE(found != nullptr);
    return found->second.shared;
  }

  MicroOptions options;
  FakeMemory memory;
  FakeProtocol protocol;
  std::unique_ptr<Workload> workload;
  bool counted = false;
};

/// 80 shared blocks, and of each of four nodes 100 at sharing ratio 0.
MicroOptions small(double sharing_ratio = 0.5) {
  MicroOptions options;
  options.threads = 2;
  options.sharing_ratio = sharing_ratio;
  options.working_set = 400 * kBlock;
  options.shared_bytes = 80 * kBlock;
  return options;
}

/// The share of those that satisfy `is`.
template <class Is>
void check_share(const std::vector<Asked>& all, double expected, Is is) {
  const auto n = static_cast<double>(all.size());
  const auto hits = static_cast<double>(std::count_if(all.begin(), all.end(), is));
  CHECK(std::abs(hits / n - expected) <= 4 * std::sqrt(expected * (1 - expected) / n));
}

std::string refusal(const MicroOptions& options, const MemoryShape& shape = FakeMemory::shape_of(8)) {
  try {
    Bench bench(options, shape);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

MemoryShape apart(unsigned compute, unsigned memory) {
  MemoryShape shape = FakeMemory::shape_of(8);
  shape.roles = {compute, memory, static_cast<NodeId>(shape.nodes - memory)};
  return shape;
}

}  // namespace

TEST_CASE("Shares of operations: on shared data, that read, and at each home") {
  Bench t(small(0.3));
  const auto& asked = t.run(40'000);
  check_share(asked, 0.3, [&](const Asked& a) { return t.is_shared(a); });
  check_share(asked, 0.5, [](const Asked& a) { return a.kind == Kind::read; });
  for (NodeId home = 0; home < 4; ++home) {
    // Of 80 shared blocks and 70 private ones, dealt out one after the other.
    const double share = 0.3 * 0.25 + 0.7 * (home < 2 ? 18 : 17) / 70;
    check_share(asked, share, [&](const Asked& a) { return t.home(a) == home; });
  }
  std::map<std::pair<NodeId, std::uint16_t>, std::ptrdiff_t> of_session;
  for (const Asked& a : asked) ++of_session[{a.session.node, a.session.thread}];
  CHECK(of_session.size() == 4 * 2);
  for (const auto& [session, count] : of_session) CHECK(std::abs(count - 40'000 / 8) <= 1);
}

TEST_CASE("All words of a node's data, and those alone, are accessed alike, and nobody else's") {
  Bench t(small(0.5));
  std::map<std::uint64_t, std::set<NodeId>> users;
  std::map<std::uint64_t, std::uint64_t> of_node, shared;
  for (const Asked& a : t.run(200'000)) {
    users[a.key].insert(a.session.node);
    ++(t.is_shared(a) ? shared : of_node)[a.key];
  }
  for (const auto& [word, nodes] : users) CHECK(t.workload->uses(sim::Key{word}));
  CHECK(shared.size() == 80 * 8);
  CHECK(of_node.size() == 4 * 50 * 8);
  for (const auto& [word, count] : of_node) CHECK(users[word].size() == 1);
  for (auto* words : {&shared, &of_node}) {
    std::vector<std::uint64_t> counts;
    for (const auto& [word, count] : *words) counts.push_back(count);
    const std::vector<double> even(counts.size(), 1.0 / static_cast<double>(counts.size()));
    CHECK(tests::chi_square(counts, even) < tests::chi_square_limit(counts.size() - 1));
  }
}

TEST_CASE("Data lie at the beginning of each home's memory: shared first, then each node's, block by block") {
  Bench t(small(0.5));  // 80 shared blocks, 4 x 50 private ones
  std::vector<std::pair<GlobalAddress, bool>> expected;
  for (NodeId home = 0; home < 4; ++home) expected.emplace_back(GlobalAddress::at(home, 0), true);
  for (NodeId owner = 0; owner < 4; ++owner) {
    for (NodeId home = 0; home < 4; ++home)
      expected.emplace_back(GlobalAddress::at(home, (20 + owner * 13) * kBlock), false);
  }
  std::vector<std::pair<GlobalAddress, bool>> reserved;
  for (const auto& [first, hint] : t.memory.reservations) {
    CHECK(hint.home == first.home());
    reserved.emplace_back(first, hint.shared);
  }
  CHECK(reserved == expected);
}

TEST_CASE("What is not used is not used: beyond the data, and where an uneven share leaves a block") {
  Bench t(small(0.5), FakeMemory::shape_of());  // objects are blocks
  const std::uint64_t home = (std::uint64_t{1} << GlobalAddress::kOffsetBits) / kBlock;
  for (std::uint64_t node = 0; node < 5; ++node) {
    for (std::uint64_t index = 0; index < 80; ++index) {
      // Each of four pieces of 13 blocks holds 50 / 4 of its owner's: 13 at homes 0 and 1, 12 at the others.
      const bool own = index >= 20 && index < 72 && ((index - 20) % 13 < 12 || node < 2);
      CHECK(t.workload->uses(sim::Key{node * home + index}) == (node < 4 && (index < 20 || own)));
    }
  }
  CHECK(t.workload->used_keys() ==
        "a block of the workload: node * 0x40000000000 + index, with nodes from 0 to 3 and indices below 0x48");
  MicroOptions locking = small(0.5);
  locking.mode = MicroOptions::Mode::lock_and_access;
  Bench words(locking);
  CHECK(words.workload->used_keys() ==
        "a word of the workload: node * 0x200000000000 + index, with nodes from 0 to 3 and indices below 0x240, or a "
        "block of the workload: node * 0x40000000000 + index, with nodes from 0 to 3 and indices below 0x48");
}

TEST_CASE("Locality is the chance of the same block again, beside the chance of drawing it anew") {
  MicroOptions options = small(1);
  options.locality = 0.6;
  Bench t(options);
  std::map<std::pair<NodeId, std::uint16_t>, std::uint64_t> last;
  check_share(t.run(40'000), 0.6 + 0.4 / 80, [&](const Asked& a) {
    const std::uint64_t block = t.memory.block_of_object(a.key) + 1;
    return std::exchange(last[{a.session.node, a.session.thread}], block) == block;
  });
}

TEST_CASE("Shares of lines: so many of a node's blocks are common, and all are drawn alike") {
  for (const double ratio : {0.0, 0.3, 1.0}) {
    MicroOptions options = small(ratio);
    options.sharing_of = MicroOptions::SharingOf::lines;
    options.shared_bytes = 0;  // not read
    const auto shared_blocks = static_cast<std::size_t>(100 * ratio + 0.5);
    const MicroLayout layout = options.layout(4, kBlock);
    CHECK(layout.shared_blocks == shared_blocks);
    CHECK(layout.private_blocks == 100 - shared_blocks);
    Bench t(options, FakeMemory::shape_of());
    std::map<std::uint64_t, std::set<NodeId>> users;
    std::vector<std::map<std::uint64_t, std::uint64_t>> of_node(4);
    for (const Asked& a : t.run(100'000)) {
      users[a.key].insert(a.session.node);
      ++of_node[a.session.node][a.key];
    }
    CHECK(static_cast<std::size_t>(std::count_if(users.begin(), users.end(),
                                                 [](const auto& u) { return u.second.size() == 4; })) == shared_blocks);
    CHECK(users.size() == shared_blocks + 4 * (100 - shared_blocks));
    for (const auto& blocks : of_node) {
      std::vector<std::uint64_t> counts;
      for (const auto& [block, count] : blocks) counts.push_back(count);
      REQUIRE(counts.size() == 100);
      CHECK(tests::chi_square(counts, std::vector<double>(100, 0.01)) < tests::chi_square_limit(99));
    }
  }
}

TEST_CASE("The remote ratio is the share of a node's data, and accesses, whose home is another node, evenly") {
  for (const double ratio : {0.0, 0.25, 0.9, 1.0}) {
    MicroOptions options = small(0);
    options.remote_ratio = ratio;
    Bench t(options);
    std::map<NodeId, std::set<std::uint64_t>> local, remote;
    std::map<NodeId, std::set<std::uint64_t>> at_home;
    const auto& asked = t.run(40'000);
    for (const Asked& a : asked) {
      const std::uint64_t block = t.memory.block_of_object(a.key);
      (t.home(a) == a.session.node ? local : remote)[a.session.node].insert(block);
      at_home[t.home(a)].insert(block);
    }
    check_share(asked, ratio, [&](const Asked& a) { return t.home(a) != a.session.node; });
    for (NodeId node = 0; node < 4; ++node) {
      CHECK(remote[node].size() == static_cast<std::size_t>(100 * ratio + 0.5));
      CHECK(local[node].size() + remote[node].size() == 100);
      CHECK(at_home[node].size() == 100);  // as much as each other home
    }
  }
  // What all share stays interleaved.
  MicroOptions options = small(1);
  options.remote_ratio = 0;
  Bench t(options);
  const auto& asked = t.run(20'000);
  check_share(asked, 0.75, [&](const Asked& a) { return t.home(a) != a.session.node; });
}

TEST_CASE("Locks: shared ones to read, exclusive ones to write, given back after each operation") {
  for (const auto mode : {MicroOptions::Mode::lock, MicroOptions::Mode::lock_and_access}) {
    MicroOptions options = small();
    options.mode = mode;
    options.read_ratio = 0.7;
    options.threads = 1;
    Bench t(options);
    t.run(8'000);
    // What one session asks, in order.
    for (NodeId node = 0; node < 4; ++node) {
      std::vector<Asked> mine;
      std::copy_if(t.memory.asked.begin(), t.memory.asked.end(), std::back_inserter(mine),
                   [&](const Asked& a) { return a.session.node == node; });
      const std::size_t each = mode == MicroOptions::Mode::lock ? 2 : 3;
      REQUIRE(mine.size() % each == 0);
      std::size_t reads = 0;
      for (std::size_t i = 0; i < mine.size(); i += each) {
        const bool shared = mine[i].kind == Kind::lock_shared;
        CHECK((shared || mine[i].kind == Kind::lock));
        if (each == 3) {
          CHECK(mine[i + 1].kind == (shared ? Kind::read : Kind::write));
          CHECK(t.memory.block_of_object(mine[i + 1].key) == mine[i].key);
          CHECK(t.workload->uses(mine[i + 1].key));
        }
        CHECK(mine[i + each - 1].kind == Kind::unlock);
        CHECK(mine[i + each - 1].key == mine[i].key);
        CHECK(t.workload->uses(mine[i].key));
        reads += shared ? 1 : 0;
      }
      const auto n = static_cast<double>(mine.size() / each);
      CHECK(std::abs(static_cast<double>(reads) / n - 0.7) <= 4 * std::sqrt(0.7 * 0.3 / n));
    }
  }
}

// Of twenty operations two are fences, eight are under a lock, two or three of these nothing but the lock.
TEST_CASE(
    "Fenced: half are accesses, the others locks, locked accesses and fences; tried: half of the locks are tries") {
  for (const bool tries : {false, true}) {
    MicroOptions options = small();
    options.mode = tries ? MicroOptions::Mode::tried : MicroOptions::Mode::fenced;
    MemoryShape shape = FakeMemory::shape_of(8);
    if (!tries) shape.offers = {Kind::fence, Kind::lock, Kind::lock_shared, Kind::unlock};
    Bench t(options, shape);
    t.run(8'000);
    std::map<Kind, double> counts;
    for (const Asked& asked : t.memory.asked) ++counts[asked.kind];
    CHECK(counts.size() == (tries ? 8 : 6));
    const double share = tries ? 0.2 : 0.4, off = 4 * std::sqrt(0.24 / 8'000);
    CHECK(std::abs(counts[Kind::fence] / 8'000 - 0.1) < 4 * std::sqrt(0.09 / 8'000));  // of twenty two
    CHECK(std::abs((counts[Kind::lock] + counts[Kind::lock_shared]) / 8'000 - share) < off);
    CHECK(std::abs((counts[Kind::try_lock] + counts[Kind::try_lock_shared]) / 8'000 - (0.4 - share)) < off);
    CHECK(counts[Kind::read] + counts[Kind::write] > 0.6 * 8'000);
  }
}

TEST_CASE("Lock, access and unlock are one operation for the length of a phase, on however many blocks") {
  MicroOptions options = small();
  options.mode = MicroOptions::Mode::lock_and_access;
  options.access_bytes = 2 * kBlock;
  options.threads = 1;
  Bench t(options, FakeMemory::shape_of(0, kBlock));
  std::uint64_t ended = 0;
  t.workload->notify_after(400, [&] {
    ended = static_cast<std::uint64_t>(std::count_if(t.memory.asked.begin(), t.memory.asked.end(),
                                                     [](const Asked& a) { return a.kind == Kind::unlock; }));
    t.workload->stop();
  });
  t.workload->start();
  t.calendar.run_until();
  CHECK(t.workload->running() == 0);  // though sessions wait for several locks
  CHECK(ended >= 400 * 2);
  CHECK(ended <= 403 * 3);
}

TEST_CASE("An access that spans blocks is under a lock of each, all of its kind, from before it until it is over") {
  MicroOptions options = small();
  options.mode = MicroOptions::Mode::lock_and_access;
  options.access_bytes = 2 * kBlock;
  options.threads = 1;
  Bench t(options, FakeMemory::shape_of(0, kBlock));  // objects are blocks
  t.run(4'000);
  for (NodeId node = 0; node < 4; ++node) {
    std::map<std::uint64_t, Kind> held;
    std::size_t most = 0, writes = 0;
    for (const Asked& a : t.memory.asked) {
      if (a.session.node != node) continue;
      if (a.kind == Kind::lock || a.kind == Kind::lock_shared) {
        CHECK(held.emplace(a.key, a.kind).second);
      } else if (a.kind == Kind::unlock) {
        CHECK(held.erase(a.key) == 1);
      } else {
        REQUIRE(held.contains(a.key));
        CHECK(held[a.key] == (a.kind == Kind::write ? Kind::lock : Kind::lock_shared));
        most = std::max(most, held.size());
        writes += a.kind == Kind::write ? 1 : 0;
      }
    }
    CHECK(held.empty());
    CHECK(most == 3);  // an access that begins within a block touches three
    CHECK(writes > 100);
  }
}

TEST_CASE("A session keeps its lock for so much longer than its access takes") {
  for (const sim::Duration hold : {0_us, 7_us}) {
    MicroOptions options = small();
    options.mode = MicroOptions::Mode::lock_and_access;
    options.hold = hold;
    Bench bench(options);
    std::map<std::pair<NodeId, std::uint16_t>, sim::Time> accessed;
    std::size_t unlocked = 0;
    for (const Asked& asked : bench.run(500)) {
      const auto session = std::pair(asked.session.node, asked.session.thread);
      if (asked.kind == Kind::read || asked.kind == Kind::write) accessed[session] = asked.at;
      if (asked.kind != Kind::unlock) continue;
      ++unlocked;
      CHECK(asked.at - accessed.at(session) == bench.memory.delay + hold);
    }
    CHECK(unlocked >= 500);
  }
}

TEST_CASE("Longer accesses span blocks, begin at any word, and stay within the data") {
  for (const std::uint64_t bytes : {12, 64, 100, 320}) {
    MicroOptions options = small(0.5);
    options.access_bytes = bytes;
    options.threads = 1;
    options.read_ratio = 1;
    Bench t(options);
    std::map<NodeId, std::vector<std::uint64_t>> words;
    for (const Asked& a : t.run(20'000)) {
      for (std::uint64_t word = a.key; word < a.key + a.access.objects; ++word) {
        words[a.session.node].push_back(word);
        CHECK(t.workload->uses(sim::Key{word}));
      }
    }
    std::set<std::uint64_t> begins;
    bool contiguous = true;
    const std::size_t each = (bytes + 7) / 8;
    for (const auto& [node, keys] : words) {
      REQUIRE(keys.size() % each == 0);
      for (std::size_t i = 0; i < keys.size(); i += each) {
        begins.insert(keys[i] % 8);
        contiguous = contiguous && keys[i + each - 1] == keys[i] + each - 1;
      }
    }
    CHECK(begins.size() == 8);
    CHECK(contiguous);
  }
}

TEST_CASE("Sessions run on nodes that compute, and data lie at nodes that hold memory") {
  Bench t(small(0.3), apart(1, 2));
  std::set<NodeId> computing, holding;
  for (const Asked& a : t.run(4'000)) {
    computing.insert(a.session.node);
    holding.insert(t.home(a));
    CHECK(t.workload->uses(a.key));
  }
  CHECK(computing == std::set<NodeId>{0});
  CHECK(holding == std::set<NodeId>{2, 3});
  // The working set is that of the nodes that compute.
  CHECK(t.memory.allocator().allocated() == (80 + 280) * kBlock);
  CHECK(t.workload->used_keys() ==
        "a word of the workload: node * 0x200000000000 + index, with nodes from 2 to 3 and indices below 0x5a0");
}

TEST_CASE("Warm-up accesses every block of an access, so many times for each block that a node can reach") {
  MicroOptions options = small(0.5);
  options.warm_passes = 2;
  Bench t(options);
  t.workload->warm_up();
  const std::size_t accesses = 2 * (80 + 50) * 4;
  CHECK(t.memory.warmed.size() == accesses);
  CHECK(options.footprint({4, kBlock, {}, 0}).warm_accesses == accesses);
  CHECK(options.footprint({4, kBlock, {}, 0}).reachable == 80 + 4 * 50);
  // Of the 260 accesses of a node half are of the 80 blocks that all share, half of its own 50, all as likely.
  const auto drawn = [](double blocks, double draws) { return blocks * (1 - std::pow(1 - 1 / blocks, draws)); };
  CHECK(static_cast<double>(options.footprint({4, kBlock, {}, 0}).objects) ==
        Approx(drawn(80, 4 * 130) + 4 * drawn(50, 130)).epsilon(0.01));
  options.sharing_of = MicroOptions::SharingOf::lines;
  CHECK(options.footprint({4, kBlock, {}, 0}).reachable == 50 + 4 * 50);
  CHECK(static_cast<double>(options.footprint({4, kBlock, {}, 0}).objects) ==
        Approx(drawn(50, 4 * 100) + 4 * drawn(50, 100)).epsilon(0.01));
  options.access_bytes = kBlock + 8;  // of eight words that it may begin at, two
  Bench spanning(options);
  spanning.workload->warm_up();
  CHECK(spanning.memory.warmed.size() > 100 * 2 * 4);
  CHECK(spanning.memory.asked.empty());
}

TEST_CASE("What does not fit the memory is refused by name") {
  using Mode = MicroOptions::Mode;
  MicroOptions options = small();
  for (const Mode mode : {Mode::access, Mode::lock, Mode::lock_and_access}) {
    options.mode = mode;
    CHECK(refusal(options) == "accepted");
    MemoryShape shape = FakeMemory::shape_of(8);
    shape.offers = kAtomics.with({Kind::lock, Kind::unlock});
    CHECK(refusal(options, shape) ==
          (mode == Mode::access
               ? "accepted"
               : "found a workload that needs shared lock, expected one that needs no more than the protocol offers: "
                 "read, write, compare-and-swap, "
                 "fetch-and-add, fence, lock, unlock, allocate and free"));
  }
  options = small();
  options.shared_bytes = kBlock - 1;
  CHECK(refusal(options) ==
        "shared_bytes: found no whole shared block, expected at least one, since sharing_ratio is above 0");
  options.sharing_of = MicroOptions::SharingOf::lines;
  CHECK(refusal(options) == "accepted");
  options.working_set = 4 * kBlock;
  options.sharing_ratio = 0.4;
  CHECK(refusal(options) ==
        "working_set: found no whole shared block, expected at least one, since sharing_ratio is above 0");
  options.sharing_ratio = 0.6;
  CHECK(refusal(options) ==
        "working_set: found no private block for a node, expected at least one, since sharing_ratio is below 1");
  options = small();
  options.access_bytes = 12 * kBlock;  // 50 / 4 blocks of a node's own at a home
  CHECK(refusal(options) == "accepted");
  options.access_bytes = 12 * kBlock + 1;
  CHECK(refusal(options) ==
        "access_bytes: found 769 bytes, expected at most the 768 bytes that lie together at a home");
  options = small();
  options.remote_ratio = 0.5;
  CHECK(refusal(options, apart(2, 2)) ==
        "remote_ratio: found a share, but node 0 holds no memory, expected null, or memory at each node that uses "
        "data, for the "
        "share that is not remote");
  MemoryShape alone = FakeMemory::shape_of(8, kBlock, 1);
  CHECK(refusal(options, alone) ==
        "remote_ratio: found a share above 0, but only one node holds memory, expected 0, or more such nodes");
  options.remote_ratio = 0;
  CHECK(refusal(options, alone) == "accepted");
  options.sharing_ratio = 1;
  options.remote_ratio = 0.5;
  CHECK(refusal(options, apart(2, 2)) == "accepted");  // nothing is anybody's own
}

TEST_CASE("A lock with its access and its unlock is one operation of the benchmark") {
  for (const auto mode : {MicroOptions::Mode::lock, MicroOptions::Mode::lock_and_access}) {
    MicroOptions options = small();
    options.mode = mode;
    Bench t(options);
    t.run(1'000);
    // Counted are those that end before the workload is stopped, in the event of the last.
    const auto& counter = std::get<sim::Counter>(t.rack.metrics().find("micro.operations")->value);
    CHECK(counter.value == 1'000);
  }
  Bench accesses(small());
  CHECK(accesses.rack.metrics().find("micro.operations") == nullptr);
}

}  // namespace micro_workload_test

// Functional warm-up ends where timed execution of the same accesses, one after the other, ends.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "sim/random/random.hpp"
#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace warm_up_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

constexpr std::uint64_t kSharedBlocks = 24, kPrivateBlocks = 24;

// A block of the shared region, or one that only its home may own.
models::GlobalAddress block(const FlowCcScript& run, std::uint64_t i) {
  if (i < kSharedBlocks) return run.shared_block(i);
  return models::GlobalAddress::at(static_cast<models::NodeId>(i % run.rack.nodes()), (1000 + i) * 4096);
}

// What must agree: each node's buckets from the least to the most recently used block, homes and metadata.
struct State {
  struct Cached {
    Tag tag;
    std::uint64_t value;
    bool dirty;
    bool operator==(const Cached&) const = default;
  };
  std::vector<std::vector<Cached>> buckets;
  std::map<Tag, std::uint64_t> homes;
  std::map<Tag, std::pair<GlobalStatus, Copyset>> metadata;
};

State state_of(FlowCcScript& run) {
  State state;
  for (models::NodeId node = 0; node < run.rack.nodes(); ++node) {
    const auto& entries = run.protocol->node(node).cache().entries();
    for (std::size_t first = 0; first < entries.size(); first += LocalCache::kBucketEntries) {
      std::vector<CacheEntry> bucket;
      for (std::size_t i = first; i < first + LocalCache::kBucketEntries; ++i) {
        if (entries[i].state != CacheEntry::State::empty) bucket.push_back(entries[i]);
      }
      std::sort(bucket.begin(), bucket.end(), [](const auto& a, const auto& b) { return a.timestamp < b.timestamp; });
      auto& cached = state.buckets.emplace_back();
      for (const CacheEntry& e : bucket) {
        REQUIRE(e.valid());
        REQUIRE_FALSE(e.busy);
        cached.push_back({e.tag, e.value, e.state == CacheEntry::State::dirty});
      }
    }
  }
  for (std::uint64_t i = 0; i < kSharedBlocks + kPrivateBlocks; ++i) {
    const Tag tag = run.protocol->block_of(block(run, i));
    state.homes[tag] = run.protocol->node(run.protocol->home_of(tag)).global_memory(tag);
    const GlobalMetadata metadata = run.protocol->metadata(tag);
    state.metadata[tag] = {metadata.status, metadata.copyset};
  }
  return state;
}

}  // namespace

TEST_CASE("functional warm-up ends in the state of timed execution, one access at a time") {
  for (const auto ownership : {FlowCcOptions::Ownership::switch_owned, FlowCcOptions::Ownership::home}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Setup setup;
      setup.seed = seed;
      setup.flowcc.ownership = ownership;
      setup.flowcc.cache_bytes = 16 * 4096;  // two buckets of eight for 48 blocks: evictions all the time
      setup.flowcc.entries_per_way = 2;      // some shared blocks find no way, and stay at their homes
      setup.micro.shared_bytes = kSharedBlocks * 4096;
      FlowCcScript warm(setup), timed(setup);
      sim::RandomStream random(seed, "accesses");
      INFO("seed " << seed << (ownership == FlowCcOptions::Ownership::home ? ", home" : ", switch"));
      for (int step = 1; step <= 1'000; ++step) {
        const models::Session session{static_cast<models::NodeId>(random.below(4)),
                                      static_cast<std::uint16_t>(random.below(2))};
        const auto address = block(warm, random.below(kSharedBlocks + kPrivateBlocks));
        const bool write = random.chance(0.4);
        warm.protocol->warm_access(session, address, write);
        REQUIRE(timed.access(session, address, write) < 100_us);
        if (step % 100 != 0) continue;
        const State a = state_of(warm), b = state_of(timed);
        INFO("after " << step << " accesses");
        REQUIRE(a.buckets == b.buckets);
        REQUIRE(a.homes == b.homes);
        REQUIRE(a.metadata == b.metadata);
      }
      CHECK(timed.counter("requests.evict_modified") > 50);
      CHECK(timed.counter("requests.evict_shared") > 50);
      CHECK(timed.protocol->leaks().empty());
      if (ownership == FlowCcOptions::Ownership::switch_owned) {
        CHECK(timed.protocol->switch_owner().installed() > 0);
        CHECK(timed.protocol->switch_owner().installed() < kSharedBlocks);
      }
      warm.finish();
      CHECK(warm.violations({"data-value", "values-at-rest"}) == "");  // written outside the run
    }
  }
}

TEST_CASE("functional warm-up by many accesses at once ends where it ends one by one") {
  for (const auto ownership : {FlowCcOptions::Ownership::switch_owned, FlowCcOptions::Ownership::home}) {
    Setup setup;
    setup.flowcc.ownership = ownership;
    setup.flowcc.cache_bytes = 16 * 4096;
    setup.flowcc.entries_per_way = 2;
    setup.micro.shared_bytes = kSharedBlocks * 4096;
    FlowCcScript one_by_one(setup), together(setup);
    sim::RandomStream random(9, "accesses");
    std::vector<models::MemoryService::WarmAccess> batch;
    for (int step = 1; step <= 2'000; ++step) {
      batch.push_back({{static_cast<models::NodeId>(random.below(4)), static_cast<std::uint16_t>(random.below(2))},
                       block(one_by_one, random.below(kSharedBlocks + kPrivateBlocks)),
                       random.chance(0.4)});
      one_by_one.protocol->warm_access(batch.back().session, batch.back().address, batch.back().write);
      if (step % 50 == 0) together.protocol->warm_accesses(std::exchange(batch, {}));
    }
    const State a = state_of(one_by_one), b = state_of(together);
    CHECK(a.buckets == b.buckets);
    CHECK(a.homes == b.homes);
    CHECK(a.metadata == b.metadata);
  }
}

TEST_CASE("bytes stored into a block that the warm-up wrote leave the rest of it as it read before") {
  FlowCcScript run{Setup{}};
  run.protocol->keep_bytes([](models::GlobalAddress at, std::span<std::byte> into) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<std::byte>(at.value + i + 1);
  });
  const models::GlobalAddress address = run.shared_block(0);
  run.protocol->warm_access({0, 0}, address, true);
  std::vector<std::byte> before(8), after(8);
  const std::vector<std::byte> stored{std::byte{1}};
  const auto story = [&]() -> sim::Task<void> {
    co_await run.protocol->load({1, 0}, address, before);
    co_await run.protocol->store({1, 0}, {address.value + 100}, stored);
    co_await run.protocol->load({2, 0}, address, after);
  };
  run.spawn(story());
  run.advance_to(sim::Time{} + 1_ms);
  CHECK(run.protocol->pending_operations() == 0);
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(before[i] == static_cast<std::byte>(address.value + i + 1));
  CHECK(after == before);
  run.finish();
  CHECK(run.violations({"data-value", "values-at-rest"}) == "");  // written outside the run
}

}  // namespace warm_up_test

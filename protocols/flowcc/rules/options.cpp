// The declaration of FlowCC's options. See options.hpp.
#include "protocols/flowcc/rules/options.hpp"

#include <algorithm>

#include "protocols/flowcc/rules/block.hpp"
#include "protocols/flowcc/rules/local_cache.hpp"

namespace racksim::flowcc {

sim::Duration FlowCcOptions::longest_timeout(const models::RackOptions& rack) const {
  const std::uint64_t rtts =
      std::max({request_timeout_rtts, unlock_timeout_rtts, migrates() ? migration.timeout_rtts : 0});
  return rack.rtt * (static_cast<std::int64_t>(rtts) * kMostBackOff);
}

void FlowCcOptions::declare(sim::Parameters& p) {
  using sim::Duration;
  const Duration zero, us = Duration::from_ps(1'000'000), most = Duration::from_ps(1'000'000'000);
  p.choice("ownership", ownership,
           {{"switch", Ownership::switch_owned}, {"home", Ownership::home}, {"migrating", Ownership::migrating}},
           "who manages shared blocks: the switch, from the beginning; their home agents (CONCORDIA-base); or home "
           "agents until a block's coherence traffic is heavy, and then the switch (Concordia)")
      .varied({Ownership::switch_owned, Ownership::home})
      .moderate({Ownership::switch_owned});
  p.size("block", block_bytes, 64, 1 << 20, "cache block, the unit of coherence and of data transfer; a power of two")
      .published("Concordia §6: 4 KB")
      .varied({64, 1024, 4096})
      .moderate({1024, 4096});
  p.size("cache", cache_bytes, 4096, std::uint64_t{1} << 40, "private cache of each node")
      .published("Concordia §7.2: 1 GB")
      .varied({4 * 1024, 32 * 1024, 64 * 1024, 256 * 1024});
  p.integer("ways", ways, 1, 9, "ways of the switch's set-associative arrays")
      .estimate("Concordia §6 has 10 stages of them; 9 staggered ways fill 12 stages")
      .varied({1, 2, 9})
      .moderate({2, 9});
  p.integer("entries_per_way", entries_per_way, 1, 65536, "entries of each way's register arrays")
      .estimate("the 375 thousand blocks of Concordia §6, over 9 ways")
      .varied({1, 4, 64, 512})
      .moderate({4, 64, 512});
  p.choice("idempotence", idempotence, {{"safe", Idempotence::safe}, {"paper", Idempotence::paper}},
           "loss handling: with the rules that make it hold, or as printed in Concordia §5.3 and §5.1.1")
      .guards(Idempotence::paper, "a request that comes twice or too late leaves a lock taken",
              "flowcc/printed.json/duplicates");
  p.flag("scoreboard", scoreboard, "the switch's SCOREBOARD makes lock acquisition idempotent (§5.3.2)")
      .guards("a request that is sent again takes its lock twice", "flowcc/mechanisms.json/without-scoreboard");
  p.flag("last_unlock", last_unlock, "the switch's LAST-UNLOCK makes unlocking idempotent (§5.3.2)")
      .guards("an unlock that comes twice gives back a lock of another event",
              "flowcc/mechanisms.json/without-last-unlock");
  p.flag("last_executed", last_executed, "the agents' LAST-EXECUTED tables make their work idempotent (§5.3.1)")
      .guards("an agent does the work of a request twice", "flowcc/mechanisms.json/without-last-executed");
  p.flag("check_table", check_table, "requests that have become invalid are refused (Table 2)")
      .guards("a request that concurrent events have made invalid takes locks",
              "flowcc/mechanisms.json/without-check-table");
  p.integer("request_timeout_rtts", request_timeout_rtts, 1, 1000, "round-trip times until a request is sent again")
      .published("Concordia §5.3.1: 6")
      .varied({1, 2, 12})
      .timeout();
  p.integer("unlock_timeout_rtts", unlock_timeout_rtts, 1, 1000, "round-trip times until an unlock is sent again")
      .published("Concordia §5.3.1: 3")
      .varied({1, 2, 12})
      .timeout();
  p.length("costs.local_access", local_access, Duration::from_ps(1000), most,
           "core time of an access that the local cache serves")
      .calibrated("133 Mops at 100 % locality, Concordia Fig. 12")
      // Not zero: a thread that only hits would perform operations for ever in one instant.
      .varied({us / 100, us});
  p.length("costs.miss_setup", miss_setup, zero, most, "core time to begin a coherence event")
      .estimate("as an access to a cache: a few cache misses")
      .varied({zero, us});
  p.length("costs.cache_agent", cache_agent_work, zero, most, "core time of the cache agent for a request")
      .estimate("a lookup and a change of state: a cache miss")
      .varied({zero, us, us * 5})
      .moderate({zero});
  p.length("costs.home_agent", home_agent_work, zero, most, "core time of the home agent for a request or an unlock")
      .estimate("a lookup and a change of state: a cache miss")
      .varied({zero, us, us * 5})
      .moderate({zero});
  p.length("costs.multicast_copy", multicast_copy_work, zero, most,
           "core time of the home agent for each copy of a request that it sends to cache agents")
      .estimate("as handling a request")
      .varied({zero, us})
      .moderate({zero});
  // No completion announces an RDMA WRITE: the thread that waits for a block looks at memory that the NIC writes.
  p.length("costs.notice_data", notice_data_work, zero, most,
           "core time of a requester to notice that its block has landed")
      .estimate("as long as receiving a packet, 60 ns of the 100 ns that eRPC takes to receive and send one")
      .varied({zero, us})
      .moderate({zero});
  p.length(
       "costs.copy", copy_work_per_kib, zero, most,
       "core time of a requester to copy each KiB of a block that has landed into its cache; none, since blocks are "
       "sent \"via RDMA WRITE verbs ... to avoid data copying\" and a cache entry has a pointer to its block")
      .published("Concordia §6")
      .varied({zero, us / 10})
      .moderate({zero});
  p.object("migration", migration);
  p.object("shadow", shadow);
  p.object("recovery", recovery);
  p.object("locks", locks);
  declare_allocation(p);
}

// All of it neutral by default: what does not allocate is what it was before there was allocation.
void FlowCcOptions::declare_allocation(sim::Parameters& p) {
  using sim::Duration;
  const Duration ns = Duration::from_ps(1000);
  p.size("memory", memory_bytes, 4096, models::MemoryAllocator::kEverything,
         "global memory of each node, of which home agents give chunks; by default all that an address can name")
      .published("Concordia §4: an offset has 48 bits")
      .neutral(models::MemoryAllocator::kEverything);
  p.choice(
       "allocation.from", allocate_from,
       {{"round-robin", AllocateFrom::round_robin}, {"local", AllocateFrom::local}, {"named", AllocateFrom::named}},
       "whose home agent a thread asks for a chunk where an allocation has no hint: all in turn, its own node's, or "
       "that of `allocation.home` (Concordia §6: threads \"select a memory node\")")
      .varied({AllocateFrom::round_robin, AllocateFrom::local, AllocateFrom::named})
      .neutral(AllocateFrom::round_robin);
  p.integer("allocation.home", allocation_home, 0, 255, "the node that \"named\" stands for")
      .estimate("any would do")
      .neutral(0);
  p.size("allocation.chunk", chunk_bytes, 64, std::uint64_t{1} << 40,
         "what a home agent gives to a thread at a time, in whole blocks")
      .published("Concordia §6: 32 MB")
      .varied({16 * 1024, 64 * 1024, 256 * 1024})
      .neutral(32 << 20);
  p.length("costs.carve", carve_work, ns, ns * 1'000'000,
           "core time of a thread to carve a piece of a chunk or to find one that was freed, and to free one")
      .estimate("what a thread-caching malloc takes")
      .varied({ns * 10, ns * 1000})
      .neutral(ns * 50);
}

// A request that meets a lock fails, and its requester tries again at once (requester.hpp): luck decides. Who has just
// released a lock comes back sooner than those who have failed. Applications that share a lock may keep out for ever who
// wants it alone: the paper has no queue.
std::optional<sim::WaitingBounds> FlowCcOptions::waiting(const models::RackOptions& rack) const {
  return sim::WaitingBounds{.waits_from = rack.rtt / 2,
                            .headway = rack.rtt,
                            .overtakings = sim::WaitingBounds::kByLittleLuck,
                            .lucky = true,
                            .lock_overtakings = sim::WaitingBounds::kAny,
                            .step = rack.rtt * 40,
                            .work = (cache_agent_work + home_agent_work + multicast_copy_work) * 4};
}

models::StateSize FlowCcOptions::state_size(std::uint64_t nodes) const {
  constexpr std::uint64_t kEntryOfSwitch = 28;
  const std::uint64_t cached = cache_bytes / block_bytes;
  // At its home a block has a value and metadata, in arrays that double when they grow.
  return {.block_bytes = block_bytes,
          .fixed_bytes = nodes * cached * sizeof(CacheEntry) + ways * entries_per_way * kEntryOfSwitch,
          .bytes_per_object = 2 * (sizeof(std::uint64_t) + sizeof(GlobalMetadata)),
          .by_number = true};
}

}  // namespace racksim::flowcc

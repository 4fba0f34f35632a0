// The declaration of the RPC directory's options. See options.hpp.
#include "protocols/rpc_directory/options.hpp"

#include "protocols/rpc_directory/frame.hpp"

namespace racksim::rpc_directory {

void Options::declare(sim::Parameters& p) {
  using sim::Duration;
  const Duration zero, most = Duration::from_ps(1'000'000'000);
  p.size("line", line_bytes, 64, 65'536, "page, the unit of coherence, a power of two")
      .published("SELCC §7.1: 2 KB")
      .varied({64, 256, 2048});
  p.size("cache", cache_bytes, 256, std::uint64_t{1} << 40, "cache of each compute node")
      .published("SELCC §7: 8 GB")
      .varied({2048, 8192, 65'536});
  p.integer("shards", shards, 1, 65'536, "parts of the cache, each with an LRU list of its own")
      .estimate("as SELCC's")
      .varied({1, 4});
  p.integer("directory_cores", directory_cores, 0, 256,
            "cores of each memory server that work its directory; 0: none to spare, one core gives it a share")
      .published("SELCC §7: 1 by default; §7.1.4: also none to spare, and 8")
      .varied({0, 1, 2});
  // Fitted by scenarios/rpc-directory/uniform-write-intensive-quick.json with directory_cores 0 over 20 ms: 0.27, 0.24
  // and 0.26 Mops/s with 95, 50 and 0 % reads. The paper has no number but the bound, and does not say of Figure 13
  // whether keys are skewed: with Zipf's law, 95 % reads and 62 % hits it is 0.59.
  p.real("stranded_share", stranded_share, 0.001, 1,
         "the share that the directory gets of a core if there is none to spare")
      .calibrated("below 0.3 Mops/s, SELCC Figure 13")
      .varied({0.25, 1.0});
  p.flag("await_acks", await_acks, "a write is granted only after all copies are acknowledged to be gone")
      .guards("a writer stands beside readers", "rpc-directory/mechanisms.json/without-await-acks");
  p.flag("queue_busy", queue_busy, "a read request waits while the line's copies are being invalidated")
      .guards("a reader gets a copy that the writer does not know of: stale",
              "rpc-directory/mechanisms.json/without-queue-busy");
  p.flag("versions", versions,
         "an eviction, an invalidation or a copy request counts only for the copy that it is about")
      .guards("an old notice takes away a copy that came later", "rpc-directory/mechanisms.json/without-versions");
  p.flag("write_back_first", write_back_first, "the page is written to memory before the home is told that it is")
      .guards("the next node reads memory before the page is there: stale",
              "rpc-directory/mechanisms.json/without-write-back-first");
  p.flag("write_back_shared", write_back_shared, "an owner that shares a dirty page writes it to memory")
      .guards("readers find old memory", "rpc-directory/mechanisms.json/without-write-back-shared");
  p.flag("defer_early", defer_early, "what is said of the copy that a node is asking for waits until it is there")
      .guards("who answers too early for a copy under way never gives it up: stuck",
              "rpc-directory/mechanisms.json/without-defer-early");
  p.flag("defer_in_use", defer_in_use, "a copy in local use is given up only when its latch is free")
      .guards("a latch that is held goes to another node", "rpc-directory/mechanisms.json/without-defer-in-use");
  p.real("free_share", free_share, 0, 0.5, "frames that the evictor keeps free").estimate("as SELCC's");
  p.integer("eviction_window", eviction_window, 1, 4096, "evictions of a node whose notices have not arrived")
      .estimate("our choice: as many as SELCC's copy-out ring has slots")
      .varied({1, 16});
  p.length("costs.directory", directory, zero, most,
           "core time of a home for a message, beside its verbs: latch, directory entry, reply")
      .estimate("a few cache misses of 80 to 100 ns each")
      .varied({zero, 2_us});
  // Not zero: a thread that only hits would perform operations for ever in one instant.
  p.length("costs.local_access", local_access, Duration::from_ps(1000), most,
           "core time of an access to the cache, its local latch held")
      .estimate("as SELCC's")
      .varied({10_ns, 1_us});
  p.length("costs.handling", handling, zero, most, "core time of a node's handler for a message")
      .estimate("as SELCC's")
      .varied({zero, 1_us});
  p.length("costs.eviction", eviction, zero, most, "core time of the evictor for a frame")
      .estimate("as SELCC's")
      .varied({zero, 1_us});
}

sim::Duration Options::directory_handling() const {
  if (!stranded()) return directory;
  return sim::Duration::from_ps(static_cast<std::int64_t>(static_cast<double>(directory.ps()) / stranded_share));
}

// A directory serves the requests for a page in the order in which they come, as GAM's homes do (gam/rules/options.cpp).
// At a stranded server handling takes longer than all round trips. What is in front of a request at the core there are
// accesses, locks and try-locks, of which an oracle counts its own kind alone: for the others a few messages of each node.
std::optional<sim::WaitingBounds> Options::waiting(const models::RackOptions& rack) const {
  return sim::WaitingBounds{.waits_from = rack.rtt / 2,
                            .headway = rack.rtt,
                            .overtakings = 8,
                            .step = rack.rtt * 24 + directory_handling() * static_cast<std::int64_t>(8 * rack.nodes),
                            .work = directory_handling() * 8};
}

models::StateSize Options::state_size(std::uint64_t) const {
  return {.block_bytes = line_bytes,
          .bytes_per_object = 320,  // an entry of the directory with its holders, and what memory has
          .cache_objects = frames(),
          .bytes_per_copy = Cache::kFrameBytes};
}

}  // namespace racksim::rpc_directory

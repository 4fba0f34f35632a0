// The declaration of StarCache's options. See options.hpp.
#include "protocols/starcache/options.hpp"

#include <algorithm>

namespace racksim::starcache {

sim::Duration StarCacheOptions::longest_timeout(const models::RackOptions&) const {
  return std::max({timeout, fetch_timeout, report_timeout});
}

void StarCacheOptions::declare(sim::Parameters& p) {
  using sim::Duration;
  declare_store(p, {.exactly_once = false, .foreign_answers = true});  // versions keep writes apart
  const Duration us = Duration::from_ps(1'000'000), most = Duration::from_ps(1'000'000'000'000'000);
  p.choice("coherence", coherence, {{"versions", Coherence::versions}, {"paper", Coherence::paper}},
           "how the switch keeps stale values from clients: with versions, or by one validity bit as printed in §3.7")
      .guards(Coherence::paper, "a value that was fetched before a write counts as valid after it",
              "starcache/mechanisms.json/printed-coherence");
  p.choice(
       "evicted_requests", evicted_requests, {{"sent-on", EvictedRequests::sent_on}, {"paper", EvictedRequests::paper}},
       "what becomes of requests that wait for a key that is evicted: the controller sends them on to its server, or "
       "as printed (§3.3, §3.8) they stay at their index and are lost unless it gets another key")
      .guards(EvictedRequests::paper, "requests that wait for a key that is evicted are lost",
              "starcache/mechanisms.json/printed-evictions");
  p.integer("cache_size", cache_size, 1, 65'536, "hottest keys that are cached at first, in each pipe that has servers")
      .published("§5.1: 32")
      .varied({1, 2, 8, 32})
      .effective({8, 32});
  p.integer("cache_entries", cache_entries, 1, 65'536, "keys that a pipe of the switch has room for")
      .published("§4: 4K")
      .varied({32, 64, 560});
  p.integer("queue_size", queue_size, 1, 65'536,
            "requests that wait per cached key, a power of two; with 256 there is room for 560 keys at most")
      .published("§4: 16; §5.3: 256; artifact: 8")
      .varied({1, 2, 8, 16});
  p.flag("multi_packet", multi_packet, "items of several packets may be cached (§3.9)");
  p.flag("invalidate", invalidate, "a write request invalidates its key in the state table (§3.7)")
      .guards("the switch serves what is being overwritten", "starcache/mechanisms.json/without-invalidation");
  p.flag("drop_stale", drop_stale, "a circulating packet whose value is invalid is dropped (§3.7)")
      .guards("packets with an old value go on circulating", "starcache/mechanisms.json/without-stale-drop");
  p.flag("set_flag", set_flag, "a write request for a cached key makes the server append the value (§3.3)")
      .guards("the server does not know that the switch has the key: it is never written there",
              "starcache/mechanisms.json/without-flag");
  p.flag("own_servers_only", own_servers_only,
         "of several racks the switch of a server's rack alone applies the cache logic to its packets (§3.9)")
      .neutral(true)
      .guards("a switch serves what was written behind that of the server", "starcache/racks.json/without-own-servers");
  p.flag("same_entries", same_entries,
         "of several racks the other switches run the same program with the same entries, as where racks are replicas "
         "(§3.9)")
      .neutral(false);
  p.flag("updates", updates, "the controller replaces cold keys by hot ones (§3.8)").varied({false, true});
  p.flag("sizing", sizing, "the controller fits the cache's size to the overflow ratio (§3.8)").varied({false, true});
  p.integer("min_size", min_size, 1, 65'536, "keys that sizing leaves at least in a pipe")
      .published("§5.3: 32")
      .varied({1, 4})
      .effective({4});
  p.ratio("overflow_threshold", overflow_threshold, "overflow ratio above which the cache shrinks by one key a round")
      .published("§3.8: 1 %; §5.3: 0.05 %")
      .varied({0.0, 0.0005, 0.1});
  p.integer("top_k", top_k, 1, 1000, "keys that each server reports in a round")
      .published("artifact: 10")
      .varied({1, 3, 10});
  p.integer("sketch_width", sketch_width, 1, 1 << 24, "counters of each of the sketch's five rows")
      .published("artifact: 65,536")
      .varied({16, 256});
  p.integer("report_above", report_above, 0, 1'000'000'000, "requests a round above which a key is reported")
      .published("artifact: 100")
      .varied({0, 1, 5});
  p.length("round", round, us, most, "length of the controller's and the servers' rounds")
      .published("artifact: 1 s")
      .varied({us * 100, us * 300, us * 1000});
  p.length("fetch_timeout", fetch_timeout, us, most, "how long the controller waits for a server")
      .estimate("far above a round trip; the artifact's 1 s would be a whole round")
      .varied({us * 30, us * 200})
      .timeout();
  p.integer("fetch_attempts", fetch_attempts, 1, 1000, "how often it asks")
      .published("artifact: 10")
      .varied({1, 3, 10});
  declare_versions(p);
  p.length("report_timeout", report_timeout, us, most,
           "retransmission timeout of the TCP connections that bring the servers' reports")
      .published("Linux: 200 ms at least")
      .varied({us * 200, us * 2000})
      .timeout();
}

// What waits for a cached value that is lost waits until the controller looks, and has fetched it.
std::optional<sim::WaitingBounds> StarCacheOptions::waiting(const models::RackOptions& rack) const {
  auto bounds = StoreProtocolOptions::waiting(rack);
  if (bounds->step != sim::Duration::max()) bounds->step = bounds->step + round + fetch_timeout;
  return bounds;
}

}  // namespace racksim::starcache

// The declaration of NetCache's options. See options.hpp.
#include "protocols/netcache/options.hpp"

#include <algorithm>

namespace racksim::netcache {

sim::Duration NetCacheOptions::longest_timeout(const models::RackOptions&) const {
  return std::max(timeout, patience(std::max(update_timeout, fetch_timeout), kMostDoublings));
}

void NetCacheOptions::declare(sim::Parameters& p) {
  using sim::Duration;
  declare_store(p, {.hashed = false});
  const Duration us = Duration::from_ps(1'000'000), most = Duration::from_ps(1'000'000'000'000'000);
  p.integer("cache_entries", cache_entries, 1, 1 << 20, "keys that the switch has room for; 39,936 fit")
      .estimate("room for the 10,000 of StarCache §5.1, in whole 1,024s; artifact: 65,536")
      .varied({4, 64, 1024})
      .effective({64, 1024});
  p.integer("preload", preload, 0, 1 << 20,
            "hottest keys of which those whose key and value are small enough are cached at first")
      .published("StarCache §5.1: 10K")
      .varied({0, 8, 100})
      .moderate({8, 100});
  p.flag("invalidate", invalidate, "a write request invalidates its key in the switch (NetCache §4.3)")
      .guards("the switch serves what is being overwritten", "netcache/mechanisms.json/without-invalidation");
  p.flag("ordered_updates", ordered_updates,
         "the switch takes only the cache update of the latest write; needs exactly_once, which brings the versions")
      .guards("an older cache update overwrites a newer one", "netcache/mechanisms.json/without-ordered-updates");
  p.flag("updates", updates, "the controller replaces cold keys by hot ones (NetCache §4.4.3)").varied({false, true});
  p.integer("threshold", threshold, 1, 65'535, "requests a round at which the switch reports an uncached key as hot")
      .estimate("our choice, as of StarCache's servers (artifact: 100); NetCache's published code: 128")
      .varied({1, 3, 10});
  p.integer("sketch_width", sketch_width, 1, 65'536, "counters of each of the sketch's four rows, a power of two")
      .published("NetCache §6: 65,536")
      .varied({16, 256})
      .effective({256});
  p.length("round", round, us, most, "length of the controller's rounds")
      .published("NetCache §4.4.3: every second")
      .varied({us * 100, us * 300, us * 1000});
  p.length(
       "update_timeout", update_timeout, us, most,
       "how long a server waits for the acknowledgement of a cache update before it sends it again; doubles each time")
      .estimate("chosen, far above a round trip")
      .varied({us * 20, us * 200})
      .timeout();
  p.length("fetch_timeout", fetch_timeout, us, most, "how long the controller waits for a server; doubles each time")
      .estimate("chosen, far above a round trip")
      .varied({us * 30, us * 200})
      .timeout();
  p.integer("fetch_attempts", fetch_attempts, 1, 1000, "how often it asks")
      .estimate("our choice, as of StarCache's controller (artifact: 10)")
      .varied({1, 3, 10});
  declare_versions(p);
}

// What waits for a cached value that is lost waits until the controller looks, and has fetched it.
std::optional<sim::WaitingBounds> NetCacheOptions::waiting(const models::RackOptions& rack) const {
  auto bounds = StoreProtocolOptions::waiting(rack);
  if (bounds->step != sim::Duration::max()) bounds->step = bounds->step + round + fetch_timeout;
  return bounds;
}

}  // namespace racksim::netcache

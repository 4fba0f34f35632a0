// The declaration of the hot set's options. See hot_set_options.hpp.
#include "protocols/cckvs/hot_set_options.hpp"

#include <fmt/core.h>

#include "sim/options/option_error.hpp"

namespace racksim::cckvs {

void HotSetOptions::declare_hot_set(sim::Parameters& p) {
  using sim::Duration;
  const Duration us = Duration::from_ps(1'000'000), most = Duration::from_ps(1'000'000'000'000);
  const HotSetOptions defaults;
  p.flag("learning", learning,
         "a coordinator finds the hottest keys by what its node is asked for, and homes hand keys over to the caches "
         "and take them back (§4); off: the preloaded keys stay")
      .neutral(false);
  p.integer("hot_set.coordinator", coordinator, 0, 254, "the node on which the coordinator runs")
      .estimate("any would do: all see the same popularity, §4")
      .neutral(defaults.coordinator);
  p.length("hot_set.epoch", epoch, us, most, "after which the coordinator tells the hottest keys anew")
      .estimate("chosen, so that a run of milliseconds learns; the paper's hot set changes within seconds")
      .varied({us * 20, us * 100})
      .neutral(defaults.epoch);
  p.integer("hot_set.sample_every", sample_every, 1, 1'000'000,
            "requests of sessions of its node of which the coordinator counts one, chosen at random")
      .estimate("our choice: §4 samples requests and does not say how many")
      .varied({1, 4})
      .neutral(defaults.sample_every);
  p.optional_integer(
       "hot_set.counters", counters, 1, std::uint64_t{1} << 26,
       "counters of the coordinator's space-saving sketch; null: 16 for each key of a cache, about as many as it takes "
       "with Zipf popularity to tell whether a key belongs there (1 by its share of the requests)")
      .neutral_null();
  p.real("hot_set.margin", margin, 0, 1000,
         "by what share of a cached key's count another must exceed it to take its place")
      .estimate("our choice, so that keys that are about as hot do not take turns")
      .varied({0.0, 0.5})
      .neutral(defaults.margin);
  p.integer("hot_set.changes_at_once", changes_at_once, 1, 65'536, "changes of keys that may be under way")
      .estimate("our choice: §4 expects a handful of changes every few seconds")
      .varied({1, 16})
      .neutral(defaults.changes_at_once);
  p.length("costs.sample", sample_work, Duration{}, us * 1000, "CPU time of a cache thread to count a sampled request")
      .estimate("to count a key: a change in a table in the CPU's cache")
      .varied({Duration{}, defaults.sample_work})
      .neutral(defaults.sample_work);
}

void HotSetOptions::check(const models::Rack& rack, const NodeOptions& nodes, const CacheOptions& cache) const {
  if (!learning) return;
  if (nodes.partitioning == Partitioning::erew) {
    throw sim::OptionError("store", "erew with learning",
                           "crcw: whichever thread hands a key over reads and writes its home's store");
  }
  if (!cache.cache_keys || *cache.cache_keys == 0) {
    throw sim::OptionError("cache_keys", cache.cache_keys ? "0" : "null with learning",
                           "how many keys a cache has room for, at least 1");
  }
  if (coordinator >= rack.options().nodes) {
    throw sim::OptionError("hot_set.coordinator", fmt::format("node {}", coordinator),
                           fmt::format("one of the {} nodes", rack.options().nodes));
  }
  // Puts that the store serves count too, and no credit bounds how many they are while a packet is under way.
  constexpr std::uint64_t kLeastBits = 24;
  if (cache.rules.version_bits < kLeastBits) {
    throw sim::OptionError("version_bits", fmt::format("{} with learning", cache.rules.version_bits),
                           fmt::format("at least {}: versions go on rising in the store", kLeastBits));
  }
}

}  // namespace racksim::cckvs

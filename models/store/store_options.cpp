// Declarations. See store_options.hpp.
#include "models/store/store_options.hpp"

#include <algorithm>

#include "models/store/bucket.hpp"

namespace racksim::models {

using namespace sim::literals;

void StoreOptions::declare(sim::Parameters& p) {
  p.integer("buckets", buckets, 0, std::uint64_t{1} << 32,
            "buckets of ten entries each; 0: so many that the workload's keys fill half of the entries")
      .neutral(0);
  p.ratio("resized", resized,
          "share of the writes that give their key a value of the other size, small or large, so that its pair moves")
      .neutral(0.0)
      .varied({0.0, 0.3});
  p.length("hash_time", hash_time, 0_ns, 1_ms, "for a core to hash a key (assumed)").neutral(20_ns);
  p.length("entry_time", entry_time, 0_ns, 1_ms, "for a core to look at an entry of a bucket (assumed)").neutral(5_ns);
  p.length("retry", retry, 1_ns, 1_s,
           "pause before an operation is tried again that found memory, or its place in a cache, unavailable (assumed)")
      .neutral(5_us);
  p.integer("attempts", attempts, 1, 1'000'000'000, "attempts at an operation, then it is given up").neutral(1000);
}

std::uint64_t StoreOptions::buckets_for(std::uint64_t keys) const {
  if (buckets > 0) return buckets;
  return std::max<std::uint64_t>(keys / (Bucket::kEntries / 2), 1);
}

}  // namespace racksim::models

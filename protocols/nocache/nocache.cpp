// NoCache, "a mechanism without any cache logic" (StarCache §5.1): the application on a switch that forwards.
#include "protocols/nocache/store.hpp"

namespace racksim::nocache {

namespace {

const models::ProtocolRegistration registration({
    .name = "nocache",
    .doc = "a partitioned key-value store without a cache (baseline of StarCache, NSDI '25)",
    .make_options = [] { return std::make_shared<NoCacheOptions>(); },
    .tolerates = {"control-delay", "crash", "down", "drop", "duplicate", "fast-clock", "hold", "nic-stall", "noise",
                  "partition", "slow-core", "switch-restart"},
    .coverage = coverage_map(),
});

}  // namespace

std::unique_ptr<models::Protocol> NoCacheOptions::build(models::ProtocolContext& context) const {
  auto store = std::make_unique<Store>(context, *this, exactly_once);
  store->shared().coverage = context.coverage;
  return store;
}

}  // namespace racksim::nocache

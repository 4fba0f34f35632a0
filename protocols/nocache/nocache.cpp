// NoCache's registration and assembly. See nocache.hpp.
#include "protocols/nocache/nocache.hpp"

#include "protocols/store/client_step.hpp"

namespace racksim::nocache {

namespace {

const sim::Registration<models::ProtocolEntry> registration({
    .name = "nocache",
    .doc = "a partitioned key-value store without a cache (baseline of StarCache, NSDI '25)",
    .make_options = [] { return std::make_shared<NoCacheOptions>(); },
    .tolerates = {"availability", "control-delay", "crash", "down", "drop", "duplicate", "fast-clock", "hold",
                  "nic-stall", "noise", "partition", "slow-core", "switch-restart"},
    .coverage = store::coverage_map(),
    .tables = {&store::client_table().description()},
    .knows_racks = true,
});

}  // namespace

NoCache::NoCache(models::ProtocolContext& context, const NoCacheOptions& options)
    : Application(context, options, options.exactly_once) {
  shared().coverage = context.coverage;
}

std::unique_ptr<models::Protocol> NoCacheOptions::build(models::ProtocolContext& context) const {
  return std::make_unique<NoCache>(context, *this);
}

}  // namespace racksim::nocache

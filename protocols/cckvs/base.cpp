// The registration of the baselines. See base.hpp.
#include "protocols/cckvs/base.hpp"

#include "protocols/cckvs/threads/races.hpp"

namespace racksim::cckvs {

namespace {

const sim::Registration<models::ProtocolEntry> base_registration({
    .name = "cckvs-base",
    .doc = "the sharded key-value store that ccKVS is compared with: Base and Base-EREW (EuroSys '18)",
    .make_options = [] { return std::make_shared<BaseOptions>(); },
    .tolerates = {"control-delay", "fast-clock", "hold", "nic-stall", "slow-core"},
    .coverage = {.states = {}, .messages = {}, .race_points = StoreRaces().names()},
});

}  // namespace

std::unique_ptr<models::Protocol> BaseOptions::build(models::ProtocolContext& context) const {
  return std::make_unique<Base>(context, *this, "cckvs_base");
}

}  // namespace racksim::cckvs

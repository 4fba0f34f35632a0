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

// Threads serve their queues in order. A read that a write has overlapped is done again (§6.2).
std::optional<sim::WaitingBounds> BaseOptions::waiting(const models::RackOptions& rack) const {
  const sim::Duration connections = work_of_connections(cache_threads_in_reach(0) + kvs_threads_in_reach(), rack.nodes);
  return sim::WaitingBounds{.waits_from = rack.rtt * 2,
                            .headway = rack.rtt,
                            .overtakings = 8,
                            .step = rack.rtt * 12,
                            .work = (request_work + response_work + packet_work + store_work + connections) * 4};
}

std::unique_ptr<models::Protocol> BaseOptions::build(models::ProtocolContext& context) const {
  return std::make_unique<Base>(context, *this, "cckvs_base");
}

}  // namespace racksim::cckvs

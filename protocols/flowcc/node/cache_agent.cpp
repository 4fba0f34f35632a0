// How a cache agent's responder reaches the network, and the shadow node hears of it. See cache_agent.hpp.
#include "protocols/flowcc/node/cache_agent.hpp"

#include <algorithm>

namespace racksim::flowcc {

CacheAgent::CacheAgent(Shared& shared, NodeState& node, models::Core& core)
    : shared_(shared),
      node_(node),
      core_(core),
      endpoint_(shared, node.id(), core, *this, *this, shared.options.cache_agent_work),
      responder_({.options = shared.options,
                  .coverage = shared.coverage,
                  .counters = shared.counters,
                  .cache = node.cache(),
                  .node = node.id(),
                  .requesters = shared.requesters()},
                 *this),
      invalidations_(shared.options.migrates()),
      given_away_(shared.options.migrates() && shared.options.recovery.given_away ? shared.requesters() : 0),
      recovery_writes_(shared, endpoint_) {}

void CacheAgent::on_packet(p4::PacketRef packet) {
  if (node_.crashed() || shared_.is_stale(*packet, node_.id())) return;
  const FlowCcHeader& request = packet->get<FlowCcHeader>();
  ++shared_.counters.cache_received.value;
  shared_.coverage.handled(Handler::cache_agent, request.message_type(), request.tag(), node_.id());
  responder_.handle(request, packet->operation);
}

void CacheAgent::provide(const FlowCcHeader& request, const BlockData& block, sim::OperationId operation) {
  ++shared_.counters.cache_sent.value;
  ++shared_.counters.data_blocks.value;
  endpoint_.write_block(static_cast<NodeId>(request.node_id),
                        DataAddress::event_buffer(RequesterId{request.requester}, Seq{request.seq}), block, false, 0,
                        operation);
}

void CacheAgent::crash() {
  responder_.crash();
  invalidations_.clear();
  given_away_.forget_all();
  recovery_writes_.crash();
}

void CacheAgent::report_heat() {
  const std::vector<Heat> counted = invalidations_.hottest(invalidations_.size());
  invalidations_.clear();
  HeatReport report;
  for (auto next = counted.begin(); next != counted.end();) {
    const auto size = std::min<std::ptrdiff_t>(HeatReport::kMost, counted.end() - next);
    std::copy_n(next, size, report.blocks.begin());
    report.size = static_cast<std::uint32_t>(size);
    next += size;
    ++shared_.counters.cache_sent.value;
    endpoint_.send_hint(MessageType::heat_report, report);
  }
}

}  // namespace racksim::flowcc

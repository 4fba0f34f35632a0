// How a home agent's directory reaches the network, and its migrations the clock. See home_agent.hpp.
#include "protocols/flowcc/node/home_agent.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace racksim::flowcc {

HomeAgent::HomeAgent(Shared& shared, const NodeState& node, models::Core& core)
    : shared_(shared),
      node_(node),
      core_(core),
      endpoint_(shared, node.id(), core, *this, *this, shared.options.home_agent_work),
      directory_({.options = shared.options,
                  .coverage = shared.coverage,
                  .providers = shared.providers,
                  .counters = shared.counters,
                  .migration = shared.migration,
                  .nodes = static_cast<unsigned>(shared.shape.nodes),
                  .requesters = shared.requesters(),
                  .number = shared.requester_of_home(node.id()),
                  .first_lock = shared.requester_of_lock(0, 0, 0),
                  .index_mask = shared.index_mask()},
                 *this) {}

void HomeAgent::on_packet(p4::PacketRef packet) {
  if (node_.crashed() || shared_.is_stale(*packet, node_.id())) return;
  const FlowCcHeader& h = packet->get<FlowCcHeader>();
  ++shared_.counters.home_received.value;
  shared_.coverage.handled(h.is_in_switch ? Handler::memory : Handler::owner, h.message_type(), h.tag(),
                           static_cast<NodeId>(h.node_id));
  directory_.handle(h, packet->operation);
}

void HomeAgent::provide(const FlowCcHeader& request, sim::OperationId operation) {
  ++shared_.counters.home_sent.value;
  ++shared_.counters.data_blocks.value;
  endpoint_.write_block(static_cast<NodeId>(request.node_id),
                        DataAddress::event_buffer(RequesterId{request.requester}, Seq{request.seq}),
                        node_.stored(request.tag()), false, 0, operation);
}

void HomeAgent::send_move(const FlowCcHeader& header, bool again) {
  FlowCcHeader h = header;
  h.set_index = set_index(h.tag(), shared_.options.entries_per_way);
  h.node_id = endpoint_.node();
  h.reply_qp = endpoint_.raw_qpn();
  ++shared_.migration.packets.value;
  ++shared_.counters.home_sent.value;
  endpoint_.send(h, endpoint_.node(), 0);
  const sim::Duration first =
      shared_.rack.options().rtt * static_cast<std::int64_t>(shared_.options.migration.timeout_rtts);
  move_patience_ = again ? std::min(move_patience_ * 2, first * FlowCcOptions::kMostBackOff) : first;
  move_timer_ = shared_.rack.server(endpoint_.node()).clock().after<&HomeAgent::move_timed_out>(move_patience_, *this);
}

void HomeAgent::told_of_death(Tag tag, Copyset witnesses) {
  HeatReport blocks;
  blocks.blocks[blocks.size++] = {tag, 0};
  const std::uint32_t incarnation = shared_.incarnations[endpoint_.node()];
  for (NodeId node = 0; node < shared_.shape.nodes; ++node) {
    if ((witnesses & node_bit(node)) == 0 || !shared_.takes_part(node, incarnation)) continue;
    ++shared_.counters.home_sent.value;
    endpoint_.write_list(node, DataAddress::kTold, blocks, 0);
  }
}

void HomeAgent::end_epoch() {
  migration().end_epoch();
  HeatReport report;
  for (std::uint64_t left = shared_.options.migration.listed; left > 0;) {
    const std::size_t most = std::min<std::uint64_t>(left, HeatReport::kMost);
    report.size = 0;
    migration().list(report, most);
    if (report.size == 0) return;
    ++shared_.migration.packets.value;
    ++shared_.counters.home_sent.value;
    endpoint_.send_hint(MessageType::listing, report);
    if (report.size < most) return;
    left -= most;
  }
}

std::vector<models::Leak> HomeAgent::held_locks() const {
  std::vector<models::Leak> leaks;
  for (const HomeDirectory::Holder& l : directory_.holders()) {
    leaks.push_back(
        {"leaked-lock",
         fmt::format("home agent {}: {} lock of block {} held by requester {} (seq {}) since {} ns", node_.id(),
                     l.read ? "read" : "write", sim::printed_key(l.tag), l.requester, l.seq, l.since.ns()),
         {l.tag, {}}});
  }
  return leaks;
}

}  // namespace racksim::flowcc

// Calls that carry control messages. See control_channels.hpp.
#include "protocols/cckvs/threads/control_channels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/oracles/oracle.hpp"

namespace racksim::cckvs {

namespace {
constexpr std::uint64_t kReceivesForNode = 4;  // a call and an answer, and each once more
}

ControlChannels::ControlChannels(Shared& shared, sim::Duration patience, sim::Duration handling)
    : shared_(shared),
      patience_{patience, std::numeric_limits<std::uint32_t>::max()},
      handling_(handling),
      mesh_(shared.rack, models::Mesh::Transport::datagram,
            {.window = 1, .receives = kReceivesForNode * shared.nodes()}),
      channels_(std::size_t{shared.nodes()} * shared.nodes()) {
  for (NodeId node = 0; node < shared.nodes(); ++node) {
    tasks_.push_back(std::make_unique<sim::Scope>(shared.rack.calendar()));
    mesh_.add(node, shared.rack.server(node).core(0),
              [this, node](const models::RpcEnd::Call& call) { came(node, call); });
  }
}

void ControlChannels::connect(std::vector<ControlHandler*> handlers) {
  handlers_ = std::move(handlers);
  mesh_.connect();
}

void ControlChannels::send(NodeId from, NodeId to, const ControlMessage& message) {
  Channel& to_node = channel(from, to);
  to_node.waiting.push(message);
  if (!std::exchange(to_node.is_sending, true)) tasks_[from]->spawn(send_waiting(from, to));
}

sim::Task<void> ControlChannels::send_waiting(NodeId from, NodeId to) {
  Channel& to_node = channel(from, to);
  while (!to_node.waiting.empty()) {
    ControlBatch& batch = to_node.under_way;
    models::RpcEnd::Message call;
    for (batch.count = 0; batch.count < batch.messages.size() && !to_node.waiting.empty(); ++batch.count) {
      const MessageSizes sizes = shared_.sizes(to_node.waiting.front().key);
      const std::uint32_t bytes = to_node.waiting.front().bytes(sizes.key_bytes, sizes.value_bytes);
      if (batch.count > 0 && call.bytes + bytes > shared_.rack.options().nic.mtu_bytes) break;
      call.bytes += bytes;
      batch.messages[batch.count] = to_node.waiting.pop();
    }
    call.content = models::Content::of(batch);
    co_await mesh_.call(from, to, std::move(call), patience_);
    for (std::uint32_t i = 0; i < batch.count; ++i) handlers_[from]->control_delivered(to, batch.messages[i]);
    batch.count = 0;
  }
  to_node.is_sending = false;
}

void ControlChannels::came(NodeId node, const models::RpcEnd::Call& call) {
  const auto batch = call.content.as<ControlBatch>();
  for (std::uint32_t i = 0; i < batch.count; ++i) handlers_[node]->control_came(call.from.node, batch.messages[i]);
  shared_.rack.server(node).core(0).charge(handling_ * static_cast<std::int64_t>(batch.count));
  mesh_.end(node).reply(call, {});
}

bool ControlChannels::idle() const {
  return std::none_of(channels_.begin(), channels_.end(), [](const Channel& one) { return one.is_sending; });
}

void ControlChannels::add_waits(std::vector<sim::Wait>& waits) const {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const Channel& one = channels_[i];
    if (one.under_way.count == 0) continue;
    const ControlMessage& first = one.under_way.messages.front();
    waits.push_back({.who = fmt::format("cache thread 0 of node{}", i / shared_.nodes()),
                     .whom = fmt::format("node{}", i % shared_.nodes()),
                     .why = fmt::format("an answer to {} of key {}, and {} more", name_of(first.message),
                                        sim::printed_key(first.key), one.under_way.count - 1 + one.waiting.size())});
  }
}

void ControlChannels::crash(NodeId node) {
  tasks_[node]->cancel_all();
  for (NodeId to = 0; to < shared_.nodes(); ++to) channel(node, to) = {};
}

}  // namespace racksim::cckvs

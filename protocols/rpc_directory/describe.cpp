// The RPC directory's messages in words, for charts of a run. See models/rack/explanation.hpp.
#include <fmt/core.h>

#include <cstring>

#include "models/packets/addressing.hpp"
#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/rpc_directory/rpc_directory.hpp"

namespace racksim::rpc_directory {

std::optional<models::PacketDescription> RpcDirectory::describe(const p4::Packet& packet) const {
  models::PacketDescription description;
  const auto about = [&](sim::Key line, std::string label) {
    description.key = shared_.lines.object_of(line, 0);
    description.label = std::move(label);
    return description;
  };
  if (packet.content.holds<Message>()) {
    const auto message = packet.content.as<Message>();
    return about(message.line, std::string(to_string(message.kind)));
  }
  if (packet.content.holds<Reply>()) {
    const auto reply = packet.content.as<Reply>();
    return about(reply.line, reply.verdict == Verdict::ask_owner ? fmt::format("ASK OWNER, node {}", reply.owner)
                                                                 : std::string(to_string(reply.verdict)));
  }
  const auto* remote = packet.find<models::Reth>();
  if (remote == nullptr) return std::nullopt;
  const NodeId to = models::node_of_ipv4(packet.get<p4::Ipv4>().dst);
  if (shape().roles.holds_memory(to)) {
    return about(shared_.lines.line_at(to, remote->address), fmt::format("WRITE BACK of {} bytes", remote->length));
  }
  if (packet.content.size() != sizeof(Reply) + options_.line_bytes) return std::nullopt;
  Reply reply;
  std::memcpy(static_cast<void*>(&reply), packet.content.bytes().data(), sizeof reply);
  return about(reply.line, std::string(to_string(reply.verdict)));
}

}  // namespace racksim::rpc_directory

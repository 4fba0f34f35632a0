// GAM's messages in words, for charts of a run. See models/rack/explanation.hpp.
#include <fmt/core.h>

#include <cstring>

#include "models/packets/addressing.hpp"
#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/gam/gam.hpp"

namespace racksim::gam {

std::optional<models::PacketDescription> Gam::describe(const p4::Packet& packet) const {
  models::PacketDescription description;
  const auto* remote = packet.find<models::Reth>();
  const auto* immediate = packet.find<models::ImmDt>();
  if (remote == nullptr && packet.content.size() >= sizeof(Message) && packet.content.size() % sizeof(Message) == 0) {
    const auto bytes = packet.content.bytes();
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(Message)) {
      Message message;
      std::memcpy(static_cast<void*>(&message), bytes.data() + at, sizeof message);
      description.key = shared_.object_of(message.line, 0);
      description.label += fmt::format("{}{}", at > 0 ? ", " : "", to_string(message.kind));
      if (message.request != 0) description.label += fmt::format(" ({})", message.request);
    }
    return description;
  }
  if (remote == nullptr) return std::nullopt;
  const NodeId from = models::node_of_ipv4(packet.get<p4::Ipv4>().src);
  const NodeId to = models::node_of_ipv4(packet.get<p4::Ipv4>().dst);
  if (immediate == nullptr) {
    description.key = shared_.object_at(to, remote->address);
    description.label = fmt::format("WRITE of {} bytes", remote->length);
    return description;
  }
  const Immediate said = Immediate::of(static_cast<std::uint32_t>(immediate->immediate));
  const std::optional<sim::Key> line =
      said.kind >= ImmediateKind::invalidate_ack && said.kind != ImmediateKind::write_back
          ? nodes_[to]->directory().line_of(said.number)
      : said.kind == ImmediateKind::write_back ? nodes_[from]->cache().line_of(said.number)
                                               : nodes_[to]->cache().line_of(said.number);
  if (!line) return std::nullopt;
  description.key = shared_.object_of(*line, 0);
  description.label = fmt::format("{} ({})", to_string(said.kind), said.number);
  return description;
}

}  // namespace racksim::gam

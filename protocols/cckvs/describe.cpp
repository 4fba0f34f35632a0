// What packets mean, for charts of a run. See cluster.hpp.
#include <fmt/core.h>

#include "models/packets/rdma_headers.hpp"
#include "protocols/cckvs/cluster.hpp"
#include "protocols/cckvs/threads/cache_links.hpp"

namespace racksim::cckvs {

std::optional<models::PacketDescription> Cluster::describe(const p4::Packet& packet) const {
  const auto* bth = packet.find<models::Bth>();
  if (bth == nullptr) return std::nullopt;
  models::PacketDescription description;
  if (packet.content.empty()) {
    description.label = "credits";
  } else if (packet.content.holds<CacheMessage>()) {
    const auto message = packet.content.as<CacheMessage>();
    description.label =
        fmt::format("{} {}.{}", name_of(message.type), message.timestamp.version, message.timestamp.node);
    description.key = message.key;
  } else {
    const bool response = !is_kvs_thread(models::Qpn{static_cast<std::uint32_t>(bth->dest_qp)});
    const StoreRequest first = request_of(packet.content, 0);
    description.label = fmt::format("{}{}", first.put != 0 ? "PUT" : "GET", response ? " answer" : "");
    const std::size_t requests = requests_in(packet.content);
    if (requests > 1) description.label += fmt::format(" and {} more", requests - 1);
    description.key = first.key;
  }
  return description;
}

// Each node makes its KVS threads' queue pairs first, in the same order.
bool Cluster::is_kvs_thread(models::Qpn queue_pair) const {
  const std::vector<models::Destination>& threads = shared_.kvs_threads.front();
  return threads.front().qpn <= queue_pair && queue_pair <= threads.back().qpn;
}

}  // namespace racksim::cckvs

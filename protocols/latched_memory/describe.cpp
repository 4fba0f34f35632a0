// Verbs on lines in words, for charts of a run. See models/rack/explanation.hpp.
#include <fmt/core.h>

#include "models/packets/addressing.hpp"
#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/latched_memory/memory_servers.hpp"

namespace racksim::latched_memory {

std::optional<models::PacketDescription> MemoryServers::describe(const p4::Packet& packet) const {
  const auto* ip = packet.find<p4::Ipv4>();
  if (ip == nullptr) return std::nullopt;
  const NodeId to = models::node_of_ipv4(ip->dst);
  if (!memory_.shape().roles.holds_memory(to)) return std::nullopt;
  models::PacketDescription description;
  const auto about = [&](std::uint64_t address, std::string label) {
    description.key = object_of(line_at(to, address), 0);
    description.label = std::move(label);
    return description;
  };
  const auto is = [&](models::RcOpcode opcode) {
    return static_cast<models::RcOpcode>(packet.get<models::Bth>().opcode) == opcode;
  };
  if (const auto* atomic = packet.find<models::AtomicEth>()) {
    return about(atomic->address, is(models::RcOpcode::compare_swap)
                                      ? fmt::format("CAS {:#x} to {:#x}", atomic->compare, atomic->swap_or_add)
                                      : fmt::format("FAA {:#x}", atomic->swap_or_add));
  }
  const auto* remote = packet.find<models::Reth>();
  if (remote == nullptr) return std::nullopt;
  return about(remote->address,
               fmt::format("{} of {} bytes", is(models::RcOpcode::read_request) ? "READ" : "FLUSH", remote->length));
}

}  // namespace racksim::latched_memory

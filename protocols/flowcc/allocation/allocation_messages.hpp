// The two packets of allocation: a thread asks a home agent for memory, and is answered (Concordia §6, "Global memory
// allocation"). The paper says neither their fields nor how they are made safe; as a coherence request they carry a
// sequence number of the requester (§5.3.1: "to guarantee idempotence of server operations").
//
// They are plain UDP, which the switch forwards by its routes alone; the destination port is the receiver's queue pair.
#pragma once

#include <cstdint>

#include "p4model/language/header.hpp"
#include "protocols/flowcc/node/network.hpp"

namespace racksim::flowcc {

enum class AllocationType : std::uint8_t {
  request = 1,
  given = 2,   ///< memory from `address` on is the requester's
  refused = 3  ///< the home has no room
};

struct AllocationHeader {
  std::uint64_t type = 0;
  std::uint64_t padding = 0;
  std::uint64_t node_id = 0;    ///< of the requester
  std::uint64_t requester = 0;  ///< number of the application thread in the rack
  std::uint64_t reply_qp = 0;   ///< its queue pair
  std::uint64_t seq = 0;        ///< number of the request, per requester
  std::uint64_t bytes = 0;      ///< how much: chunks
  std::uint64_t address = 0;    ///< in an answer

  static constexpr p4::HeaderLayout kLayout{"flowcc_allocation",
                                            {{"type", 8},
                                             {"padding", 8},
                                             {"node_id", 16},
                                             {"requester", 16},
                                             {"reply_qp", 16},
                                             {"seq", 32},
                                             {"bytes", 64},
                                             {"address", 64}}};

  AllocationType message_type() const { return static_cast<AllocationType>(type); }
  void set_type(AllocationType t) { type = static_cast<std::uint64_t>(t); }
};

/// Sends a packet of allocation to a queue pair of a node.
void send_allocation(Shared& shared, NodeId from, models::Qpn qpn, const AllocationHeader& header, NodeId to,
                     std::uint16_t to_qpn, sim::OperationId operation);

}  // namespace racksim::flowcc

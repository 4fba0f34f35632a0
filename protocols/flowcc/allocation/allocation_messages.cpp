// How a packet of allocation is sent. See allocation_messages.hpp.
#include "protocols/flowcc/allocation/allocation_messages.hpp"

namespace racksim::flowcc {

void send_allocation(Shared& shared, NodeId from, models::Qpn qpn, const AllocationHeader& header, NodeId to,
                     std::uint16_t to_qpn, sim::OperationId operation) {
  p4::PacketRef packet = shared.rack.make_packet(to, 0, to_qpn);
  packet->push(header);
  packet->operation = operation;
  shared.rack.server(from).nic().send_raw(qpn, std::move(packet));
}

}  // namespace racksim::flowcc

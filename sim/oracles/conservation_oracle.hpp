// Conservation of packets and of the buffer that holds them: what was made is somewhere, and what is occupied is
// occupied by a packet.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/oracles/oracle.hpp"

namespace racksim::sim {

/// Where all packets of a run came from and went. Each packet is counted once on either side.
struct PacketBalance {
  std::uint64_t created = 0;    ///< made by a sender
  std::uint64_t copied = 0;     ///< additional copies: multicast, clones, duplication on a wire
  std::uint64_t delivered = 0;  ///< taken by a receiver
  std::uint64_t absorbed = 0;   ///< consumed on the way on purpose, as by a switch program
  std::uint64_t dropped = 0;    ///< lost: wires, full queues, dead nodes, programs' drops
  std::uint64_t in_flight = 0;  ///< found on wires and in queues by counting them
};

/// The violation of created + copied = delivered + absorbed + dropped + in flight, if any, named "conservation".
std::optional<Violation> check_conservation(const PacketBalance& balance, Time at);

/// What a packet buffer reckons with, and what is in it.
struct CellBalance {
  std::uint64_t in_use = 0;      ///< cells that count as occupied when a packet asks for room
  std::uint64_t of_packets = 0;  ///< cells of the packets that are there, found by counting those
};

/// The violation of in use = of packets, if any, named "conservation"; `place` begins its sentence ("the packet
/// buffer").
std::optional<Violation> check_conservation(std::string_view place, const CellBalance& balance, Time at);

}  // namespace racksim::sim

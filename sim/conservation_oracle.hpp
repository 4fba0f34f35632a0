// Conservation of packets: what was made is somewhere.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/oracle.hpp"

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

}  // namespace racksim::sim

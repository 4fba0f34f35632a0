// The counters of packets' beginnings and ends. See packet_accounting.hpp.
#include "models/packets/packet_accounting.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace racksim::models {

std::string_view to_string(DropReason reason) {
  switch (reason) {
    case DropReason::loss:
      return "loss";
    case DropReason::burst_loss:
      return "burst_loss";
    case DropReason::targeted:
      return "targeted";
    case DropReason::wire_down:
      return "wire_down";
    case DropReason::tail_drop:
      return "tail_drop";
    case DropReason::switch_program:
      return "switch_program";
    case DropReason::no_port:
      return "no_port";
    case DropReason::nic_off:
      return "nic_off";
    case DropReason::no_queue_pair:
      return "no_queue_pair";
    case DropReason::ring_full:
      return "ring_full";
    case DropReason::partition:
      return "partition";
    case DropReason::switch_off:
      return "switch_off";
    case DropReason::wrong_address:
      return "wrong_address";
  }
  throw std::runtime_error(fmt::format("{} is no reason to drop a packet", static_cast<int>(reason)));
}

PacketAccounting::PacketAccounting(sim::Metrics& metrics)
    : created_(
          metrics.counter("packets.created", "packets", "Packets handed to a NIC by its host or made by the NIC.")),
      copied_(
          metrics.counter("packets.copied", "packets", "Copies made by multicast in the switch or by faulty wires.")),
      delivered_(metrics.counter("packets.delivered", "packets", "Packets handed to a host's core or memory.")),
      absorbed_(metrics.counter("packets.absorbed", "packets",
                                "Packets whose work ended inside a NIC or the switch: acknowledgements, filtered "
                                "duplicates, packets turned into copies.")) {
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    const auto reason = to_string(static_cast<DropReason>(i));
    dropped_[i] = &metrics.trouble(fmt::format("packets.dropped.{}", reason), "packets",
                                   fmt::format("Packets lost for the reason '{}'.", reason));
  }
}

std::uint64_t PacketAccounting::dropped() const {
  std::uint64_t sum = 0;
  for (const auto* counter : dropped_) sum += counter->value;
  return sum;
}

std::int64_t PacketAccounting::expected_in_flight() const {
  return static_cast<std::int64_t>(created() + copied()) -
         static_cast<std::int64_t>(delivered() + absorbed() + dropped());
}

}  // namespace racksim::models

// What every piece of the rack's hardware needs to know of its surroundings. Pieces are made in a fixed order, because
// each takes its lanes and journal sources from here when it is made.
#pragma once

#include <cstdint>

#include "models/packets/packet_census.hpp"
#include "models/packets/packet_observer.hpp"
#include "p4model/language/packet.hpp"
#include "sim/kernel/calendar.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/record/history.hpp"
#include "sim/record/journal.hpp"

namespace racksim::models {

/// The number of a server in its rack, from 0.
using NodeId = std::uint16_t;

/// Shared by all pieces of one rack, which outlive none of it.
struct RackContext {
  sim::Calendar& calendar;
  sim::Journal& journal;
  sim::Metrics& metrics;
  p4::PacketPool& packets;
  PacketCensus& census;
  std::uint64_t seed = 0;
  PacketObserver* packet_observer = nullptr;  ///< none, unless the run is being explained

  /// Ends a packet's life as a drop: counted, and recorded with the packet's serial, the reason and its wire bytes; and
  /// as a disturbance if a fault did it.
  void drop(sim::Source where, sim::Time at, const p4::Packet& packet, DropReason reason) {
    census.drop(reason);
    journal.record(sim::Observed::message_dropped, where, at, packet.operation, packet.serial,
                   static_cast<std::uint64_t>(reason), packet.wire_bytes());
    if (is_fault(reason)) {
      sim::record_disturbance(journal, where, at, packet.operation, sim::Disturbance::lost);
    }
    if (packet_observer) [[unlikely]]
      packet_observer->dropped(packet, where, at, reason);
  }
};

}  // namespace racksim::models

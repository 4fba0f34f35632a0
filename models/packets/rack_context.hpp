// What every piece of the rack's hardware needs to know of its surroundings. Pieces are made in a fixed order, because
// each takes its lanes and event sources from here when it is made.
#pragma once

#include <cstdint>
#include <vector>

#include "models/packets/message_observer.hpp"
#include "models/packets/packet_accounting.hpp"
#include "models/packets/packet_observer.hpp"
#include "p4model/language/packet.hpp"
#include "sim/kernel/calendar.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/history.hpp"

namespace racksim::models {

/// The number of a server in its rack, from 0.
using NodeId = std::uint16_t;
/// The most servers that a rack has.
inline constexpr std::uint64_t kMostNodes = 1024;

/// Shared by all pieces of one rack, which outlive none of it.
struct RackContext {
  sim::Calendar& calendar;
  sim::EventLog& event_log;
  sim::Metrics& metrics;
  p4::PacketPool& packets;
  PacketAccounting& accounting;
  std::uint64_t seed = 0;
  std::vector<PacketObserver*> packet_observers{};    ///< in the order in which they are told: none in most runs
  std::vector<MessageObserver*> message_observers{};  ///< the same

  /// Has an observer told of packets, after those that were added before it; it must outlive the rack's last event.
  void add_packet_observer(PacketObserver& observer) { packet_observers.push_back(&observer); }

  /// Ends a packet's life as a drop: counted, and recorded with the packet's serial, the reason and its wire bytes; and
  /// as a disturbance if a fault did it.
  void drop(sim::Source where, sim::Time at, const p4::Packet& packet, DropReason reason) {
    accounting.drop(reason);
    event_log.record(sim::Observed::message_dropped, where, at, packet.operation, packet.serial,
                     static_cast<std::uint64_t>(reason), packet.wire_bytes());
    if (is_fault(reason)) {
      sim::record_disturbance(event_log, where, at, packet.operation, sim::Disturbance::lost);
    }
    for (PacketObserver* observer : packet_observers) observer->dropped(packet, where, at, reason);
  }
};

}  // namespace racksim::models

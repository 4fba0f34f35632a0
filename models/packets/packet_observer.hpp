// Looking at packets on their way, for explanations: who sent what, what a wire did to it, what became of it.
//
// The event log says that a packet was sent or dropped; an observer of packets sees its headers too. A rack has any
// number of them (RackContext::add_packet_observer), told in the order in which they were added; without one each place
// costs a branch. They see and must not act; nothing of them reaches the run hash. Wires and the switch compute ahead:
// instants may lie in the future, and calls do not come in the order of their instants.
#pragma once

#include <cstdint>

#include "models/packets/packet_accounting.hpp"
#include "p4model/language/packet.hpp"
#include "sim/kernel/time.hpp"
#include "sim/record/event_log.hpp"

namespace racksim::models {

/// A packet's passage over one wire.
struct WirePassage {
  sim::Source wire;         ///< the wire, by its event source
  sim::Time start;          ///< when its first bit leaves
  sim::Time arrival;        ///< when its last bit arrives, unless the wire goes down before
  bool copy = false;        ///< a faulty wire made it out of the packet that it follows
  sim::Duration held{};     ///< how long a faulty wire delays it alone, so that others may overtake it
  sim::Duration stalled{};  ///< how long a faulty wire delays it and what is behind it
  bool named = false;       ///< a fault that names packets has held, stalled or doubled it
};

/// A register of a switch has changed, or a table entry: `object` and `index` as the event log's record has them.
struct SwitchWrite {
  unsigned network_switch = 0;
  unsigned pipe = 0;
  sim::Time at;
  std::uint32_t object = 0;
  std::uint32_t index = 0;
  std::uint64_t value = 0;
  std::uint64_t packet_serial = 0;  ///< 0 when the control plane wrote
};

/// Sees what the rack's hardware does with each packet.
class PacketObserver {
 public:
  virtual ~PacketObserver() = default;

  /// A wire has taken a packet that it will deliver.
  virtual void on_wire(const p4::Packet& packet, const WirePassage& passage) = 0;
  /// A packet was lost at this wire, NIC or part of the switch.
  virtual void dropped(const p4::Packet& packet, sim::Source where, sim::Time at, DropReason reason) = 0;
  /// A NIC has handed a packet to its host, at this source.
  virtual void delivered(const p4::Packet& packet, sim::Source nic, sim::Time at) = 0;
  /// A packet begins an ingress pass of the switch.
  virtual void pass_begins(const p4::Packet& packet, unsigned pipe, sim::Time at, bool resubmitted) = 0;
  virtual void switch_written(const SwitchWrite& write) = 0;
};

}  // namespace racksim::models

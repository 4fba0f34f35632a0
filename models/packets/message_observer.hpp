// Looking at what NICs send and receive, for whoever counts messages. Cheaper than an observer of packets
// (packet_observer.hpp), and the switch computes ahead as it does without one.
#pragma once

#include "p4model/language/packet.hpp"

namespace racksim::models {

/// Told of each packet once when a NIC makes it and once when it reaches one. It sees and must not act.
class MessageObserver {
 public:
  virtual ~MessageObserver() = default;

  /// A NIC is about to send a packet: its headers, payload and content are there.
  virtual void sent(const p4::Packet& packet) = 0;
  /// A packet has come to a NIC that is on. The switch may have made it, or changed it.
  virtual void received(const p4::Packet& packet) = 0;
};

}  // namespace racksim::models

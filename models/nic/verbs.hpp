// What the users of a NIC implement and hand over: the receiving ends of its verbs.
#pragma once

#include <array>
#include <cstdint>

#include "models/packets/rack_context.hpp"
#include "p4model/language/packet.hpp"

namespace racksim::models {

/// Data in a work request: how much it is, and what it means to its protocol (as in p4::Packet::payload).
struct Payload {
  std::uint32_t bytes = 0;
  std::array<std::uint64_t, 2> words{};
  bool operator==(const Payload&) const = default;
};

/// Gets the packets of a raw packet queue pair.
class PacketHandler {
 public:
  virtual ~PacketHandler() = default;
  /// Called on the polling core after the cost of receiving.
  virtual void on_packet(p4::PacketRef packet) = 0;
};

/// Polls a completion queue.
class CompletionHandler {
 public:
  virtual ~CompletionHandler() = default;
  /// Called on the polling core for each signalled work request that the remote NIC has acknowledged, in their order.
  virtual void on_completion(std::uint64_t wr_id) = 0;
  /// Called on the polling core for each work request, signalled or not, of a queue pair whose retries ran out.
  virtual void on_failure(std::uint64_t wr_id) { static_cast<void>(wr_id); }
};

/// Gets the messages of SENDs.
class ReceiveHandler {
 public:
  virtual ~ReceiveHandler() = default;
  /// Called on the polling core after the cost of receiving.
  virtual void on_receive(NodeId from, const Payload& payload) = 0;
};

/// A server's memory as its NIC writes it.
class MemoryTarget {
 public:
  virtual ~MemoryTarget() = default;
  /// An RDMA WRITE has been written to memory, all of it; no core takes part. Called once a message, in the order of
  /// the queue pair, when its last segment lands.
  virtual void landed(NodeId from, std::uint64_t address, const Payload& payload) = 0;
};

}  // namespace racksim::models

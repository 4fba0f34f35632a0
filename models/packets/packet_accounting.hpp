// Where packets come from and where they end: the counts behind the conservation of packets.
//
//   created + copied = delivered + absorbed + dropped (by reason) + in flight
//
// Every place that makes or ends a packet counts it here, once; `Rack::packets_in_flight` counts the rest
// independently.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/metrics/metrics.hpp"

namespace racksim::models {

/// Why a packet was lost. The number is part of the event log's record.
enum class DropReason : std::uint8_t {
  loss,            ///< a wire's independent loss
  burst_loss,      ///< a wire's Gilbert-Elliott loss
  targeted,        ///< a wire was told to drop this one
  wire_down,       ///< the wire was down when it was sent, or went down before it arrived
  tail_drop,       ///< no room in the switch's buffer or queue
  switch_program,  ///< the switch's program dropped it, named no port, or resubmitted twice
  no_port,         ///< sent to a port where nothing is plugged in
  nic_off,         ///< the NIC is powered off
  no_queue_pair,   ///< no queue pair listens where it was sent
  ring_full,       ///< the queue pair's receive ring is full, or the buffer of a NIC that has stalled
  partition,       ///< its sender and its receiver are on different sides of a partition
  switch_off,      ///< it was in the switch when that lost power, or arrived while it was off
  wrong_address,   ///< it came to a NIC that has another MAC or IPv4 address
};
inline constexpr std::size_t kDropReasons = 13;

/// Whether only a fault loses packets for this reason; the others are for a program, or for too much load, to cause.
constexpr bool is_fault(DropReason reason) {
  switch (reason) {
    case DropReason::loss:
    case DropReason::burst_loss:
    case DropReason::targeted:
    case DropReason::wire_down:
    case DropReason::nic_off:
    case DropReason::partition:
    case DropReason::switch_off:
      return true;
    default:
      return false;
  }
}

/// The enumerator's name, as metrics and traces print it.
std::string_view to_string(DropReason reason);

/// The counters, registered under "packets.".
class PacketAccounting {
 public:
  explicit PacketAccounting(sim::Metrics& metrics);

  void create() { ++created_.value; }
  void copy() { ++copied_.value; }
  void deliver() { ++delivered_.value; }
  void absorb() { ++absorbed_.value; }
  void drop(DropReason reason) { ++dropped_[static_cast<std::size_t>(reason)]->value; }

  std::uint64_t created() const { return created_.value; }
  std::uint64_t copied() const { return copied_.value; }
  std::uint64_t delivered() const { return delivered_.value; }
  std::uint64_t absorbed() const { return absorbed_.value; }
  std::uint64_t dropped(DropReason reason) const { return dropped_[static_cast<std::size_t>(reason)]->value; }
  /// All drops together.
  std::uint64_t dropped() const;

  /// created + copied - delivered - absorbed - dropped.
  std::int64_t expected_in_flight() const;

 private:
  sim::Counter &created_, &copied_, &delivered_, &absorbed_;
  std::array<sim::Counter*, kDropReasons> dropped_{};
};

}  // namespace racksim::models

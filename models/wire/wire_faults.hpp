// What can go wrong on a wire: loss, bursts, duplicates, reordering, delay spikes, and chosen packets that are dropped,
// late or doubled.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/packets/addressing.hpp"
#include "models/packets/packet_accounting.hpp"
#include "p4model/language/packet.hpp"
#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::models {

/// Random faults of a wire. Each packet meets them independently, except for the burst state.
struct WireFaults {
  double loss = 0;  ///< probability that a packet is lost
  /// Gilbert-Elliott: a two-state chain that moves once a packet. Stationary loss is
  /// burst_enter / (burst_enter + burst_leave) * burst_loss.
  double burst_enter = 0;  ///< probability to go from good to bad before a packet
  double burst_leave = 1;  ///< probability to go from bad to good before a packet
  double burst_loss = 1;   ///< probability of loss in the bad state
  double duplicate = 0;    ///< probability that a second copy arrives
  double reorder = 0;      ///< probability that a copy is held back, alone, so that later packets overtake it
  sim::Duration reorder_delay = sim::Duration::from_ps(5'000'000);  ///< longest hold; uniform in (0, this]
  double spike = 0;  ///< probability that the wire stalls: this packet and those behind it are late
  sim::Duration spike_delay = sim::Duration::from_ps(20'000'000);
  sim::Duration jitter{};  ///< each packet is late by a uniform time in [0, this]; order is kept

  bool any() const;
  /// Declares all members; `prefix` ends in a dot or is empty.
  void declare(sim::Parameters& parameters, const std::string& prefix);
};

/// A set of servers, by their numbers.
using NodeSet = std::bitset<kMostNodes>;

/// A condition on a packet: it has a header of this name, whose named fields have these values, and it was made by one
/// of these servers. An empty name and no set of servers let every packet pass.
struct PacketMatch {
  std::string header = {};
  std::vector<std::pair<std::string, std::uint64_t>> fields = {};
  std::optional<NodeSet> origins = {};

  /// Throws std::runtime_error when the header has no field of a name.
  bool matches(const p4::Packet& packet) const;
};

/// A fault of `count` of the matching packets: number `first` (from 1), and from there on one of `every` so many.
struct TargetedFault {
  enum class Effect : std::uint8_t {
    drop,
    hold,      ///< the packet alone arrives late, and is overtaken
    stall,     ///< the packet is late, and those behind it wait
    duplicate  ///< a second copy arrives
  };
  Effect effect = Effect::drop;
  PacketMatch match;
  std::uint64_t first = 1;
  std::uint64_t count = 1;
  std::uint64_t every = 1;
  sim::Time from{}, until = sim::Time::max();  ///< packets whose first bit leaves in [from, until)
  DropReason reason = DropReason::targeted;    ///< of a drop
  /// Of a hold or stall; of a copy, how much later it arrives, alone, than right behind a packet that is not held.
  sim::Duration delay{};
  std::uint64_t seen = 0;  ///< matching packets so far
};

}  // namespace racksim::models

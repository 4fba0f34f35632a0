// A unidirectional wire: serialisation at its rate, propagation, and faults.
//
// A wire is a next-free instant: a packet that is ready earlier waits for the ones before it, and only its arrival is
// an event. Packets must be handed over in the order in which they are ready. They arrive in that order, however late
// faults make them and when these begin and end, but for those that a fault holds back alone (reorder, hold,
// a copy that comes later).
//
// Where an end takes so many packets a second, that is a resource beside the bits: a packet has its slot while the bits
// of others are sent, so a mix of sizes comes at the rate of the scarcer of the two, and not slower.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/usage/station.hpp"
#include "models/wire/packet_slots.hpp"
#include "models/wire/wire_faults.hpp"
#include "sim/random/random.hpp"
#include "sim/random/rare_chance.hpp"

namespace racksim::models {

/// Where a wire ends.
class PacketSink {
 public:
  virtual ~PacketSink() = default;
  /// The last bit of a packet has arrived at `port`.
  virtual void receive(p4::PacketRef&& packet, unsigned port) = 0;
  /// A wire at `port` has gone down, or is up again.
  virtual void carrier_changed(unsigned port, bool up) { static_cast<void>(port), static_cast<void>(up); }
};

/// One direction of a link.
class alignas(64) Wire {
 public:
  /// `name` ("node3-switch") names its lane, event source and random stream. Throws std::runtime_error when the rate
  /// is 0 or the propagation negative.
  Wire(RackContext& context, std::string name, std::uint64_t bits_per_second, sim::Duration propagation,
       PacketSink& sink, unsigned port);
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// Sends a packet that is ready at `ready`; returns the instant when its last bit has left, which may be before the
  /// wire takes the next one (`limit_packets`).
  sim::Time transmit(p4::PacketRef&& packet, sim::Time ready);

  /// For packets that stay on a loop with this wire and whose arrivals the caller computes itself (idle_ring.hpp), on a
  /// sound wire without faults. Sends one that is ready at `ready`, without an event; returns its arrival.
  sim::Time transmit_unseen(std::uint32_t bytes, sim::Time ready);
  /// Says that so many more have been sent so, and when their last bit left.
  void transmitted_unseen(std::uint64_t packets, std::uint64_t bytes, sim::Time free_at);
  /// Hands over one that was sent so and has not arrived: its arrival is an event again.
  void materialize(p4::PacketRef&& packet, sim::Time arrival);
  /// The lane of arrivals.
  sim::Lane lane() const { return lane_; }

  std::uint64_t bits_per_second() const { return bits_per_second_; }

  /// Packets are framed as InfiniBand frames them inside a subnet, with a local route header of 8 bytes and a variant
  /// CRC of 2 (specification, volume 1, chapters 5.2 and 7.8), in place of Ethernet, IPv4 and UDP headers, frame check
  /// sequence, preamble and gap. Before anything is sent.
  void frame_as_infiniband() { saved_bytes_ = kSavedByInfiniband; }
  /// Of the bytes of a packet on an Ethernet wire InfiniBand's framing needs so many less.
  static constexpr std::uint32_t kSavedByInfiniband = 14 + 20 + 8 + p4::kFcsBytes + p4::kPreambleAndGapBytes - (8 + 2);

  /// The far end takes so many packets a second at most, whatever their length, and this one waits for it as link-level
  /// flow control has it. 0: as many as there is room for. Before anything is sent.
  void limit_packets(std::uint64_t per_second) { slots_ = PacketSlots(per_second); }

  /// How long the bits of so many bytes of an Ethernet wire take, rounded up to a picosecond.
  sim::Duration serialisation(std::uint32_t bytes) const {
    const auto bits = std::int64_t{8} * (bytes - saved_bytes_);
    if (picoseconds_per_bit_ != 0) return sim::Duration::from_ps(bits * picoseconds_per_bit_);
    return sim::transmission_time(bits, static_cast<std::int64_t>(bits_per_second_));
  }

  /// When another packet may begin after what was handed over so far.
  sim::Time free_at() const { return std::max(free_at_, slots_.free_at()); }

  /// Sets the faults of packets whose first bit leaves in [from, until). Of several that hold at an instant the latest
  /// to begin counts, and of those that begin together the one set last. Switch and NIC hand packets over ahead of
  /// their start, so a change in mid-run is announced when the run begins.
  void set_faults(const WireFaults& faults, sim::Time from = {}, sim::Time until = sim::Time::max());
  /// How late any packet may be without a fault: the schedule's jitter. What is later is reported as a disturbance.
  void expect_jitter(sim::Duration jitter) { usual_jitter_ = jitter; }
  void add_targeted_fault(TargetedFault drop) { targeted_.push_back(std::move(drop)); }
  /// From `from` on the wire is sound: random faults, announced changes and targeted faults end. Announce it as far
  /// ahead as packets may be handed over before they start (the longest queue in front of a wire).
  void heal(sim::Time from);
  /// A wire that goes down now loses what is on it and what starts until it is up again. It is up when each call with
  /// false has been followed by one with true.
  void set_up(bool up);
  /// Has the end that sends told, at its `port`, when the wire goes down and when it is up, as the other end is.
  void tell_sender(PacketSink& sender, unsigned port) {
    sender_ = &sender;
    sender_port_ = port;
  }

  /// Packets that have been sent and have not arrived.
  std::uint64_t in_flight() const { return in_flight_; }
  /// Packets that were handed over, which may be ahead of their start, and their bytes.
  std::uint64_t packets_sent() const { return packets_sent_; }
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  /// How long packets have occupied it by now: their bits and, beside them, what takes so many packets a second.
  struct Occupied {
    sim::Duration bits, packets;
  };
  Occupied occupied() const;
  /// How long packets have waited for it by now, together; each that still waits is taken to need as long as all have in
  /// the mean.
  sim::Duration waited() const;
  Waits& waits() { return waits_; }
  /// Packets of which the far end has the last bit, and their bytes: what it has taken by now.
  std::uint64_t packets_arrived() const { return packets_arrived_; }
  std::uint64_t bytes_arrived() const { return bytes_arrived_; }
  const std::string& name() const { return name_; }
  /// Who it is in the event log.
  sim::Source source() const { return source_; }

 private:
  void change_faults(sim::Time start);
  void make_trials_ahead();
  void take_back_trials();
  void transmit_through_faults(p4::PacketRef&& packet, sim::Time start, sim::Duration serialisation);
  /// What targeted faults do to a packet, and whether chance loses it.
  struct FaultEffect {
    bool lost = false;
    sim::Duration hold, stall;
    /// A second copy that a fault names, held back so long. A copy by chance is held back like its packet.
    std::optional<sim::Duration> copy;
  };
  FaultEffect effect_of(const p4::Packet& packet, sim::Time start);
  /// `passage`: what there is to tell of it beside wire, start and arrival.
  void launch(p4::PacketRef&& packet, sim::Time start, sim::Time arrival, WirePassage passage = {});
  void arrive(p4::Packet* packet, sim::Time start);
  void report_late(const p4::Packet& packet, sim::Time start);

  struct FaultWindow {
    sim::Time from, until;
    WireFaults faults;
  };

  // What every packet needs lies on three cache lines, since a thousand wires compete for the processor's cache. Two are
  // for sending,
  RackContext& context_;
  std::int64_t picoseconds_per_bit_;  // 0 when that is no whole number, as it is for 10, 25, 40, 50, 100 and 200 Gbit/s
  PacketSlots slots_;
  sim::Time free_at_ = sim::Time::beginning();  // of bits
  sim::Duration propagation_;
  sim::Time next_change_ = sim::Time::max();  // when a fault window begins or ends
  std::uint64_t unharmed_ = 0;                // so many packets to come meet no fault by chance: their trials are made
  sim::Time last_arrival_ = sim::Time::beginning();  // of packets that keep their order
  sim::Duration usual_jitter_;
  std::vector<TargetedFault> targeted_;
  std::uint64_t packets_sent_ = 0;
  std::uint64_t bytes_sent_ = 0;
  // and the last one is for arriving too.
  alignas(64) PacketSink& sink_;
  std::uint64_t in_flight_ = 0;
  std::uint64_t packets_arrived_ = 0;
  std::uint64_t bytes_arrived_ = 0;
  sim::Time up_since_ = sim::Time::beginning();
  unsigned port_;
  unsigned cuts_ = 0;              // the wire is up when there are none
  std::uint32_t saved_bytes_ = 0;  // of each packet, by another framing than Ethernet's
  sim::Lane lane_;
  // What happens at a packet's start is computed ahead, so it has another source than what happens at its arrival.
  sim::Source source_, arrival_source_;

  Waits waits_;  // touched by those alone that wait
  std::string name_;
  std::uint64_t bits_per_second_;
  PacketSink* sender_ = nullptr;
  unsigned sender_port_ = 0;
  sim::RandomStream random_;
  WireFaults faults_;
  struct Chances {  // of the faults that a packet meets or not
    sim::RareChance loss, burst_enter, burst_leave, burst_loss, duplicate, reorder, spike;
    /// Those of which each packet is a trial as long as none happens.
    std::array<sim::RareChance*, 5> always() { return {&loss, &burst_enter, &duplicate, &reorder, &spike}; }
  };
  Chances chances_;
  bool in_burst_ = false;
  std::vector<FaultWindow> windows_;  // that are not over, in the order of their beginnings
};

}  // namespace racksim::models

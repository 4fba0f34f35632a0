// From the ingress to the wires: replication, the queues of the traffic manager, egress passes
// (docs/hardware.md 6.6).
//
//   ingress deparser --> traffic manager --PRE, queue--> egress parser, stages, deparser --> wire
//
// A packet is handed over at its slot, for the later instant at which it reaches the traffic manager, and its departure
// is computed then. That is exact: all pipes run the same program, so these instants have the order of slots, and
// queues, buffer and wires depend on nothing else. An egress pass without registers depends on the packet and the
// tables alone, and writes of the control plane take a slot too: it sees the tables as they were at its packet's
// ingress slot. An egress pass that may use registers is an event of its own, when the packet leaves its queue, because
// copies for different ports leave in another order than they came.
//
// A mirror copy that egress asks for comes to the traffic manager as late after its pass as a packet does after its
// slot: the model computes queues ahead by that much, and hardware's time is not published.
//
// Known simplifications: a pipe's egress starts any number of passes a cycle (ingress, at one a cycle, limits what
// reaches it); a queue takes packets in the order of their ingress slots, so a unicast packet does not slip between the
// copies of the multicast packet before it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/switch/idle_hook.hpp"
#include "models/switch/pipe_state.hpp"
#include "models/switch/stepped_passes.hpp"
#include "models/switch/switch_parts.hpp"
#include "models/switch/traffic_manager.hpp"
#include "p4model/execute/mirror_sessions.hpp"
#include "p4model/execute/replication.hpp"

namespace racksim::models {

class SwitchEgress final : EgressEnd {
 public:
  /// Speaks in the event log as `source` where packets are at the traffic manager.
  SwitchEgress(const SwitchParts& parts, sim::Source source);
  SwitchEgress(const SwitchEgress&) = delete;
  SwitchEgress& operator=(const SwitchEgress&) = delete;

  /// Adds the next pipe, in their order; its state must outlive this.
  void add_pipe(PipeState& state);
  /// Takes up the program that all pipes have been loaded with.
  void use(const p4::Pipeline& pipeline);
  /// Begins anew, as at a boot: no multicast groups, nothing in queues and buffer.
  void forget();
  /// Hangs a hook on the recirculation port of a pipe, or null.
  void hang(unsigned pipe, IdleHook* hook) { hooks_[pipe] = hook; }

  /// Takes a packet after its ingress pass in a pipe; it reaches the traffic manager at `when`. `keeper`, if not null,
  /// may keep the packet in place of the wire.
  void take(const PipeState& from, p4::PacketRef&& packet, const p4::Verdict& verdict, sim::Time when,
            IdleHook* keeper);

  /// Takes a mirror copy that ingress asked for; it reaches the traffic manager at `when`, in front of its packet.
  void take_mirror_copy(p4::MirrorCopy&& copy, sim::Time when);

  p4::ReplicationEngine& replication() { return replication_; }
  p4::MirrorSessions& mirror_sessions() { return mirror_sessions_; }
  TrafficManager& traffic_manager() { return traffic_manager_; }
  const TrafficManager& traffic_manager() const { return traffic_manager_; }
  /// Packets whose egress pass waits for the end of their queue, or is stepped.
  const HeldPackets& held() const { return held_; }

 private:
  /// A copy that has been taken by its queue, which it leaves then.
  struct Leaving {
    p4::Copy copy;
    sim::Time dequeued;
    sim::Time enqueued;         // for time stamps
    std::uint32_t queue_cells;  // the same
  };

  /// Takes a packet that has one copy.
  void offer(p4::PacketRef&& packet, const p4::Copy& copy, sim::Time when, IdleHook* keeper);
  /// Cells in a port's queue, for time stamps.
  std::uint32_t cells_at(unsigned port) const;
  void replicate(const PipeState& from, p4::PacketRef&& packet, const p4::Verdict& verdict, sim::Time when);
  /// Offers a copy that is ready at `ready` to its port's queue. Returns the instant when it leaves the queue, or
  /// nothing when it has been dropped.
  std::optional<sim::Time> enqueue(const p4::Copy& copy, sim::Time ready, const p4::Packet& packet);
  /// Takes a copy that leaves its queue at `dequeued` through egress.
  void dequeue(p4::PacketRef&& packet, const p4::Copy& copy, sim::Time dequeued, IdleHook* keeper);
  /// A whole egress pass, of which observers are told. False when the copy is dropped.
  bool run_egress(PipeState& state, p4::Packet& packet, const p4::EgressMetadata& metadata, sim::Time at);
  /// The event of an egress pass that may use registers.
  void run_pass(p4::Packet* packet, p4::Copy copy);
  /// Sends the copy that an egress pass for `port`, which ends at `end`, has asked for on its way.
  void mirror_behind_egress(PipeState& state, unsigned port, sim::Time end);
  /// The event of its being sent; `session_and_port` in the lower and upper 16 bits.
  void mirrored(p4::Packet* packet, std::uint32_t session_and_port);
  void egress_ended(p4::PacketRef&& packet, unsigned port, bool kept, sim::Time start) override;
  void leave(p4::PacketRef&& packet, unsigned port, bool kept, sim::Time dequeued, IdleHook* keeper);
  PipeState& state_at(unsigned port) { return *states_[parts_.ports.pipe_of(port)]; }

  SwitchParts parts_;
  sim::Source source_;
  TrafficManager traffic_manager_;
  p4::ReplicationEngine replication_;
  std::vector<PipeState*> states_;  // by pipe
  std::vector<sim::Lane> lanes_;    // the same
  std::vector<IdleHook*> hooks_;    // the same
  HeldPackets held_;
  bool egress_changes_headers_ = false;
  bool has_clock_ = false;
  p4::MirrorSessions mirror_sessions_;
  std::optional<sim::Lane> mirror_lane_;  // made for programs that mirror
  std::vector<p4::Copy> copies_;          // of the packet at the traffic manager
  std::vector<Leaving> leaving_;          // those that were taken
};

}  // namespace racksim::models

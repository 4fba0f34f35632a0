// A pipe from its slots to the end of ingress: packets and accesses of the control plane take slots, one a clock cycle,
// in the order of their arrival (docs/hardware.md 6.4, 6.5).
//
// A free slot is used at once; one that lies ahead is an event, so that passes run, and state changes, in the order of
// slots over all pipes. A pass that ends in a resubmission comes back for another slot when it has ended, with the
// packet as it came in.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/host/short_queue.hpp"
#include "models/packets/rack_context.hpp"
#include "models/switch/idle_hook.hpp"
#include "models/switch/pipe_state.hpp"
#include "models/switch/slot_access.hpp"
#include "models/switch/stepped_passes.hpp"
#include "models/switch/switch_egress.hpp"
#include "models/switch/switch_parts.hpp"
#include "sim/random/random.hpp"

namespace racksim::models {

class SwitchPipe final : IngressEnd {
 public:
  SwitchPipe(const SwitchParts& parts, SwitchEgress& egress, unsigned number);
  SwitchPipe(const SwitchPipe&) = delete;
  SwitchPipe& operator=(const SwitchPipe&) = delete;

  PipeState& state() { return state_; }
  const PipeState& state() const { return state_; }

  /// A packet has come by a port of this pipe.
  void receive(p4::PacketRef&& packet, unsigned port);
  /// Takes the next free slot for an access, which must live until it is executed.
  void access(SlotAccess& access) { enter({.access = &access}); }
  /// Cut, it loses what comes by its ports; what is inside goes on, and so do accesses of the control plane. It works
  /// when each call with false has been followed by one with true.
  void set_up(bool up) { cuts_ += up ? -1 : 1; }
  /// Has each resubmitted packet wait for a random time up to `most` before its next pass, so that one overtakes
  /// another; with zero they keep their order.
  void shuffle_resubmits(sim::Duration most);
  /// Loses the packets that wait for a slot, and has accesses wait for the boot.
  void power_off();

  /// How long its slots have been in use by now, and how long packets and accesses have waited for theirs, together.
  /// Those of the recirculation port are not among them: where they are idle, nobody waits.
  sim::Duration worked() const;
  sim::Duration waited() const;
  Waits& waits() { return waits_; }

  /// Packets that wait for a slot or for their second pass, or are in a stepped pass.
  const HeldPackets& held() const { return held_; }

  /// Hangs a hook on this pipe, or null.
  void hang(IdleHook* hook) { hook_ = hook; }
  /// For the hook: the pipe's next free slot, the lane on which a slot that lies ahead is an event, and a packet of the
  /// recirculation port that has arrived and waits for the next slot.
  sim::Time& next_slot() { return next_slot_; }
  /// Has it know of slots that passes took which were computed.
  void count_slots(std::uint64_t slots) { slots_ += slots; }
  sim::Lane slot_lane() const { return slot_lane_; }
  void wait(p4::PacketRef&& packet);

 private:
  /// Who takes a slot: a packet, or an access.
  struct Entry {
    p4::PacketRef packet{};
    p4::IngressMetadata metadata{};
    SlotAccess* access = nullptr;
  };

  void enter(Entry&& entry);
  void wait_for_slot(Entry&& entry);
  void refuse(Entry&& entry);
  void slot();
  void execute(Entry&& entry);
  void execute_access(SlotAccess& access);
  void ingress_pass(Entry&& entry);
  void ingress_ended(p4::PacketRef&& packet, const p4::IngressMetadata& metadata, const p4::Verdict& verdict,
                     sim::Time slot) override;
  /// Serves what the pass that has just ended asked for beside its verdict.
  void serve_requests(sim::Time done);
  void go_on(Entry&& entry, const p4::Verdict& verdict, sim::Time slot, IdleHook* keeper);
  void resubmitted();
  void resubmitted_out_of_order(std::uint64_t number);
  sim::Duration most_wait_of(sim::Time slot) const;

  SwitchParts parts_;
  SwitchEgress& egress_;
  PipeState state_;
  sim::Lane slot_lane_, resubmit_lane_;
  sim::Time next_slot_ = sim::Time::beginning();
  std::uint64_t slots_ = 0;  // taken
  Waits waits_;
  ShortQueue<Entry> waiting_;       // for their slots, which are events
  std::uint64_t lost_slots_ = 0;    // slots to come, the next ones, whose packets were lost with the power
  ShortQueue<Entry> resubmitting_;  // until their first pass has ended
  struct Shuffled {
    Entry entry;
    sim::Time slot;  // of its pass
  };
  std::vector<std::pair<sim::Time, sim::Duration>> shuffles_;  // since when resubmitted packets wait for so long
  sim::RandomStream wait_random_;
  std::map<std::uint64_t, Shuffled> shuffled_;  // those that wait so, by number
  std::uint64_t next_shuffled_ = 0;
  sim::Time last_off_ = sim::Time::beginning();
  HeldPackets held_;
  int cuts_ = 0;
  IdleHook* hook_ = nullptr;
};

}  // namespace racksim::models

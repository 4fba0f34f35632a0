// Passes that act on each stage at the stage's instant, one event a stage (PassMode::stepped), and accesses of the
// control plane between them.
//
// Packets never overtake each other in a pipeline, so a stepped pass ends in what a fused one computes in its slot;
// stepped is for traces, and for proving fused right. What follows a pass is told to whoever began it, when its last
// stage has acted. Who looks at the switch while passes are under way has them finished first, and so sees the same in
// both modes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/switch/pipe_state.hpp"
#include "models/switch/slot_access.hpp"
#include "models/switch/switch_name.hpp"
#include "models/switch/switch_timing.hpp"
#include "p4model/execute/replication.hpp"

namespace racksim::models {

/// Goes on with a packet whose ingress pass has ended, where a fused pass would be in its slot.
class IngressEnd {
 public:
  /// `slot` is when the pass began.
  virtual void ingress_ended(p4::PacketRef&& packet, const p4::IngressMetadata& metadata, const p4::Verdict& verdict,
                             sim::Time slot) = 0;

 protected:
  ~IngressEnd() = default;
};

/// The same for a copy and its egress pass. `kept` is false when the program drops it.
class EgressEnd {
 public:
  virtual void egress_ended(p4::PacketRef&& packet, unsigned port, bool kept, sim::Time start) = 0;

 protected:
  ~EgressEnd() = default;
};

class SteppedPasses {
 public:
  SteppedPasses(sim::Calendar& calendar, const SwitchTiming& timing, const SwitchName& name);

  /// Each begins now.
  void begin_ingress(PipeState& pipe, p4::PacketRef&& packet, const p4::IngressMetadata& metadata, IngressEnd& end);
  void begin_egress(PipeState& pipe, p4::PacketRef&& packet, const p4::EgressMetadata& metadata, EgressEnd& end);
  void begin_access(PipeState& pipe, SlotAccess& access);

  /// Makes all stages that are events, in the order in which they would be made. Nothing that happens later changes by
  /// it: no pass overtakes another, so one that has begun can be computed to its end.
  void finish();

 private:
  /// A pass, or an access in its slot.
  struct Stepped {
    enum class Use : std::uint8_t { free, ingress, egress, access };

    Use use = Use::free;
    p4::Pass pass;
    PipeState* pipe = nullptr;
    p4::PacketRef packet;
    p4::IngressMetadata metadata;  // of an ingress pass
    IngressEnd* ingress_end = nullptr;
    unsigned port = 0;  // of an egress pass
    EgressEnd* egress_end = nullptr;
    SlotAccess* access = nullptr;
    sim::Time start;
    int stage = 0;  // that comes next, at `next`
    sim::Time next;
    std::uint64_t turn = 0;  // orders those of one instant
    sim::EventId event;
  };

  Stepped& take(Stepped::Use use, PipeState& pipe);
  void give_back(Stepped& stepped);
  void step_at(Stepped& stepped, sim::Time when);
  /// The event of the next stage.
  void step(Stepped* stepped);
  /// Acts on the next stage. False if it was the last one; else the one after it has been planned.
  bool act(Stepped& stepped, p4::Gress gress);
  void ingress_stage(Stepped& stepped);
  void egress_stage(Stepped& stepped);
  void access_stage(Stepped& stepped);

  sim::Calendar& calendar_;
  const SwitchTiming& timing_;
  sim::Lane lane_;
  std::vector<std::unique_ptr<Stepped>> all_;  // under way or free
  std::vector<Stepped*> free_;
  std::uint64_t turns_ = 0;
};

}  // namespace racksim::models

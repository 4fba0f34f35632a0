// How long the passes of the loaded program take: parser, stages and deparser at the pipe's clock (docs/hardware.md
// 6.4, 7.5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/switch/switch_options.hpp"
#include "p4model/execute/pipeline.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::models {

class SwitchTiming {
 public:
  explicit SwitchTiming(const SwitchOptions& options);

  /// Takes up a program as it is placed; before, there are no stages and no latencies.
  void use(const p4::Pipeline& pipeline);

  sim::Duration cycle() const { return cycle_; }
  /// Between two copies of a multicast packet.
  sim::Duration copy_gap() const { return copy_gap_; }
  /// From a slot to the end of the ingress pass, and from there to the head of an empty queue.
  sim::Duration ingress_latency() const { return ingress_latency_; }
  sim::Duration traffic_manager_latency() const { return options_.traffic_manager_latency; }
  /// From a queue to the wire.
  sim::Duration egress_latency() const { return egress_latency_; }
  /// The nominal instant of a stage, relative to the slot of an ingress pass or the beginning of an egress pass. What
  /// touches the parser (SlotAccess::kParser) does so when the pass begins.
  sim::Duration stage_offset(p4::Gress gress, int stage) const {
    if (stage < 0) return {};
    return stage_offsets_[static_cast<std::size_t>(gress)].at(static_cast<std::size_t>(stage));
  }
  /// When, relative to its slot, an access to a stage meets the state that the passes before it leave and those after
  /// it find: an egress without registers is computed with the last stage of its packets' ingress.
  sim::Duration access_offset(p4::Gress gress, int stage) const {
    const bool with_ingress = gress == p4::Gress::egress && !egress_uses_registers_;
    return with_ingress ? stage_offsets_[0].back() : stage_offset(gress, stage);
  }
  bool egress_uses_registers() const { return egress_uses_registers_; }

 private:
  sim::Duration cycles(std::uint64_t n) const;

  const SwitchOptions& options_;
  sim::Duration cycle_, copy_gap_, ingress_latency_, egress_latency_;
  std::array<std::vector<sim::Duration>, 2> stage_offsets_;
  bool egress_uses_registers_ = false;
};

}  // namespace racksim::models

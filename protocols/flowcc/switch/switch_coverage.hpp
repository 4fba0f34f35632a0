// Marks what passes of the LCF pipeline exercise: seen from outside, by the packet before and after its pass
// and the registers that the pass meets.
#pragma once

#include <optional>

#include "models/switch/switch_chassis.hpp"
#include "protocols/flowcc/node/network.hpp"

namespace racksim::flowcc {

class SwitchOwner;

class SwitchCoverage final : public models::PassObserver {
 public:
  SwitchCoverage(Shared& shared, SwitchOwner& owner) : shared_(shared), owner_(owner) {}

  void before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) override;
  void after_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata,
                     const p4::Verdict& verdict) override;
  bool sees_idle_passes() const override { return false; }

 private:
  void note_move(const p4::Packet& packet, const p4::Verdict& verdict);
  void note_second_add(const p4::Packet& packet, const p4::IngressMetadata& metadata);

  Shared& shared_;
  SwitchOwner& owner_;
  // Of the packet whose pass is under way, if it is for the pipeline and of a block that the switch owns.
  std::optional<FlowCcHeader> request_;
  GlobalMetadata metadata_;
  LockState lock_ = LockState::free;
};

}  // namespace racksim::flowcc

// `co_await ArrayClear(...)`: a control-plane task clears a whole register array, as a switch's driver does by DMA
// rather than register by register. It crosses PCIe and takes one slot of the pipe, in the stage of the array.
#pragma once

#include <algorithm>
#include <coroutine>

#include "models/switch_chassis.hpp"
#include "sim/calendar.hpp"

namespace racksim::netcache {

/// The task must not be destroyed while it waits, unless the run is over.
class [[nodiscard]] ArrayClear final : public models::SlotAccess {
 public:
  /// `array` is one of an ingress control in `pipe`; `lane` one of the control plane.
  ArrayClear(models::SwitchChassis& chassis, sim::Calendar& calendar, sim::Lane lane, unsigned pipe,
             const p4::RegisterArray& array)
      : chassis_(chassis), calendar_(calendar), lane_(lane), pipe_(pipe), array_(array) {}
  ArrayClear(const ArrayClear&) = delete;
  ArrayClear& operator=(const ArrayClear&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    calendar_.at<&ArrayClear::arrive>(calendar_.now() + chassis_.options().control_latency, lane_, *this);
  }
  void await_resume() const noexcept {}

  p4::Gress gress() const override { return p4::Gress::ingress; }
  int stage() const override { return chassis_.pipeline(pipe_).placement().stage_of(array_); }
  void execute(p4::Pipeline& pipeline, sim::Time at) override {
    for (std::uint64_t i = 0; i < array_.size; ++i) pipeline.registers().write(array_.id, i, 0);
    chassis_.record_state(pipe_, gress(), stage(), at, 0, std::uint64_t{array_.id} << 32, 0, 0);
    const sim::Time slot = at - chassis_.stage_offset(gress(), stage());
    const sim::Time back = slot + chassis_.ingress_latency() + chassis_.options().control_latency;
    calendar_.at<&ArrayClear::finish>(std::max(back, at), lane_, *this);
  }

 private:
  void arrive() { chassis_.access(pipe_, *this); }
  void finish() { task_.resume(); }

  models::SwitchChassis& chassis_;
  sim::Calendar& calendar_;
  sim::Lane lane_;
  unsigned pipe_;
  const p4::RegisterArray& array_;
  std::coroutine_handle<> task_;
};

}  // namespace racksim::netcache

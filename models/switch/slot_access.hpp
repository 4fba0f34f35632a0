// What the control plane does to a pipe's state, in a slot of the pipe as packets have them. See control_cpu.hpp.
#pragma once

#include "p4model/execute/pipeline.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::models {

/// An access of the control plane to a pipe's state.
class SlotAccess {
 public:
  virtual ~SlotAccess() = default;
  /// The gress and stage whose state it touches; stage kParser is what comes before stage 0.
  static constexpr int kParser = -1;
  virtual p4::Gress gress() const = 0;
  virtual int stage() const = 0;
  /// Acts on the pipe's state; a nominal instant for the record.
  virtual void execute(p4::Pipeline& pipeline, sim::Time at) = 0;
};

}  // namespace racksim::models

// Where a pipe and the egress leave idle passes to somebody else: the passes of packets that go round by the pipe's
// recirculation port without changing anything need not be run (SwitchOptions::skip_idle_passes).
#pragma once

#include "p4model/execute/pipeline.hpp"
#include "p4model/language/packet.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::models {

/// Hung on a pipe, and on the egress for the pipe's recirculation port. Packets that it has kept are none of theirs.
class IdleHook {
 public:
  /// Makes the passes of the packets that are kept which come before the present event. To be called before the pipe's
  /// next slot, its recirculation queue or that port's wire is used. A packet that has come to wait for its slot is
  /// given back to the pipe.
  virtual void catch_up() = 0;
  /// Runs the ingress pass of a packet that came by the recirculation port. `idle` says whether the packet may be kept
  /// when it leaves by that port again.
  virtual p4::Verdict run_ingress(p4::Packet& packet, const p4::IngressMetadata& metadata, bool& idle) = 0;
  /// Takes the packet of the pass that was run last, which was idle, instead of the wire at `ready`. False if there may
  /// be no room to keep it; then it is left where it is.
  virtual bool keep(p4::PacketRef& packet, sim::Time ready) = 0;

 protected:
  ~IdleHook() = default;
};

}  // namespace racksim::models

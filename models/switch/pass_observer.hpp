// Looking at ingress passes from outside: what tests and the coverage of protocols hang on the switch.
#pragma once

#include <vector>

#include "p4model/execute/pipeline.hpp"
#include "p4model/language/packet.hpp"

namespace racksim::models {

/// Sees the passes of packets, from outside and without acting on them. In fused mode only: stepped passes overlap.
class PassObserver {
 public:
  virtual ~PassObserver() = default;
  virtual void before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) = 0;
  virtual void after_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata,
                             const p4::Verdict& verdict) = 0;
  /// The same of a copy that leaves its queue at `at`, which may lie ahead, for its egress pass; `kept` is false when
  /// the program drops it.
  virtual void before_egress(const p4::Packet&, const p4::EgressMetadata&, sim::Time /*at*/) {}
  virtual void after_egress(const p4::Packet&, const p4::EgressMetadata&, bool /*kept*/) {}
  /// Whether idle passes are run for this observer's sake. One that says no is told of the first of a row of them: the
  /// others meet the same headers and the same state (StarCache's cache packets go round millions of times).
  virtual bool sees_idle_passes() const { return true; }
};

/// Those of one switch, in the order in which they are told.
using PassObservers = std::vector<PassObserver*>;

}  // namespace racksim::models

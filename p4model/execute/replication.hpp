// The packet replication engine: multicast groups of copies, each a descriptor (models/hardware.md 6.6).
//
// A group is an ordered list of nodes, each a replication id and a set of ports (hardware holds a bit a port, so that
// one that is listed twice gets one copy, and what stands for no port gets none). A packet may name two groups: the
// copies of A come before those of B, node by node and port by port. The packet's L2 exclusion id names ports to be
// left out of nodes whose replication id equals the packet's own.
#pragma once

#include <cstdint>
#include <vector>

#include "p4model/execute/pipeline.hpp"

namespace racksim::p4 {

/// One copy of a packet: where it leaves, and the replication id that egress sees.
struct Copy {
  std::uint16_t port;
  std::uint16_t rid;
  bool operator==(const Copy&) const = default;
};

struct MulticastNode {
  std::uint16_t rid = 0;
  std::vector<std::uint16_t> ports;
};

class ReplicationEngine {
 public:
  static constexpr std::uint16_t kMaxExclusionId = 287;

  /// The control plane loads, replaces or removes a group.
  void set_group(std::uint16_t group, const std::vector<MulticastNode>& nodes);
  void remove_group(std::uint16_t group);
  /// Ports left out for an L2 exclusion id. Throws std::runtime_error above 287.
  void set_exclusion(std::uint16_t id, std::vector<std::uint16_t> ports);

  /// Appends all copies that a verdict asks for: unicast (rid 0), then group A, then group B. A group that is not
  /// loaded gives none.
  void replicate(const Verdict& verdict, std::vector<Copy>& out) const;

  std::size_t groups() const { return loaded_; }

 private:
  void replicate_group(std::int32_t group, const Verdict& verdict, std::vector<Copy>& out) const;

  std::vector<std::vector<Copy>> groups_;  // by id, as long as the largest id loaded
  std::vector<std::vector<std::uint16_t>> exclusions_;
  std::size_t loaded_ = 0;
};

}  // namespace racksim::p4

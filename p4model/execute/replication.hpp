// The packet replication engine: multicast groups of copies, each a descriptor (docs/hardware.md 6.6).
//
// A group is an ordered list of nodes, each a replication id and a set of ports (hardware holds a bit a port, so that
// one that is listed twice gets one copy, and what stands for no port gets none). A packet may name two groups: the
// copies of A come before those of B, node by node and port by port. The packet's L2 exclusion id names ports to be
// left out of nodes whose replication id equals the packet's own.
//
// Nodes may form an ECMP set, of which the packet's level-1 hash takes one, and name LAGs, of which its level-2 hash
// takes a member each: the hash modulo the number of nodes, or of members that work. Its level-1 exclusion id leaves
// out the nodes that have it; one that was chosen in an ECMP set is not replaced then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
  std::vector<std::uint16_t> lags{};         ///< of each one member, behind the ports
  std::optional<std::uint16_t> exclusion{};  ///< left out of a packet's copies by the same level-1 exclusion id
  std::optional<std::uint16_t> ecmp{};       ///< of a group's nodes with the same number one is taken
};

class ReplicationEngine {
 public:
  static constexpr std::uint16_t kMaxExclusionId = 287;
  /// The same of this switch: a larger one than Tofino has one for each of its ports.
  std::uint16_t most_exclusion() const {
    return no_port_ == no_port() ? kMaxExclusionId : static_cast<std::uint16_t>(no_port_ - 1);
  }

  /// Of a switch whose ports have numbers of so many bits.
  explicit ReplicationEngine(unsigned port_bits = kPortBits) : no_port_(no_port(port_bits)) {}

  static constexpr std::uint16_t kMostLags = 256;
  static constexpr std::size_t kMostOfEcmp = 32;

  /// The control plane loads, replaces or removes a group. Throws std::runtime_error for more than 32 nodes of one ECMP
  /// set, and a LAG above 255.
  void set_group(std::uint16_t group, const std::vector<MulticastNode>& nodes);
  void remove_group(std::uint16_t group);
  /// Ports left out for an L2 exclusion id. Throws std::runtime_error above the most.
  void set_exclusion(std::uint16_t id, std::vector<std::uint16_t> ports);
  /// The members of a LAG that work; none to begin with. Throws std::runtime_error above 255.
  void set_lag(std::uint16_t id, std::vector<std::uint16_t> ports);

  /// Appends all copies that a verdict asks for: unicast (rid 0), then group A, then group B. A group that is not
  /// loaded gives none.
  void replicate(const Verdict& verdict, std::vector<Copy>& out) const;

  std::size_t groups() const { return loaded_; }

 private:
  void replicate_group(std::int32_t group, const Verdict& verdict, std::vector<Copy>& out) const;
  void replicate_selecting(const std::vector<MulticastNode>& nodes, const Verdict& verdict,
                           std::vector<Copy>& out) const;
  /// The ports of a node as hardware's bit vector has them, in the order of the list.
  std::vector<std::uint16_t> each_once(const std::vector<std::uint16_t>& ports) const;
  /// Whether the packet's L2 exclusion leaves a copy out.
  bool is_pruned(const Copy& copy, const Verdict& verdict) const;

  std::uint16_t no_port_;
  std::map<std::uint16_t, std::vector<MulticastNode>> selecting_;  // groups in which something is chosen
  std::vector<std::vector<std::uint16_t>> lags_;
  std::vector<std::vector<Copy>> groups_;  // the others, by id, as long as the largest id loaded
  std::vector<std::vector<std::uint16_t>> exclusions_;
  std::size_t loaded_ = 0;
};

}  // namespace racksim::p4

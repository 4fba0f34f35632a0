// Which server is the shadow node, and who takes over when it fails (Concordia §5.4: "we designate a new shadow node
// among backups with the help of ZooKeeper. The new shadow node reconstructs the SHADOW-TAG by reading the TAG array of
// the switch").
//
// All servers are members of the group (models/membership), that of the shadow node too. When its lease is over the
// coordinator (recovery.hpp) designates another: the server that the options name, if it is there, or else a memory
// node, on the core behind its agents'. Then, one step after the other,
//
//   switch   copies answers to ADD to it, by groups and an address that the control CPU sets
//   agents   of all nodes are told where to send reports and lists
//   begin    its program begins, and knows nothing
//   read     the control CPU reads the TAG arrays for it, so many places a request. Heat it learns from reports alone
//
// A server that comes back stands by: it is the shadow node again only if nobody is, or when the present one fails. One
// that was suspected and lives goes on as a second shadow node, with what it knows, until it is told or a recovery ends
// its incarnation: its notices are hints as any. Where all stop, since the failed server was a memory node's or another
// fails, the recovery does what the steps do, and the new one begins at its end, when the switch has no block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/membership/membership.hpp"
#include "protocols/flowcc/control/shadow_node.hpp"
#include "protocols/flowcc/switch/switch_owner.hpp"

namespace racksim::flowcc {

class ShadowSuccession {
 public:
  /// Puts the program on each server that may be the shadow node. The first, `shadow.node` or the rack's last server,
  /// is it.
  ShadowSuccession(Shared& shared, SwitchOwner& owner);

  /// Adds the actors that have the programs scan. Without them a test calls `scan`.
  void add_actors(sim::Engine& engine, std::span<const sim::HostId> servers) {
    for (const auto& shadow : shadows_) {
      if (shadow) shadow->add_actor(engine, servers[shadow->server()]);
    }
  }
  /// All scan that serve.
  void scan() {
    for (const auto& shadow : shadows_) {
      if (shadow) shadow->scan();
    }
  }
  void node_crashed(NodeId server) {
    if (shadows_[server]) shadows_[server]->crash();
  }

  /// The server that is the shadow node, or is about to be; none if nobody can.
  std::optional<NodeId> present() const { return present_; }
  /// The program on a server, or null.
  const ShadowNode* on(NodeId server) const { return shadows_[server].get(); }

  /// A server is taken for dead. Returns whether another has been designated.
  bool lost(NodeId server, const models::Membership& membership);
  /// One comes back. Returns whether it has been designated.
  bool came_back(NodeId server, const models::Membership& membership);
  /// The steps, in this incarnation. Leaves them to a recovery that begins meanwhile.
  sim::Task<void> take_over(models::Membership& membership, std::uint32_t incarnation);

  // What a recovery does.

  /// A node is told which server is the shadow node.
  void tell(NodeId node) {
    if (present_) shared_.shadow_of[node] = *present_;
  }
  /// All blocks are their homes'.
  void begin_anew(std::uint32_t incarnation) {
    if (present_ && shared_.rack.server(*present_).is_on()) shadows_[*present_]->begin(incarnation);
  }

 private:
  /// How many places the control CPU reads for one request.
  static constexpr std::uint64_t kBatch = 1024;

  void designate(std::optional<NodeId> server);
  sim::Task<void> address();
  sim::Task<void> begin(ShadowNode& shadow, std::uint64_t term, std::uint32_t incarnation);
  sim::Task<void> read(ShadowNode& shadow, std::uint64_t term, std::uint32_t incarnation);

  Shared& shared_;
  SwitchOwner& owner_;
  std::vector<std::unique_ptr<ShadowNode>> shadows_;  // by server
  std::vector<NodeId> candidates_;                    // in the order in which they are designated
  std::optional<NodeId> present_;
  std::uint64_t term_ = 0;  // how often one has been designated
  sim::Clock clock_;        // of the control CPU and the management network
};

}  // namespace racksim::flowcc

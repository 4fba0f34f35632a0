// See control_plane.hpp.
#include "protocols/flowcc/control/control_plane.hpp"

#include <algorithm>
#include <utility>

namespace racksim::flowcc {

MigratingControlPlane::MigratingControlPlane(Shared& shared, const std::vector<MemoryNode*>& nodes, SwitchOwner& owner,
                                             Recovery::Service lose, std::function<void()> free_locks)
    : shared_(shared),
      nodes_(nodes),
      shadows_(shared, owner),
      watch_(shared, owner, {nodes.begin(), nodes.end()}),
      recovery_(shared, nodes, owner, shadows_, std::move(lose), std::move(free_locks)) {
  shared.rack.chassis().add_pass_observer(watch_);
}

void MigratingControlPlane::add_actors(sim::Engine& engine, std::span<const sim::HostId> servers) {
  shadows_.add_actors(engine, servers);
  recovery_.add_actors(engine);
}

bool MigratingControlPlane::takes_back(NodeId node) const {
  return node < nodes_.size() && shared_.options.recovery.of_nodes == RecoveryOptions::OfNodes::rebuild;
}

// When the home is back it gets what is left.
void MigratingControlPlane::show_homeless(sim::StateVisitor& visitor) const {
  for (const auto& [tag, writes] : recovery_.what_is_left()) {
    const bool dirty = std::ranges::any_of(nodes_, [tag = tag](const MemoryNode* node) {
      const CacheEntry* entry = node->cache().find(tag);
      return entry != nullptr && entry->state == CacheEntry::State::dirty;
    });
    if (shared_.is_homeless(tag) && writes > 0 && !dirty) visitor.home(tag, shared_.writes.after(tag, writes));
  }
}

}  // namespace racksim::flowcc

// The locks that FlowCC offers as a memory service: what is refused, and what becomes of those of dead threads. See
// block_locks.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "protocols/flowcc/flowcc.hpp"

namespace racksim::flowcc {

void FlowCc::check(models::Session session, sim::OperationKind kind, sim::Key block) const {
  const BlockLocks& locks = nodes_[session.node]->locks();
  std::string wrong;
  if (sim::requests_lock(kind)) wrong = locks.refusal(session.thread, block);
  if (kind == sim::OperationKind::unlock && !locks.holds(session.thread, block)) {
    wrong = fmt::format("node {}, thread {} holds no lock of block {}", session.node, session.thread,
                        sim::printed_key(block));
  }
  if (!wrong.empty()) throw std::invalid_argument(wrong);
}

bool FlowCc::holder_died(models::Session session, models::GlobalAddress address) const {
  const auto& held = nodes_[session.node]->locks().held();
  return std::any_of(held.begin(), held.end(),
                     [&](const BlockLocks::Held& lock) { return lock.tag == block_of(address) && lock.after_death; });
}

// Their histories hold them until a recovery has freed them.
void FlowCc::note_dead_locks(NodeId node) {
  for (const BlockLocks::Held& held : nodes_[node]->locks().held()) {
    for (const unsigned thread : held.threads)
      dead_locks_.push_back({{node, static_cast<std::uint16_t>(thread)}, held.tag});
  }
}

// No cache agent has reported them.
void FlowCc::free_dead_locks() {
  for (const DeadLock& lock : dead_locks_) {
    unlock_for_dead(lock.holder, lock.tag);
    shared_.orphans.insert(lock.tag);
  }
  dead_locks_.clear();
}

void FlowCc::refuse_to_free_locked(models::GlobalAddress first) const {
  const std::uint64_t bytes = allocation_->size_of(first);
  if (bytes == 0) return;
  for (std::uint64_t block = block_of(first); block <= block_of({first.value + bytes - 1}); ++block) {
    for (const auto& node : nodes_) {
      if (!node->locks().any_held(Tag{block})) continue;
      throw std::invalid_argument(fmt::format("block {}, which is to be freed, is locked by node {}",
                                              sim::printed_key(Tag{block}), node->id()));
    }
  }
}

}  // namespace racksim::flowcc

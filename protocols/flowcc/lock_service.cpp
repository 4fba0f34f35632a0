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

// Their histories hold them until a recovery has freed them. For the record alone: who gets one next learns from its
// messages that the holder has died.
void FlowCc::note_dead_locks(NodeId node) {
  for (const BlockLocks::Held& held : nodes_[node]->locks().held()) {
    if (held.number->logs_lock()) continue;  // no application has it yet
    for (const unsigned thread : held.threads)
      dead_locks_.push_back({{node, static_cast<std::uint16_t>(thread)}, held.tag});
  }
}

// No cache agent has reported them. Of a node that has crashed since it reported its own homes do not know yet.
void FlowCc::free_dead_locks() {
  std::vector<DeadLock> left;
  for (const DeadLock& lock : dead_locks_) {
    if (is_absent(lock.holder.node)) {
      unlock_for_dead(lock.holder, lock.tag);
    } else {
      left.push_back(lock);
    }
  }
  dead_locks_ = std::move(left);
}

// At rest logs have what is held, and witnesses and homes know of the same orphans.
std::vector<models::Leak> FlowCc::wrong_lock_logs() const {
  std::vector<models::Leak> wrong;
  const auto report = [&](Tag tag, std::string what) {
    wrong.push_back({"wrong-lock-log", std::move(what), {tag, {}}});
  };
  const auto holds = [this](unsigned requester, Tag tag) {
    return std::ranges::any_of(nodes_[shared_.node_of(requester)]->locks().held(), [&](const BlockLocks::Held& held) {
      return held.tag == tag && held.number->number().number() == requester;
    });
  };
  for (const auto& node : nodes_) {
    if (node->crashed()) continue;
    node->lock_log().visit([&](unsigned requester, Tag tag) {
      if (holds(requester, tag)) return;
      report(tag, fmt::format("node {} keeps in its log that requester {} has the lock of block {}, which it has not",
                              node->id(), requester, sim::printed_key(tag)));
    });
    const auto witness = node->lock_log().witness();
    for (const BlockLocks::Held& held : node->locks().held()) {
      const unsigned requester = held.number->number().number();
      if (!witness || nodes_[*witness]->lock_log().has(requester, held.tag)) continue;
      report(held.tag, fmt::format("requester {} has the lock of block {}, which is not in the log of node {}",
                                   requester, sim::printed_key(held.tag), *witness));
    }
    for (const Tag tag : node->lock_log().orphans()) {
      if (shared_.is_homeless(tag) || nodes_[home_of(tag)]->home_agent().directory().is_orphan(tag)) continue;
      report(tag, fmt::format("node {} knows that somebody has died with the lock of block {}, and its home does not",
                              node->id(), sim::printed_key(tag)));
    }
  }
  return wrong;
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

// What a witness keeps, and who is one. See lock_log.hpp.
#include "protocols/flowcc/node/lock_log.hpp"

namespace racksim::flowcc {

void LockLog::choose_witness() {
  witness_.reset();
  if (!shared_.options.logs_locks()) return;
  const auto nodes = static_cast<NodeId>(shared_.shape.nodes);
  for (NodeId step = 1; step < nodes && !witness_; ++step) {
    const auto next = static_cast<NodeId>((node_ + step) % nodes);
    if (shared_.takes_part(next, incarnation())) witness_ = next;
  }
}

void LockLog::written(const LoggedLock& lock) {
  if (lock.held) {
    entries_[lock.requester] = {lock.tag, incarnation()};
  } else {
    entries_.erase(lock.requester);
  }
}

void LockLog::holders_died() {
  std::erase_if(entries_, [this](const auto& entry) {
    const bool dead = shared_.absent[shared_.node_of(entry.first)];
    if (dead) orphans_.insert(entry.second.tag);
    return dead;
  });
}

void LockLog::drop_old() {
  std::erase_if(entries_, [this](const auto& entry) { return entry.second.incarnation != incarnation(); });
}

}  // namespace racksim::flowcc

// Locks of blocks: applications hold the protocol's own LOCK word (Concordia §6 offers "synchronization primitives";
// how they are made is decided here).
//
// If an application held the word beside coherence, every request on the block would be refused meanwhile, its own
// included. So a request brings data, permission and lock in one event, as a miss or an upgrade does, and only its
// unlock waits for the application. A node that holds a copy asks by LOCK (exclusive), which takes the others' copies
// away, or by LOCK (shared); one that holds none sends WRITE-MISS or READ-MISS. Its first holder's dirty copy is
// written back under a shared lock, so that others can read the block. Until the unlock the block is pinned in the
// cache, the node's threads hit locally, and requests of other nodes are refused: under a shared lock all but READ-MISS
// and LOCK (shared).
//
// Each lock that is held needs scores of its own, so it is a requester with its own number: a thread has a pool of
// them.
//
// Between threads of one node: they share a shared lock, whose number stays in use until the last gives it back; else
// they wait for each other here and then ask the owner again, or get the lock handed over, so many times in a row
// (`locks.local_handover`), without a message. Plain accesses of siblings pass.
//
// A try-lock is asked again when it has lost a race for the block's state, not when somebody has the lock; and that may
// be another node's coherence event, for the word is the same.
//
// Where nodes recover from crashes another node keeps a log of the locks that are held, by which the next holder of a
// lock is told that the last one has died (lock_log.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/service/memory_service.hpp"
#include "protocols/flowcc/node/requester.hpp"

namespace racksim::flowcc {

/// The locks of one node's threads.
class BlockLocks {
 public:
  BlockLocks(Shared& shared, NodeState& node, const std::vector<std::unique_ptr<Requester>>& requesters)
      : shared_(shared), node_(node), requesters_(requesters), answered_(shared.calendar) {}

  /// Takes a lock; returns whether it is granted, which it is unless `tries`. Throws models::Unavailable if the block's
  /// home is down.
  sim::Task<bool> lock(unsigned thread, Tag tag, models::LockMode mode, bool tries, sim::OperationId operation);
  /// Gives it back.
  sim::Task<void> unlock(unsigned thread, Tag tag);

  /// Why a thread cannot take another lock of a block; empty if it can.
  std::string refusal(unsigned thread, Tag tag) const;
  /// Whether a thread holds a lock of a block.
  bool holds(unsigned thread, Tag tag) const {
    const Held* held = find(tag);
    return held != nullptr && std::find(held->threads.begin(), held->threads.end(), thread) != held->threads.end();
  }
  bool any_held(Tag tag) const { return find(tag) != nullptr; }

  /// A lock that the node holds.
  struct Held {
    Tag tag = 0;
    TimedRunner* number = nullptr;
    models::LockMode at_owner = models::LockMode::exclusive;
    models::LockMode mode = models::LockMode::exclusive;  ///< among the node's threads
    std::vector<unsigned> threads;                        ///< who has it
    std::uint64_t handed_over = 0;                        ///< times in a row
    bool after_death = false;                             ///< its last holder has died with it
  };
  const std::vector<Held>& held() const { return held_; }

  /// Calls `visit(who, whom)` for each thread that waits for another's lock.
  template <class Visit>
  void visit_waiting(Visit&& visit) const {
    for (const Waiting* waiting : queue_) {
      const Held* held = find(waiting->tag);
      for (const unsigned thread : held != nullptr ? held->threads : std::vector<unsigned>{}) {
        visit(waiting->thread, thread, waiting->tag);
      }
    }
  }

  /// The node has crashed.
  void crash() {
    held_.clear();
    queue_.clear();
    asked_for_.clear();
  }

 private:
  // A thread that wants a lock.
  struct Waiting {
    Tag tag = 0;
    unsigned thread = 0;
    models::LockMode mode = models::LockMode::exclusive;
    bool granted = false;
    sim::Signal changed;
  };

  TimedRunner* free_number(unsigned thread);
  Waiting* first_in_queue(Tag tag) const {
    const auto first =
        std::find_if(queue_.begin(), queue_.end(), [tag](const Waiting* w) { return w->tag == tag && !w->granted; });
    return first == queue_.end() ? nullptr : *first;
  }
  void leave(Waiting& place) {
    std::erase(queue_, &place);
    wake(place.tag);
  }
  /// Who is first in the queue for a block looks again.
  void wake(Tag tag) {
    if (Waiting* first = first_in_queue(tag)) first->changed.notify_all();
  }
  sim::Task<bool> ask_owner(unsigned thread, Tag tag, models::LockMode mode, bool& busy, sim::OperationId operation);
  void answered(Tag tag) {
    std::erase(asked_for_, tag);
    answered_.notify_all();
  }
  MessageType request_for(Tag tag, models::LockMode mode) const;
  bool hand_over(Held& held);
  Held* find(Tag tag);
  const Held* find(Tag tag) const { return const_cast<BlockLocks*>(this)->find(tag); }

  Shared& shared_;
  NodeState& node_;
  const std::vector<std::unique_ptr<Requester>>& requesters_;  // by thread
  std::vector<Held> held_;                                     // few: what threads hold now
  std::vector<Waiting*> queue_;                                // in the order in which they came
  std::vector<Tag> asked_for_;                                 // by threads that have no answer yet
  sim::Signal answered_;
};

}  // namespace racksim::flowcc

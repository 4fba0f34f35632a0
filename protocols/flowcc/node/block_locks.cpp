// How locks are taken and given back. See block_locks.hpp.
#include "protocols/flowcc/node/block_locks.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/host/core_wait.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

using models::LockMode;

BlockLocks::Held* BlockLocks::find(Tag tag) {
  const auto held = std::find_if(held_.begin(), held_.end(), [tag](const Held& h) { return h.tag == tag; });
  return held == held_.end() ? nullptr : &*held;
}

std::string BlockLocks::refusal(unsigned thread, Tag tag) const {
  const std::string name = fmt::format("node {}, thread {}", node_.id(), thread);
  if (holds(thread, tag)) return fmt::format("{} holds a lock of block {} already", name, sim::printed_key(tag));
  const auto held = std::count_if(held_.begin(), held_.end(), [&](const Held& h) { return holds(thread, h.tag); });
  if (static_cast<std::uint64_t>(held) < shared_.locks_per_thread()) return "";
  return fmt::format("{} holds {} locks, as many as it may (locks.per_thread)", name, held);
}

// Whoever waits keeps its place until it has the lock, so that a node's threads get it in the order of asking.
sim::Task<bool> BlockLocks::lock(unsigned thread, Tag tag, LockMode mode, bool tries, sim::OperationId operation) {
  co_await models::occupy(requesters_[thread]->core(), shared_.options.local_access);
  Waiting place{.tag = tag, .thread = thread, .mode = mode, .granted = false, .changed = sim::Signal(shared_.calendar)};
  if (!tries) queue_.push_back(&place);
  for (bool granted = false; !granted;) {
    while (node_.stopped()) co_await node_.resumed().wait();
    if (place.granted) break;  // handed over
    Held* held = find(tag);
    const Waiting* first = first_in_queue(tag);
    const bool next = first == nullptr || first == &place;
    if (held != nullptr && held->number->logs_lock()) {
      co_await held->number->lock_logged().wait();
      continue;
    }
    if (next && held != nullptr && mode == LockMode::shared && held->mode == LockMode::shared) {
      held->threads.push_back(thread);
      break;
    }
    if (held != nullptr || !next) {
      if (tries) co_return false;
      ++shared_.counters.waits_for_sibling.value;
      co_await place.changed.wait();
      continue;
    }
    if (std::ranges::find(asked_for_, tag) != asked_for_.end()) {  // a sibling that tries, and may have it by now
      co_await answered_.wait();
      continue;
    }
    if (TimedRunner* sibling = event_on(node_, tag)) {
      co_await sibling->ended().wait();
      continue;
    }
    bool busy = false;
    try {
      requesters_[thread]->find_home(tag);
      granted = co_await ask_owner(thread, tag, mode, busy, operation);
    } catch (const models::Unavailable&) {
      answered(tag);
      leave(place);
      throw;
    }
    if (busy && tries) co_return false;
  }
  leave(place);
  co_return true;
}

// What the node has of the block says what it is to ask for.
MessageType BlockLocks::request_for(Tag tag, LockMode mode) const {
  const CacheEntry* entry = node_.cache().find(tag);
  const bool cached = entry != nullptr && entry->valid();
  if (mode == LockMode::shared) return cached ? MessageType::lock_shared : MessageType::read_miss;
  return cached ? MessageType::lock_exclusive : MessageType::write_miss;
}

sim::Task<bool> BlockLocks::ask_owner(unsigned thread, Tag tag, LockMode mode, bool& busy, sim::OperationId operation) {
  TimedRunner* number = free_number(thread);
  asked_for_.push_back(tag);
  const auto outcome = co_await requesters_[thread]->obtain(*number, request_for(tag, mode), tag, operation, true);
  answered(tag);
  busy = outcome == TimedRunner::Outcome::busy;
  if (outcome != TimedRunner::Outcome::done) co_return false;
  Held& held = held_.emplace_back();
  held.tag = tag;
  held.number = number;
  held.at_owner = held.mode = mode;
  held.threads.push_back(thread);
  held.after_death = number->event().after_death();
  if (CacheEntry* entry = node_.cache().find(tag)) entry->locked = true;
  ++shared_.counters.block_locks.value;
  if (held.after_death) ++shared_.counters.locks_after_death.value;
  co_await number->log_lock();
  while (node_.stopped()) co_await node_.resumed().wait();
  co_return true;
}

// A number of a sibling, if all of its own are in use: then one of them has gone to a sibling with its lock.
TimedRunner* BlockLocks::free_number(unsigned thread) {
  TimedRunner* number = requesters_[thread]->lock_number();
  for (const auto& sibling : requesters_) {
    if (number == nullptr) number = sibling->lock_number();
  }
  RACKSIM_INVARIANT(number != nullptr, "a node has a number for each lock that its threads may hold");
  return number;
}

sim::Task<void> BlockLocks::unlock(unsigned thread, Tag tag) {
  co_await models::occupy(requesters_[thread]->core(), shared_.options.local_access);
  while (node_.stopped()) co_await node_.resumed().wait();
  Held* held = find(tag);
  std::erase(held->threads, thread);
  if (!held->threads.empty() || hand_over(*held)) co_return;
  if (CacheEntry* entry = node_.cache().find(tag)) entry->locked = false;
  held->number->release(!shared_.is_homeless(tag));
  held_.erase(held_.begin() + (held - held_.data()));
  wake(tag);
}

// To the thread that has waited longest, and, if that wants to share it, to all behind it that do.
bool BlockLocks::hand_over(Held& held) {
  if (held.at_owner != LockMode::exclusive || held.handed_over >= shared_.options.locks.local_handover) return false;
  for (Waiting* waiting : queue_) {
    if (waiting->tag != held.tag || waiting->granted) continue;
    if (!held.threads.empty() && waiting->mode != LockMode::shared) break;
    held.mode = waiting->mode;
    held.threads.push_back(waiting->thread);
    waiting->granted = true;
    waiting->changed.notify_all();
    if (held.mode == LockMode::exclusive) break;
  }
  if (held.threads.empty()) return false;
  held.after_death = false;
  ++held.handed_over;
  ++shared_.counters.handovers.value;
  return true;
}

}  // namespace racksim::flowcc

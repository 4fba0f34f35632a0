// The requester's operations. See requester.hpp.
#include "protocols/flowcc/node/requester.hpp"

#include <fmt/core.h>

#include <utility>

#include "models/host/core_wait.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

Requester::Requester(Shared& shared, NodeState& node, unsigned thread, models::Core& core)
    : shared_(shared),
      node_(node),
      thread_(thread),
      core_(core),
      endpoint_(shared, node.id(), core, *this, *this),
      runner_(shared, node, core, endpoint_, RequesterId{shared.requester_of(node.id(), thread)},
              fmt::format("node{}/thread{}", node.id(), thread)) {}

sim::Task<void> Requester::read(models::MemoryAccess access, sim::Value& value, sim::OperationId operation) {
  const Tag tag = access.first;
  co_await models::occupy(core_, shared_.options.local_access + models::copy_time(access.bytes));
  for (bool local = true;; local = false) {
    while (node_.stopped()) co_await node_.resumed().wait();
    // A clean or dirty copy is readable, whatever event may be under way on it (§6, "Cache").
    if (CacheEntry* entry = node_.cache().find(tag); entry != nullptr && entry->valid()) {
      if (local) ++shared_.counters.local_hits.value;
      shared_.coverage.race_if(entry->busy, races.read_during_own_event);
      node_.cache().touch(*entry);
      value = entry->value;
      co_return;
    }
    find_home(tag);
    co_await obtain_for_access(MessageType::read_miss, tag, operation);
  }
}

sim::Task<void> Requester::write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) {
  const Tag tag = access.first;
  co_await models::occupy(core_, shared_.options.local_access + models::copy_time(access.bytes));
  for (bool local = true;; local = false) {
    while (node_.stopped()) co_await node_.resumed().wait();
    CacheEntry* entry = node_.cache().find(tag);
    if (entry != nullptr && entry->state == CacheEntry::State::dirty && !entry->busy) {
      if (local) ++shared_.counters.local_hits.value;
      node_.cache().touch(*entry);
      entry->value = value;
      shared_.memory.performed(operation, tag, value);
      shared_.writes.performed(tag, value);
      co_return;
    }
    find_home(tag);
    const bool clean = entry != nullptr && entry->state == CacheEntry::State::clean;
    co_await obtain_for_access(clean ? MessageType::write_shared : MessageType::write_miss, tag, operation);
  }
}

// What is cached here can be used without its home; all else needs it.
void Requester::find_home(Tag tag) const {
  if (!shared_.is_homeless(tag)) return;
  ++shared_.migration.unavailable.value;
  throw models::Unavailable(
      fmt::format("block {}: its home, node {}, is down", sim::printed_key(tag), shared_.home_of(tag)));
}

sim::Task<void> Requester::obtain_for_access(MessageType type, Tag tag, sim::OperationId operation) {
  if (TimedRunner* sibling = event_on(node_, tag)) {
    // Misses of one node on one block are one event. Were they two, the unlock of one would put the node into the
    // copyset and a retransmission of the other would fail its check while holding a lock.
    shared_.coverage.race(races.misses_merged);
    ++shared_.counters.merged_misses.value;
    co_await sibling->ended().wait();
    co_return;
  }
  co_await obtain(runner_, type, tag, operation);
}

sim::Task<TimedRunner::Outcome> Requester::obtain(TimedRunner& by, MessageType type, Tag tag,
                                                  sim::OperationId operation, bool keep_lock) {
  CacheEntry* entry;
  if (type == MessageType::read_miss || type == MessageType::write_miss) {
    entry = node_.cache().free_entry(tag);
    if (entry == nullptr) {
      co_await make_room(by, tag, operation);
      co_return TimedRunner::Outcome::lost_race;
    }
    RACKSIM_INVARIANT(node_.cache().find(tag) == nullptr, "a block is in one entry of a cache");
    node_.cache().assign(*entry, tag);
    entry->state = CacheEntry::State::filling;
  } else {
    entry = node_.cache().find(tag);
  }
  entry->busy = true;
  co_return co_await by.run(type, tag, operation, keep_lock);
}

void Requester::refuse_place(Tag tag) {
  ++shared_.migration.unavailable.value;
  throw models::Unavailable(
      fmt::format("block {}: its place in the cache is taken by blocks that are locked or whose homes are down",
                  sim::printed_key(tag)));
}

// Evicts the least recently used block of the tag's bucket.
sim::Task<void> Requester::make_room(TimedRunner& by, Tag tag, sim::OperationId operation) {
  // What has no home stays: it may be all that is left of the block. What an application has locked is its own.
  const auto may_go = [this](const CacheEntry& entry) { return !entry.locked && !shared_.is_homeless(entry.tag); };
  CacheEntry* victim = node_.cache().victim(tag, may_go);
  if (victim == nullptr && !node_.cache().any_busy(tag)) refuse_place(tag);
  if (victim == nullptr) {
    // Every entry of the bucket is in the hands of a sibling; any of their events may free one.
    shared_.coverage.race(races.bucket_all_busy);
    co_await node_.any_event_ended().wait();
    co_return;
  }
  const bool dirty = victim->state == CacheEntry::State::dirty;
  const Tag victim_tag = victim->tag;
  victim->busy = true;
  const auto outcome =
      co_await by.run(dirty ? MessageType::evict_modified : MessageType::evict_shared, victim_tag, operation);
  if (outcome == TimedRunner::Outcome::done || !keeps_locks(node_)) {
    refusals_ = victims_refused_ = 0;
    co_return;
  }
  if (std::exchange(refused_victim_, victim_tag) != victim_tag) refusals_ = 0;
  if (++refusals_ < kRefusals) co_return;
  // A lock that others keep for so long may be an application's, whose thread may wait in turn for a block that an
  // application here has locked. Another victim goes, if there is one.
  refusals_ = 0;
  CacheEntry* refused = node_.cache().find(victim_tag);
  if (refused == nullptr) co_return;
  node_.cache().touch(*refused);
  if (node_.cache().victim(tag, may_go) == refused || ++victims_refused_ == LocalCache::kBucketEntries) {
    victims_refused_ = 0;
    refuse_place(tag);
  }
}

TimedRunner* Requester::lock_number() {
  TimedRunner* free = nullptr;  // perhaps with an unlock under way that its next request has to wait for
  for (const auto& lock : locks_) {
    const EventRunner& events = lock->events();
    if (events.event().active() || events.keeps_lock()) continue;
    if (events.may_send()) return lock.get();
    free = lock.get();
  }
  if (locks_.size() == shared_.locks_per_thread()) return free;
  const auto next = static_cast<unsigned>(locks_.size());
  const RequesterId number{shared_.requester_of_lock(node_.id(), thread_, next)};
  locks_.push_back(std::make_unique<TimedRunner>(shared_, node_, core_, endpoint_, number,
                                                 fmt::format("node{}/thread{}/lock{}", node_.id(), thread_, next)));
  return locks_.back().get();
}

void Requester::on_packet(p4::PacketRef packet) {
  if (node_.crashed() || shared_.is_stale(*packet, node_.id())) return;
  const FlowCcHeader& h = packet->get<FlowCcHeader>();
  ++shared_.counters.requester_received.value;
  shared_.coverage.handled(Handler::requester, h.message_type(), h.tag(), node_.id());
  runner_of(h.requester).events().received(h);
}

// Of a write-back, or of a WRITE to the log of its locks. When one fails the lock of the event stays taken: nothing but a
// recovery joins a broken connection again.
void Requester::on_completion(const models::Completion& completion) {
  if (completion.status != models::Status::success) {
    if (shared_.is_failure(completion)) ++shared_.counters.failed_transfers.value;
    return;
  }
  if ((completion.wr_id & TimedRunner::kLogWrite) != 0) {
    runner_of((completion.wr_id & ~TimedRunner::kLogWrite) >> 32).log_written(completion);
  } else {
    runner_of(completion.wr_id >> 32).events().written_back(completion.wr_id & 0xffffffff);
  }
}

}  // namespace racksim::flowcc

// The requester's operations and events. See requester.hpp.
#include "protocols/flowcc/requester.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "models/host/core_wait.hpp"
#include "protocols/flowcc/memory_node.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

Requester::Requester(Shared& shared, MemoryNode& node, unsigned thread, models::Core& core)
    : shared_(shared),
      node_(node),
      thread_(thread),
      number_(shared.requester_of(node.id(), thread)),
      core_(core),
      clock_(shared.rack.server(node.id()).clock()),
      endpoint_(shared, node.id(), core, *this, *this),
      settled_(shared.calendar),
      event_ended_(shared.calendar),
      unlock_sent_(shared.calendar),
      unlock_acked_(shared.calendar) {}

sim::Task<sim::Value> Requester::read(Tag tag, sim::OperationId operation) {
  co_await models::occupy(core_, shared_.options.local_access);
  for (bool local = true;; local = false) {
    while (node_.recovery().stopped()) co_await node_.recovery().resumed().wait();
    // A clean or dirty copy is readable, whatever event may be under way on it (§6, "Cache").
    if (CacheEntry* entry = node_.cache().find(tag); entry != nullptr && entry->valid()) {
      if (local) ++shared_.counters.local_hits.value;
      shared_.coverage.race_if(entry->busy, RacePoint::read_during_own_event);
      node_.cache().touch(*entry);
      co_return entry->value;
    }
    find_home(tag);
    co_await obtain(MessageType::read_miss, tag, operation);
  }
}

sim::Task<void> Requester::write(Tag tag, sim::Value value, sim::OperationId operation) {
  co_await models::occupy(core_, shared_.options.local_access);
  for (bool local = true;; local = false) {
    while (node_.recovery().stopped()) co_await node_.recovery().resumed().wait();
    CacheEntry* entry = node_.cache().find(tag);
    if (entry != nullptr && entry->state == CacheEntry::State::dirty && !entry->busy) {
      if (local) ++shared_.counters.local_hits.value;
      node_.cache().touch(*entry);
      entry->value = value;
      shared_.memory.performed(operation, tag, value);
      if (shared_.writes != nullptr) shared_.writes->performed(tag, value);
      co_return;
    }
    find_home(tag);
    const bool clean = entry != nullptr && entry->state == CacheEntry::State::clean;
    co_await obtain(clean ? MessageType::write_shared : MessageType::write_miss, tag, operation);
  }
}

// What is cached here can be used without its home; all else needs it.
void Requester::find_home(Tag tag) const {
  if (!shared_.is_homeless(tag)) return;
  ++shared_.migration->unavailable.value;
  throw models::Unavailable(
      fmt::format("block {}: its home, node {}, is down", sim::printed_key(tag), shared_.home_of(tag)));
}

// Tries once to get the right to read or write a block. The caller looks into the cache again afterwards: the right may
// have been refused, or another thread of the node may have been at it.
sim::Task<void> Requester::obtain(MessageType type, Tag tag, sim::OperationId operation) {
  if (Requester* sibling = node_.event_on(tag)) {
    // Misses of one node on one block are one event. Were they two, the unlock of one would put the node into the
    // copyset and a retransmission of the other would fail its check while holding a lock.
    shared_.coverage.race(RacePoint::misses_merged);
    ++shared_.counters.merged_misses.value;
    co_await sibling->event_ended().wait();
    co_return;
  }
  CacheEntry* entry;
  if (type == MessageType::write_shared) {
    entry = node_.cache().find(tag);
  } else {
    entry = node_.cache().free_entry(tag);
    if (entry == nullptr) {
      co_await make_room(tag, operation);
      co_return;
    }
    RACKSIM_INVARIANT(node_.cache().find(tag) == nullptr, "a block is in one entry of a cache");
    entry->tag = tag;
    entry->state = CacheEntry::State::filling;
  }
  entry->busy = true;
  co_await run_event(type, tag, operation);
}

// Evicts the least recently used block of the tag's bucket.
sim::Task<void> Requester::make_room(Tag tag, sim::OperationId operation) {
  // What has no home stays: it may be all that is left of the block.
  CacheEntry* victim =
      node_.cache().victim(tag, [this](const CacheEntry& entry) { return !shared_.is_homeless(entry.tag); });
  if (victim == nullptr && !node_.cache().any_busy(tag)) {
    ++shared_.migration->unavailable.value;
    throw models::Unavailable(
        fmt::format("block {}: its place in the cache is taken by blocks whose homes are down", sim::printed_key(tag)));
  }
  if (victim == nullptr) {
    // Every entry of the bucket is in the hands of a sibling; any of their events may free one.
    shared_.coverage.race(RacePoint::bucket_all_busy);
    co_await node_.any_event_ended().wait();
    co_return;
  }
  const bool dirty = victim->state == CacheEntry::State::dirty;
  const Tag victim_tag = victim->tag;
  victim->busy = true;
  co_await run_event(dirty ? MessageType::evict_modified : MessageType::evict_shared, victim_tag, operation);
}

// Runs one coherence event to its end; returns whether it succeeded.
sim::Task<bool> Requester::run_event(MessageType type, Tag tag, sim::OperationId operation) {
  // The claim on the block comes first, so that no sibling starts an event on it in the meantime.
  RACKSIM_INVARIANT(!event_.active(), "a thread has one coherence event under way");
  RACKSIM_INVARIANT(node_.event_on(tag) == nullptr, "a node has one coherence event under way on a block");
  event_.begin(type, tag, node_.id(), seq_ + 1, operation);
  event_.set_began(shared_.calendar.now());
  co_await models::occupy(core_, shared_.options.miss_setup);
  if (safe()) {
    while (unlocks_[(seq_ + 1) & 1].active) {  // rule (iii)
      shared_.coverage.race(RacePoint::waits_for_same_parity);
      co_await unlock_acked_.wait();
    }
  }
  while (node_.recovery().stopped()) co_await node_.recovery().resumed().wait();
  if (shared_.is_homeless(tag)) {
    give_back(tag);
    co_return false;
  }
  ++seq_;
  node_.count_event(type);

  transmit_request(false);
  const sim::Duration first_patience = timeout(shared_.options.request_timeout_rtts);
  sim::Duration patience = first_patience;
  while (!event_.settled()) {
    if (co_await settled_.wait_for(clock_, patience)) continue;
    ++shared_.counters.request_retransmissions.value;
    endpoint_.report_timeout(tag, operation, patience);
    transmit_request(true);
    if (safe()) patience = FlowCcOptions::longer(patience, first_patience);
  }

  const bool success = !event_.failed();
  ++shared_.counters.events.value;
  if (event_.in_switch) ++shared_.counters.switch_events.value;
  if (success) {
    complete();
    if (!safe()) {
      // §5.1.1: the write-back, then the unlock, then what follows; §5.3.2: the unlock waits for the acknowledgement of
      // the one before it.
      const Unlock& unlock = unlock_of(event_.seq());
      while (unlock.active && !unlock.sent) co_await unlock_sent_.wait();
    }
  } else {
    shared_.coverage.race_if(type == MessageType::write_shared, RacePoint::upgrade_lost);
    shared_.coverage.race_if(type == MessageType::evict_shared || type == MessageType::evict_modified,
                             RacePoint::eviction_lost);
    ++shared_.counters.failed_events.value;
    give_back(tag);
    co_return false;
  }
  end_event();
  co_return true;
}

// The entry is as it was before the event.
void Requester::give_back(Tag tag) {
  if (CacheEntry* entry = node_.cache().find(tag)) {
    if (entry->state == CacheEntry::State::filling) {
      LocalCache::empty(*entry);
    } else {
      entry->busy = false;
    }
  }
  end_event();
}

void Requester::end_event() {
  event_.end();
  event_ended_.notify_all();
  node_.any_event_ended().notify_all();
}

// All acknowledgements are in: install data or drop the copy, then hand the lock back with the new metadata.
void Requester::complete() {
  const GlobalMetadata metadata = after(event_.type(), node_.id(), event_.metadata());
  count_providers();
  switch (event_.type()) {
    case MessageType::read_miss:
      install(false, event_.data());
      // The paper lets nobody write a Modified block's data home when a reader turns it Shared, yet once all sharers
      // have dropped it only the home has a copy. Decided here: the reader writes back before it unlocks. Until then
      // the read lock keeps writers and evictions out, so the home is never read in between.
      shared_.coverage.race_if(event_.saw_modified(), RacePoint::modified_read_written_back);
      unlock_when_possible(metadata, event_.saw_modified(), event_.data());
      break;
    case MessageType::write_miss:
      install(true, event_.data());
      unlock_when_possible(metadata, false, {});
      break;
    case MessageType::write_shared:
      if (CacheEntry* entry = node_.cache().find(event_.tag()); entry != nullptr && entry->valid()) {
        entry->state = CacheEntry::State::dirty;
        ++entry->version;
        entry->busy = false;
        node_.permission_changed(event_.tag(), MemoryNode::Permission::write, event_.operation());
      }
      unlock_when_possible(metadata, false, {});
      break;
    default: {
      CacheEntry* entry = node_.cache().find(event_.tag());
      const BlockData data = entry != nullptr ? BlockData{entry->tag, entry->value, entry->version} : BlockData{};
      if (entry != nullptr) {
        LocalCache::empty(*entry);
        node_.permission_changed(event_.tag(), MemoryNode::Permission::none, event_.operation());
      }
      unlock_when_possible(metadata, entry != nullptr && event_.type() == MessageType::evict_modified, data);
      break;
    }
  }
}

void Requester::install(bool dirty, const BlockData& data) {
  CacheEntry* entry = node_.cache().find(event_.tag());
  RACKSIM_INVARIANT(entry != nullptr && entry->busy && entry->state == CacheEntry::State::filling,
                    "what a miss installs has the entry that was reserved for it");
  entry->state = dirty ? CacheEntry::State::dirty : CacheEntry::State::clean;
  entry->value = data.value;
  entry->version = data.version + (dirty ? 1 : 0);
  entry->busy = false;
  node_.cache().touch(*entry);
  node_.permission_changed(event_.tag(), dirty ? MemoryNode::Permission::write : MemoryNode::Permission::read,
                           event_.operation());
}

// By the safe rules the thread goes on with its next operation while the write-back and the unlock are under way. In
// the paper's order the slot of its parity may still be taken: by the unlock before a failed event, which sent none.
void Requester::unlock_when_possible(GlobalMetadata metadata, bool write_back, const BlockData& data) {
  const bool read = takes_read_lock(event_.type());
  const sim::Duration patience = timeout(shared_.options.unlock_timeout_rtts);
  const std::size_t slot = safe() ? event_.seq() & 1 : unlocks_[0].active ? 1 : 0;
  RACKSIM_INVARIANT(!unlocks_[slot].active, "at most two unlocks are active, by the safe rules one per parity");
  unlocks_[slot] = {.active = true,
                    .written_back = !write_back,
                    .sent = false,
                    .read = read,
                    .seq = event_.seq(),
                    .tag = event_.tag(),
                    .metadata = metadata,
                    .data = data,
                    .operation = event_.operation(),
                    .patience = patience,
                    .timer = {}};
  if (write_back) {
    ++shared_.counters.write_backs.value;
    ++shared_.counters.requester_sent.value;
    endpoint_.write_block(shared_.home_of(event_.tag()), DataAddress::global_memory(event_.tag()), data, true,
                          event_.seq(), event_.operation());
  }
  advance_unlocks();
}

Requester::Unlock& Requester::unlock_of(std::uint64_t seq) {
  return unlocks_[unlocks_[1].active && unlocks_[1].seq == seq ? 1 : 0];
}

// Sends what may be sent: an unlock waits for its write-back, and for the acknowledgement of the unlock before it
// (§5.3.2: the two lock scores of a requester serve one event each).
void Requester::advance_unlocks() {
  for (Unlock& unlock : unlocks_) {
    const Unlock& other = unlocks_[&unlock == &unlocks_[0] ? 1 : 0];
    const bool after_other = other.active && other.seq < unlock.seq;
    const bool waits = unlock.active && !unlock.sent;
    shared_.coverage.race_if(waits && after_other, RacePoint::unlock_waits_for_unlock);
    shared_.coverage.race_if(waits && !unlock.written_back, RacePoint::unlock_waits_for_write_back);
    if (unlock.active && !unlock.sent && unlock.written_back && !after_other) transmit_unlock(unlock);
  }
}

void Requester::transmit_unlock(Unlock& unlock) {
  FlowCcHeader h = header(unlock.read ? MessageType::unlock_read : MessageType::unlock_write, unlock.tag, unlock.seq);
  h.set_metadata(unlock.metadata);
  unlock.sent = true;
  ++shared_.counters.requester_sent.value;
  endpoint_.send(h, shared_.home_of(unlock.tag), unlock.operation);
  unlock.timer = clock_.after<&Requester::unlock_timed_out>(unlock.patience, *this,
                                                            static_cast<std::uint32_t>(&unlock - unlocks_.data()));
  unlock_sent_.notify_all();
}

void Requester::unlock_timed_out(std::uint32_t slot) {
  Unlock& unlock = unlocks_[slot];
  RACKSIM_INVARIANT(unlock.active && unlock.sent, "only an unlock that was sent and not acknowledged times out");
  ++shared_.counters.unlock_retransmissions.value;
  endpoint_.report_timeout(unlock.tag, unlock.operation, unlock.patience);
  if (safe()) unlock.patience = FlowCcOptions::longer(unlock.patience, timeout(shared_.options.unlock_timeout_rtts));
  transmit_unlock(unlock);
}

void Requester::transmit_request(bool again) {
  FlowCcHeader h = header(event_.type(), event_.tag(), event_.seq());
  h.retransmitted = again;
  event_.latest_serial = static_cast<std::uint32_t>(h.serial);
  ++shared_.counters.requester_sent.value;
  endpoint_.send(h, shared_.home_of(event_.tag()), event_.operation());
}

FlowCcHeader Requester::header(MessageType type, Tag tag, std::uint32_t seq) {
  FlowCcHeader h;
  h.set_type(type);
  h.receiver = static_cast<std::uint64_t>(Receiver::home_agent);
  h.set_tag(tag);
  h.set_index = set_index(tag, shared_.options.entries_per_way);
  h.node_id = node_.id();
  h.requester = number_;
  h.reply_qp = endpoint_.raw_qpn();
  h.seq = seq;
  h.serial = ++serial_;
  return h;
}

sim::Duration Requester::timeout(std::uint64_t rtts) const {
  return shared_.rack.options().rtt * static_cast<std::int64_t>(rtts);
}

void Requester::data_landed(std::uint32_t seq, const BlockData& data) {
  if (!event_.active() || event_.seq() != seq) {  // the buffer of an event that is over
    shared_.coverage.race(RacePoint::data_of_past_event);
    return;
  }
  const auto kib = static_cast<double>(shared_.shape.block_bytes) / 1024;
  const auto copying = static_cast<std::int64_t>(static_cast<double>(shared_.options.copy_work_per_kib.ps()) * kib);
  core_.run<&Requester::notice_data>(shared_.options.notice_data_work + sim::Duration::from_ps(copying), *this,
                                     seq | std::uint64_t{data.version} << 32, data.value);
}

void Requester::notice_data(std::uint64_t seq_and_version, sim::Value value) {
  if (!event_.active() || event_.seq() != static_cast<std::uint32_t>(seq_and_version)) return;
  event_.data_landed({event_.tag(), value, static_cast<std::uint32_t>(seq_and_version >> 32)});
  if (event_.settled()) settled_.notify_all();
}

void Requester::count_providers() {
  constexpr std::size_t kKept = 20;
  const Copyset providers = event_.providers().latest().providers;
  if (providers != 0) ++shared_.counters.provided_events.value;
  shared_.counters.data_providers.value += static_cast<unsigned>(std::popcount(providers));
  auto wrong = wrong_provider();
  if (wrong && wrong_providers_.size() < kKept) wrong_providers_.push_back(std::move(*wrong));
}

std::optional<models::Leak> Requester::wrong_provider() const {
  const auto& wrong = event_.providers().wrong();
  if (!wrong) return std::nullopt;
  return models::Leak{
      "data-provider",
      fmt::format(
          "node{}/thread{}: {} of block {} (seq {}, serial {}) was acknowledged by {}, of whom {} were asked for "
          "the data",
          node_.id(), thread_, to_string(event_.type()), sim::printed_key(event_.tag()), event_.seq(), wrong->serial,
          to_text(wrong->acknowledged), to_text(wrong->providers)),
      {event_.tag(), {event_.operation()}}};
}

std::vector<models::Leak> Requester::wrong_providers() const {
  std::vector<models::Leak> all = wrong_providers_;
  if (auto wrong = event_.active() ? wrong_provider() : std::nullopt) all.push_back(std::move(*wrong));
  return all;
}

std::optional<std::uint32_t> Requester::abort(std::vector<BlockData>& write_backs) {
  for (Unlock& unlock : unlocks_) {
    if (!unlock.active) continue;
    if (!unlock.written_back) write_backs.push_back(unlock.data);
    shared_.calendar.cancel(unlock.timer);
    unlock = {};
  }
  unlock_sent_.notify_all();
  unlock_acked_.notify_all();
  if (!has_sent_request()) return std::nullopt;
  event_.fail();
  settled_.notify_all();
  return event_.seq();
}

void Requester::crash() {
  event_.end();
  for (Unlock& unlock : unlocks_) {
    shared_.calendar.cancel(unlock.timer);
    unlock = {};
  }
  seq_ = serial_ = 0;
}

void Requester::on_packet(p4::PacketRef packet) {
  if (node_.crashed() || shared_.is_stale(*packet, node_.id())) return;
  const FlowCcHeader& h = packet->get<FlowCcHeader>();
  ++shared_.counters.requester_received.value;
  shared_.coverage.handled(Place::requester, h.message_type(), h.tag(), node_.id());
  const bool answer = h.message_type() == MessageType::ack || h.message_type() == MessageType::failed_ack;
  if (answer && (!event_.active() || h.seq != event_.seq())) {
    shared_.coverage.race(RacePoint::ack_of_past_event);
    return;
  }
  if (answer) event_.in_switch = h.is_in_switch != 0;
  switch (h.message_type()) {
    case MessageType::ack:
      event_.acknowledged(h);
      break;
    case MessageType::failed_ack:
      if (safe() && h.serial != event_.latest_serial) {  // rule (ii)
        shared_.coverage.race(RacePoint::failed_ack_of_earlier_transmission);
        return;
      }
      event_.fail();
      break;
    case MessageType::unlock_ack: {
      Unlock& unlock = unlock_of(h.seq);
      if (!unlock.active || !unlock.sent || unlock.seq != h.seq) {
        shared_.coverage.race(RacePoint::unlock_ack_of_past_event);
        return;
      }
      shared_.calendar.cancel(unlock.timer);
      unlock.active = false;
      unlock_acked_.notify_all();
      advance_unlocks();
      return;
    }
    default:
      throw std::logic_error(fmt::format("requester {} received a {}", number_, to_string(h.message_type())));
  }
  if (event_.settled()) settled_.notify_all();
}

// Of a write-back. When it fails the lock of the event stays taken: nothing joins a broken connection again.
void Requester::on_completion(const models::Completion& completion) {
  if (completion.status != models::Status::success) {
    if (shared_.is_failure(completion)) ++shared_.counters.failed_transfers.value;
    return;
  }
  Unlock& unlock = unlock_of(completion.wr_id);
  if (!unlock.active || unlock.seq != completion.wr_id) return;
  unlock.written_back = true;
  advance_unlocks();
}

std::string Requester::describe() const {
  std::string text;
  if (event_.active()) {
    text += fmt::format("{} of block {} (seq {}) since {} ns", to_string(event_.type()), sim::printed_key(event_.tag()),
                        event_.seq(), event_.began().ns());
  }
  for (const Unlock& unlock : unlocks_) {
    if (!unlock.active) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("unlock of block {} (seq {}){}", sim::printed_key(unlock.tag), unlock.seq,
                        unlock.sent ? "" : " not yet sent");
  }
  return text.empty() ? text : fmt::format("node{}/thread{}: {}", node_.id(), thread_, text);
}

sim::KeyAndOperations Requester::key_and_operations() const {
  if (event_.active()) return {event_.tag(), {event_.operation()}};
  for (const Unlock& unlock : unlocks_) {
    if (unlock.active) return {unlock.tag, {unlock.operation}};
  }
  return {};
}

}  // namespace racksim::flowcc

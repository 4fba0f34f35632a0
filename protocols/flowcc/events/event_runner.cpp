// An event's steps, and those of its unlock. See event_runner.hpp.
#include "protocols/flowcc/events/event_runner.hpp"

#include <fmt/core.h>

#include <bit>
#include <stdexcept>

#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

EventRunner::EventRunner(const FlowCcOptions& options, Counters& counters, const CoverageMarks& coverage,
                         EventHost& host, NodeId node, RequesterId number)
    : options_(options), counters_(counters), coverage_(coverage), host_(host), node_(node), number_(number) {}

void EventRunner::transmit_request(bool again) {
  FlowCcHeader h = header(event_.type(), event_.tag(), event_.seq());
  h.retransmitted = again;
  event_.latest_serial = static_cast<std::uint32_t>(h.serial);
  ++counters_.requester_sent.value;
  host_.send(h, event_.operation());
}

FlowCcHeader EventRunner::header(MessageType type, Tag tag, std::uint32_t seq) {
  FlowCcHeader h;
  h.set_type(type);
  h.receiver = static_cast<std::uint64_t>(Receiver::home_agent);
  h.set_tag(tag);
  h.requester = number_;
  h.seq = seq;
  h.serial = ++serial_;
  return h;
}

void EventRunner::give_back() {
  if (CacheEntry* entry = host_.cache().find(event_.tag())) {
    if (entry->state == CacheEntry::State::filling) {
      LocalCache::empty(*entry);
    } else {
      entry->busy = false;
    }
  }
  end();
}

void EventRunner::complete(bool keep_lock) {
  const GlobalMetadata metadata = after(event_.type(), node_, event_.metadata());
  count_providers();
  CacheEntry* entry = host_.cache().find(event_.tag());
  switch (event_.type()) {
    case MessageType::read_miss:
      install(false, event_.data());
      // The paper lets nobody write a Modified block's data home when a reader turns it Shared, yet once all sharers
      // have dropped it only the home has a copy. Decided here: the reader writes back before it unlocks. Until then
      // the read lock keeps writers and evictions out, so the home is never read in between.
      coverage_.race_if(event_.saw_modified(), races.modified_read_written_back);
      unlock_when_possible(metadata, event_.saw_modified(), event_.data(), keep_lock);
      break;
    case MessageType::write_miss:
      install(true, event_.data());
      unlock_when_possible(metadata, false, {}, keep_lock);
      break;
    case MessageType::write_shared:
    case MessageType::lock_exclusive:
      take_copy(entry, true);
      unlock_when_possible(metadata, false, {}, keep_lock);
      break;
    case MessageType::lock_shared: {
      // As a reader does who finds the block Modified: from now on others may read it too. It is written back also when
      // a reader has just downgraded the copy: that one may find the block Shared when it asks again, for the answer
      // that said Modified was lost, and then leaves it to those who turned it Shared.
      const bool dirty = entry != nullptr && entry->state == CacheEntry::State::dirty;
      const bool write_back = entry != nullptr && entry->valid() && (dirty || event_.saw_modified());
      take_copy(entry, false);
      unlock_when_possible(metadata, write_back,
                           write_back ? BlockData{entry->tag, entry->value, entry->version} : BlockData{}, keep_lock);
      break;
    }
    default: {
      const BlockData data = entry != nullptr ? BlockData{entry->tag, entry->value, entry->version} : BlockData{};
      if (entry != nullptr) {
        LocalCache::empty(*entry);
        host_.permission_changed(event_.tag(), sim::Permission::none, event_.operation());
      }
      unlock_when_possible(metadata, entry != nullptr && event_.type() == MessageType::evict_modified, data, false);
      break;
    }
  }
}

void EventRunner::install(bool dirty, const BlockData& data) {
  CacheEntry* entry = host_.cache().find(event_.tag());
  RACKSIM_INVARIANT(entry != nullptr && entry->busy && entry->state == CacheEntry::State::filling,
                    "what a miss installs has the entry that was reserved for it");
  entry->state = dirty ? CacheEntry::State::dirty : CacheEntry::State::clean;
  entry->value = data.value;
  entry->version = data.version + (dirty ? 1 : 0);
  entry->busy = false;
  host_.cache().touch(*entry);
  host_.permission_changed(event_.tag(), dirty ? sim::Permission::write : sim::Permission::read, event_.operation());
}

// Who holds a copy has its data, and gets the right to write it, or gives that up.
void EventRunner::take_copy(CacheEntry* entry, bool write) {
  if (entry == nullptr || !entry->valid()) return;
  entry->busy = false;
  if ((entry->state == CacheEntry::State::dirty) == write) return;
  entry->state = write ? CacheEntry::State::dirty : CacheEntry::State::clean;
  if (write) ++entry->version;
  host_.permission_changed(event_.tag(), write ? sim::Permission::write : sim::Permission::read, event_.operation());
}

// By the safe rules the thread goes on with its next operation while the write-back and the unlock are under way. In
// the paper's order the slot of its parity may still be taken: by the unlock before a failed event, which sent none.
void EventRunner::unlock_when_possible(GlobalMetadata metadata, bool write_back, const BlockData& data, bool keep) {
  const std::size_t slot = safe() ? event_.seq() & 1 : unlocks_[0].active ? 1 : 0;
  RACKSIM_INVARIANT(!unlocks_[slot].active, "at most two unlocks are active, by the safe rules one per parity");
  Unlock& unlock = unlocks_[slot];
  unlock = {};
  unlock.tag = event_.tag();
  unlock.seq = event_.seq();
  unlock.written_back = !write_back;
  unlock.kept = keep;
  unlock.operation = event_.operation();
  unlock.active = true;
  unlock.read = takes_read_lock(event_.type());
  unlock.metadata = metadata;
  unlock.data = data;
  if (write_back) {
    ++counters_.write_backs.value;
    ++counters_.requester_sent.value;
    host_.write_back(data, event_.seq(), event_.operation());
  }
  advance_unlocks();
}

// Sends what may be sent: an unlock waits for its write-back, for the log of locks that has it to forget it, and for the
// acknowledgement of the unlock before it (§5.3.2: the two lock scores of a requester serve one event each).
void EventRunner::advance_unlocks() {
  for (std::size_t slot = 0; slot < unlocks_.size(); ++slot) {
    const Unlock& unlock = unlocks_[slot];
    const Unlock& other = unlocks_[1 - slot];
    const bool after_other = other.active && other.seq < unlock.seq;
    const bool waits = unlock.active && !unlock.sent && !unlock.kept && !unlock.logged;
    coverage_.race_if(waits && after_other, races.unlock_waits_for_unlock);
    coverage_.race_if(waits && !unlock.written_back, races.unlock_waits_for_write_back);
    if (waits && unlock.written_back && !after_other) transmit_unlock(slot);
  }
}

void EventRunner::transmit_unlock(std::size_t slot) {
  Unlock& unlock = unlocks_[slot];
  FlowCcHeader h = header(unlock.read ? MessageType::unlock_read : MessageType::unlock_write, unlock.tag, unlock.seq);
  h.set_metadata(unlock.metadata);
  unlock.sent = true;
  ++counters_.requester_sent.value;
  host_.send(h, unlock.operation);
  host_.unlock_sent(slot);
}

void EventRunner::data_landed(std::uint32_t seq, const BlockData& data) {
  if (!event_.active() || event_.seq() != seq) return;
  event_.data_landed(data);
  if (event_.settled()) host_.event_settled();
}

void EventRunner::received(const FlowCcHeader& h) {
  const bool answer = h.message_type() == MessageType::ack || h.message_type() == MessageType::failed_ack;
  if (answer && (!event_.active() || h.seq != event_.seq())) {
    coverage_.race(races.ack_of_past_event);
    return;
  }
  if (answer) event_.in_switch = h.is_in_switch != 0;
  switch (h.message_type()) {
    case MessageType::ack:
      event_.acknowledged(h);
      break;
    case MessageType::failed_ack:
      if (safe() && h.serial != event_.latest_serial) {  // rule (ii)
        coverage_.race(races.failed_ack_of_earlier_transmission);
        return;
      }
      if (h.lost_race != 0) {
        event_.lose_race();
      } else {
        event_.fail();
      }
      break;
    case MessageType::unlock_ack: {
      const std::size_t slot = slot_of(h.seq);
      Unlock& unlock = unlocks_[slot];
      if (!unlock.active || !unlock.sent || unlock.seq != h.seq) {
        coverage_.race(races.unlock_ack_of_past_event);
        return;
      }
      unlock.active = false;
      host_.unlock_over(slot);
      advance_unlocks();
      return;
    }
    default:
      throw std::logic_error(fmt::format("requester {} received a {}", number_.number(), to_string(h.message_type())));
  }
  if (event_.settled()) host_.event_settled();
}

void EventRunner::written_back(std::uint64_t seq) {
  Unlock& unlock = unlocks_[slot_of(seq)];
  if (!unlock.active || unlock.seq != seq) return;
  unlock.written_back = true;
  advance_unlocks();
}

void EventRunner::log_cleared(std::uint32_t seq) {
  Unlock& unlock = unlocks_[slot_of(seq)];
  if (!unlock.active || unlock.seq != seq) return;
  unlock.logged = false;
  advance_unlocks();
}

void EventRunner::count_providers() {
  constexpr std::size_t kKept = 20;
  const Copyset providers = event_.providers().latest().providers;
  if (providers != 0) ++counters_.provided_events.value;
  counters_.data_providers.value += static_cast<unsigned>(std::popcount(providers));
  auto wrong = wrong_provider();
  if (wrong && wrong_providers_.size() < kKept) wrong_providers_.push_back(std::move(*wrong));
}

std::optional<models::Leak> EventRunner::wrong_provider() const {
  const auto& wrong = event_.providers().wrong();
  if (!wrong) return std::nullopt;
  return models::Leak{
      "data-provider",
      fmt::format("{}: {} of block {} (seq {}, serial {}) was acknowledged by {}, of whom {} were asked for the data",
                  host_.name(), to_string(event_.type()), sim::printed_key(event_.tag()), event_.seq(), wrong->serial,
                  to_text(wrong->acknowledged), to_text(wrong->providers)),
      {event_.tag(), {event_.operation()}}};
}

std::vector<EventRunner::PendingUnlock> EventRunner::pending_unlocks() const {
  std::vector<PendingUnlock> pending;
  for (const Unlock& unlock : unlocks_) {
    if (unlock.active) pending.push_back(unlock);
  }
  return pending;
}

// What a lock that is kept will have to say of its block is what is true by then: the caches tell all else.
bool EventRunner::abort(std::vector<BlockData>& write_backs) {
  visit_write_backs([&](const BlockData& data) { write_backs.push_back(data); });
  for (std::size_t slot = 0; slot < unlocks_.size(); ++slot) {
    Unlock& unlock = unlocks_[slot];
    if (!unlock.kept) {
      drop_unlock(slot);
      continue;
    }
    unlock.written_back = true;
    unlock.metadata.copyset = node_bit(node_);
  }
  if (!has_sent_request()) return false;
  event_.lose_race();
  return true;
}

}  // namespace racksim::flowcc

// The directory's rules. See home_directory.hpp.
#include "protocols/flowcc/events/home_directory.hpp"

#include <algorithm>
#include <bit>

#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

HomeDirectory::HomeDirectory(const Setting& setting, DirectoryHost& host)
    : setting_(setting),
      host_(host),
      last_executed_(setting.requesters, setting.options.last_executed),
      last_serial_(setting.requesters, 0),
      last_unlock_(setting.requesters, 0),
      migration_(setting.options.migration, setting.migration, setting.number, *this, setting.options.migrates()) {}

void HomeDirectory::set_metadata(Tag tag, GlobalMetadata metadata) {
  const std::uint64_t index = index_of(tag);
  if (index >= metadata_.size()) metadata_.resize(std::max<std::size_t>(index + 1, metadata_.size() * 3 / 2));
  RACKSIM_INVARIANT(!setting_.options.keeps_metadata() || consistent(metadata, setting_.nodes),
                    "a block's status and copyset agree: one owner if it is Modified, holders if it is Shared");
  metadata_[index] = metadata;
}

void HomeDirectory::handle(const FlowCcHeader& h, Operation operation) {
  if (h.receiver == static_cast<std::uint64_t>(Receiver::requester) ||
      h.message_type() == MessageType::removal_notice) {
    migration_packet(h);
  } else if (h.is_in_switch) {
    serve_from_memory(h, operation);
  } else if (is_late(h)) {
    setting_.coverage.race(races.home_drops_old_copy);
    ++setting_.counters.ignored_requests.value;
  } else if (h.message_type() == MessageType::unlock_read || h.message_type() == MessageType::unlock_write) {
    own_unlock(h, operation);
  } else if (admits(h, operation)) {
    own_request(h, operation);
  }
}

// Rule (i) of event_runner.hpp, for packets that overtook each other behind the switch.
bool HomeDirectory::is_late(const FlowCcHeader& h) {
  if (setting_.options.idempotence == FlowCcOptions::Idempotence::paper) return false;
  std::uint32_t& last = last_serial_[h.requester];
  if (h.serial <= last) return true;
  last = static_cast<std::uint32_t>(h.serial);
  return false;
}

// A miss on an Unshared block: the data are in global memory, and whoever owns the metadata holds the lock.
void HomeDirectory::serve_from_memory(const FlowCcHeader& h, Operation operation) {
  const auto verdict = last_executed_.judge(RequesterId{h.requester}, Seq{h.seq});
  if (verdict == LastExecuted::Verdict::ignore) {
    setting_.coverage.race(races.memory_old_request);
    ++setting_.counters.ignored_requests.value;
    return;
  }
  if (verdict == LastExecuted::Verdict::execute) {
    host_.provide(h, operation);
  } else {
    setting_.coverage.race(races.memory_repeated_request);
    ++setting_.counters.repeated_requests.value;
  }
  reply(h, MessageType::ack, h.metadata(), true, operation);
}

// Lock, check, forward, as in the switch.
void HomeDirectory::own_request(const FlowCcHeader& h, Operation operation) {
  const Lock lock = acquire(h);
  if (lock == Lock::refused) {
    refuse(h, {}, false, operation);
    return;
  }
  setting_.coverage.race_if(lock == Lock::already_held, races.home_finds_own_lock);
  const GlobalMetadata metadata = this->metadata(h.tag());
  const bool member = (metadata.copyset & node_bit(static_cast<NodeId>(h.node_id))) != 0;
  if (setting_.options.check_table && !check(h.message_type(), member, metadata.status)) {
    setting_.coverage.race(lock == Lock::acquired ? races.home_undoes_lock : races.home_undoes_nothing);
    if (lock == Lock::acquired) release(h);  // rule (iv)
    refuse(h, metadata, true, operation);
    migration_.unlocked(h.tag());
    return;
  }
  FlowCcHeader granted = h;
  if (is_after_death(h)) tell_of_death(granted);
  forward(granted, metadata, operation);
}

// Whoever has the lock may die before anybody knows that it had it, so that only its unlock ends this.
void HomeDirectory::tell_of_death(FlowCcHeader& request) {
  request.after_death = true;
  for (Holder& holder : holders_) {
    if (holder.tag == request.tag() && holder.requester == request.requester && holder.seq == request.seq)
      holder.told = true;
  }
}

void HomeDirectory::told_of_death(Tag tag) {
  const auto orphan = orphans_.extract(tag);
  if (!orphan.empty()) host_.told_of_death(tag, orphan.mapped());
}

void HomeDirectory::forward(const FlowCcHeader& request, GlobalMetadata metadata, Operation operation) {
  FlowCcHeader h = request;
  h.set_metadata(metadata);
  const NodeId requester = static_cast<NodeId>(h.node_id);
  Copyset receivers = metadata.copyset;
  setting_.coverage.race_if(
      h.message_type() == MessageType::read_miss && metadata.status == GlobalStatus::shared && h.retransmitted != 0,
      races.read_miss_again_to_all_holders);
  switch (route(h.message_type(), metadata.status, h.retransmitted != 0)) {
    case Route::home_agent:
      serve_from_memory(h, operation);
      return;
    case Route::requester:
      reply(request, MessageType::ack, metadata, false, operation);
      return;
    case Route::other_holders:
      receivers &= ~node_bit(requester);
      if (receivers == 0) {
        reply(request, MessageType::ack, metadata, false, operation);
        return;
      }
      break;
    case Route::provider:
    case Route::all_holders:
      break;
  }
  if (receivers == 0) return;  // only without the check table: the requester hears nothing, as from the switch
  // Who upgrades or locks a copy has the data.
  const bool needs_data = h.message_type() == MessageType::read_miss || h.message_type() == MessageType::write_miss;
  const NodeId provider =
      setting_.providers.pick(receivers, setting_.providers.hash(RequesterId{h.requester}, Seq{h.seq}));
  if (route(h.message_type(), metadata.status, h.retransmitted != 0) == Route::provider) {
    receivers = node_bit(provider);
  }
  h.receiver = static_cast<std::uint64_t>(Receiver::cache_agent);
  for (NodeId node = 0; node < setting_.nodes; ++node) {
    if ((receivers & node_bit(node)) == 0) continue;
    h.is_data_provider = needs_data && node == provider;
    host_.send_copy(h, node, operation);
  }
  migration_.addressed(h.tag(), static_cast<std::uint32_t>(std::popcount(receivers)));
}

void HomeDirectory::own_unlock(const FlowCcHeader& h, Operation operation) {
  const auto holder = std::find_if(holders_.begin(), holders_.end(), [&](const Holder& l) {
    return l.tag == h.tag() && l.requester == h.requester && (l.seq == h.seq || l.kept);
  });
  setting_.coverage.race_if(holder == holders_.end(), races.home_repeated_unlock);
  setting_.coverage.race_if(migration_.is_away(h.tag()), races.home_unlock_after_move);
  // Executed once: whoever holds no lock for this event has unlocked already.
  const bool counts = counts_without_lock(h);
  if (holder != holders_.end() || counts) {
    const GlobalMetadata old = metadata(h.tag());
    GlobalMetadata updated = h.metadata();
    // Concurrent readers each add themselves: the union keeps them all.
    if (h.message_type() == MessageType::unlock_read) updated.copyset |= old.copyset;
    set_metadata(h.tag(), updated);
    if (holder != holders_.end()) {
      if (holder->told) told_of_death(h.tag());
      holders_.erase(holder);
    }
  }
  reply(h, MessageType::unlock_ack, {}, false, operation);
  migration_.unlocked(h.tag());
}

// Without LAST-UNLOCK every unlock counts; where blocks migrate, and an unlock need not be the holder's, each of the
// requester's that is newer than the last.
bool HomeDirectory::counts_without_lock(const FlowCcHeader& unlock) {
  if (!setting_.options.last_unlock) return true;
  if (setting_.options.migration_rules().unlock_by_holder) return false;
  std::uint32_t& last = last_unlock_[unlock.requester];
  if (unlock.seq <= last) return false;
  last = static_cast<std::uint32_t>(unlock.seq);
  return true;
}

HomeDirectory::Lock HomeDirectory::acquire(const FlowCcHeader& request) {
  const bool read = takes_read_lock(request.message_type());
  for (const Holder& holder : holders_) {
    if (holder.tag != request.tag()) continue;
    if (holder.requester == request.requester && holder.seq == request.seq) {
      return setting_.options.scoreboard ? Lock::already_held : Lock::refused;
    }
    if (!read || !holder.read) return Lock::refused;
  }
  if (migration_.drains(request.tag())) {
    setting_.coverage.race(races.home_waits_for_lock);
    ++setting_.migration.refused_requests.value;
    return Lock::refused;
  }
  holders_.push_back({.tag = request.tag(),
                      .requester = static_cast<std::uint16_t>(request.requester),
                      .read = read,
                      .seq = static_cast<std::uint32_t>(request.seq),
                      .since = host_.now()});
  RACKSIM_INVARIANT(!setting_.options.keeps_metadata() || holders_.size() <= 2 * last_serial_.size(),
                    "locks that are held: at most two per requester of the rack");
  return Lock::acquired;
}

void HomeDirectory::reply(const FlowCcHeader& packet, MessageType type, GlobalMetadata metadata, bool from_home,
                          Operation operation) {
  FlowCcHeader h = packet;
  h.set_type(type);
  h.receiver = static_cast<std::uint64_t>(Receiver::requester);
  h.set_metadata(metadata);
  h.from_home = from_home;
  host_.send(h, static_cast<NodeId>(h.node_id), operation);
}

// Where blocks migrate.

bool HomeDirectory::admits(const FlowCcHeader& request, Operation operation) {
  switch (migration_.admit(request)) {
    case HomeMigration::Admission::serve:
      return true;
    case HomeMigration::Admission::refuse:
      setting_.coverage.race(races.home_refuses_given_away);
      ++setting_.migration.refused_requests.value;
      refuse(request, {}, true, operation);
      return false;
    case HomeMigration::Admission::drop:
      setting_.coverage.race(races.home_drops_from_before_return);
      ++setting_.migration.dropped_requests.value;
      return false;
  }
  return true;
}

bool HomeDirectory::lock_to_move(Tag tag) {
  if (lock(tag) != LockState::free || is_orphan(tag)) return false;
  holders_.push_back({.tag = tag,
                      .requester = static_cast<std::uint16_t>(setting_.number),
                      .read = false,
                      .seq = 0,
                      .since = host_.now()});
  return true;
}

void HomeDirectory::crash() {
  std::fill(metadata_.begin(), metadata_.end(), GlobalMetadata{});
  last_executed_.forget_all();
  std::fill(last_serial_.begin(), last_serial_.end(), 0);
  std::fill(last_unlock_.begin(), last_unlock_.end(), 0);
  orphans_.clear();
  migration_.crash();
}

void HomeDirectory::keep_lock(Tag tag, RequesterId requester, bool read) {
  holders_.push_back({.tag = tag,
                      .requester = static_cast<std::uint16_t>(requester.number()),
                      .read = read,
                      .seq = 0,
                      .since = host_.now(),
                      .kept = true});
}

}  // namespace racksim::flowcc

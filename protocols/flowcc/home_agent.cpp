// The home agent's handlers. See home_agent.hpp.
#include "protocols/flowcc/home_agent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "protocols/flowcc/memory_node.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

HomeAgent::HomeAgent(Shared& shared, MemoryNode& node, models::Core& core)
    : shared_(shared),
      node_(node),
      core_(core),
      endpoint_(shared, node.id(), core, *this, *this, shared.options.home_agent_work),
      last_executed_(shared.shape.nodes * shared.shape.threads_per_node, shared.options.last_executed),
      last_serial_(shared.shape.nodes * shared.shape.threads_per_node, 0) {
  if (shared.migration == nullptr) return;
  migration_ = std::make_unique<HomeMigration>(shared.options.migration, *shared.migration, number(), *this);
  last_unlock_.resize(last_serial_.size(), 0);
}

GlobalMetadata HomeAgent::metadata(Tag tag) const {
  const std::uint64_t index = shared_.index_at_home(tag);
  return index < metadata_.size() ? metadata_[index] : GlobalMetadata{};
}

void HomeAgent::set_metadata(Tag tag, GlobalMetadata metadata) {
  const std::uint64_t index = shared_.index_at_home(tag);
  if (index >= metadata_.size()) metadata_.resize(std::max<std::size_t>(index + 1, metadata_.size() * 3 / 2));
  RACKSIM_INVARIANT(!shared_.options.keeps_metadata() || consistent(metadata, shared_.shape.nodes),
                    "a block's status and copyset agree: one owner if it is Modified, holders if it is Shared");
  metadata_[index] = metadata;
}

LockState HomeAgent::lock(Tag tag) const {
  const auto holder = std::find_if(holders_.begin(), holders_.end(), [&](const Holder& l) { return l.tag == tag; });
  if (holder == holders_.end()) return LockState::free;
  return holder->read ? LockState::read : LockState::write;
}

void HomeAgent::on_packet(p4::PacketRef packet) {
  if (node_.crashed() || shared_.is_stale(*packet, node_.id())) return;
  const FlowCcHeader& h = packet->get<FlowCcHeader>();
  ++shared_.counters.home_received.value;
  shared_.coverage.handled(h.is_in_switch ? Place::memory : Place::owner, h.message_type(), h.tag(),
                           static_cast<NodeId>(h.node_id));
  if (migration_ && (h.receiver == static_cast<std::uint64_t>(Receiver::requester) ||
                     h.message_type() == MessageType::removal_notice)) {
    migration_packet(*packet);
  } else if (h.is_in_switch) {
    serve_from_memory(*packet);
  } else if (is_late(h)) {
    shared_.coverage.race(RacePoint::home_drops_old_copy);
    ++shared_.counters.ignored_requests.value;
  } else if (h.message_type() == MessageType::unlock_read || h.message_type() == MessageType::unlock_write) {
    own_unlock(*packet);
  } else if (admits(*packet)) {
    own_request(*packet);
  }
}

// Rule (i) of requester.hpp, for packets that overtook each other behind the switch.
bool HomeAgent::is_late(const FlowCcHeader& h) {
  if (shared_.options.idempotence == FlowCcOptions::Idempotence::paper) return false;
  std::uint32_t& last = last_serial_[h.requester];
  if (h.serial <= last) return true;
  last = static_cast<std::uint32_t>(h.serial);
  return false;
}

// A miss on an Unshared block: the data are in global memory, and whoever owns the metadata holds the lock.
void HomeAgent::serve_from_memory(const p4::Packet& packet) {
  const FlowCcHeader& h = packet.get<FlowCcHeader>();
  const auto verdict = last_executed_.judge(RequesterId{h.requester}, Seq{h.seq});
  if (verdict == LastExecuted::Verdict::ignore) {
    shared_.coverage.race(RacePoint::memory_old_request);
    ++shared_.counters.ignored_requests.value;
    return;
  }
  if (verdict == LastExecuted::Verdict::execute) {
    ++shared_.counters.home_sent.value;
    ++shared_.counters.data_blocks.value;
    endpoint_.write_block(static_cast<NodeId>(h.node_id),
                          DataAddress::event_buffer(RequesterId{h.requester}, Seq{h.seq}), node_.stored(h.tag()), false,
                          0, packet.operation);
  } else {
    shared_.coverage.race(RacePoint::memory_repeated_request);
    ++shared_.counters.repeated_requests.value;
  }
  reply(packet, MessageType::ack, h.metadata(), true);
}

// Lock, check, forward, as in the switch.
void HomeAgent::own_request(const p4::Packet& packet) {
  const FlowCcHeader& h = packet.get<FlowCcHeader>();
  const Lock lock = acquire(h);
  if (lock == Lock::refused) {
    reply(packet, MessageType::failed_ack, {}, false);
    return;
  }
  shared_.coverage.race_if(lock == Lock::already_held, RacePoint::home_finds_own_lock);
  const GlobalMetadata metadata = this->metadata(h.tag());
  const bool member = (metadata.copyset & node_bit(static_cast<NodeId>(h.node_id))) != 0;
  if (shared_.options.check_table && !check(h.message_type(), member, metadata.status)) {
    shared_.coverage.race(lock == Lock::acquired ? RacePoint::home_undoes_lock : RacePoint::home_undoes_nothing);
    if (lock == Lock::acquired) release(h);  // rule (iv)
    reply(packet, MessageType::failed_ack, metadata, false);
    if (migration_) migration_->unlocked(h.tag());
    return;
  }
  forward(packet, metadata);
}

void HomeAgent::forward(const p4::Packet& packet, GlobalMetadata metadata) {
  FlowCcHeader h = packet.get<FlowCcHeader>();
  h.set_metadata(metadata);
  const NodeId requester = static_cast<NodeId>(h.node_id);
  Copyset receivers = metadata.copyset;
  shared_.coverage.race_if(
      h.message_type() == MessageType::read_miss && metadata.status == GlobalStatus::shared && h.retransmitted != 0,
      RacePoint::read_miss_again_to_all_holders);
  switch (route(h.message_type(), metadata.status, h.retransmitted != 0)) {
    case Route::home_agent: {
      p4::PacketRef copy = shared_.rack.packets().make();
      copy->operation = packet.operation;
      copy->push(h);
      serve_from_memory(*copy);
      return;
    }
    case Route::requester:
      reply(packet, MessageType::ack, metadata, false);
      return;
    case Route::other_holders:
      receivers &= ~node_bit(requester);
      if (receivers == 0) {
        reply(packet, MessageType::ack, metadata, false);
        return;
      }
      break;
    case Route::provider:
    case Route::all_holders:
      break;
  }
  if (receivers == 0) return;  // only without the check table: the requester hears nothing, as from the switch
  // Who upgrades a clean copy has the data.
  const bool needs_data = h.message_type() != MessageType::write_shared;
  const NodeId provider =
      shared_.providers.pick(receivers, shared_.providers.hash(RequesterId{h.requester}, Seq{h.seq}));
  if (route(h.message_type(), metadata.status, h.retransmitted != 0) == Route::provider) {
    receivers = node_bit(provider);
  }
  h.receiver = static_cast<std::uint64_t>(Receiver::cache_agent);
  for (NodeId node = 0; node < shared_.shape.nodes; ++node) {
    if ((receivers & node_bit(node)) == 0) continue;
    h.is_data_provider = needs_data && node == provider;
    ++shared_.counters.home_sent.value;
    endpoint_.send_after(shared_.options.multicast_copy_work, h, node, packet.operation);
  }
  if (migration_) migration_->addressed(h.tag(), static_cast<std::uint32_t>(std::popcount(receivers)));
}

void HomeAgent::own_unlock(const p4::Packet& packet) {
  const FlowCcHeader& h = packet.get<FlowCcHeader>();
  const auto holder = std::find_if(holders_.begin(), holders_.end(), [&](const Holder& l) {
    return l.tag == h.tag() && l.requester == h.requester && l.seq == h.seq;
  });
  shared_.coverage.race_if(holder == holders_.end(), RacePoint::home_repeated_unlock);
  shared_.coverage.race_if(migration_ && migration_->is_away(h.tag()), RacePoint::home_unlock_after_move);
  // Executed once: whoever holds no lock for this event has unlocked already.
  const bool counts = counts_without_lock(h);
  if (holder != holders_.end() || counts) {
    const GlobalMetadata old = metadata(h.tag());
    GlobalMetadata updated = h.metadata();
    // Concurrent readers each add themselves: the union keeps them all.
    if (h.message_type() == MessageType::unlock_read) updated.copyset |= old.copyset;
    set_metadata(h.tag(), updated);
    if (holder != holders_.end()) holders_.erase(holder);
  }
  reply(packet, MessageType::unlock_ack, {}, false);
  if (migration_) migration_->unlocked(h.tag());
}

// Without LAST-UNLOCK every unlock counts; where blocks migrate, and an unlock need not be the holder's, each of the
// requester's that is newer than the last.
bool HomeAgent::counts_without_lock(const FlowCcHeader& unlock) {
  if (!shared_.options.last_unlock) return true;
  if (!migration_ || shared_.options.migration.effective().unlock_by_holder) return false;
  std::uint32_t& last = last_unlock_[unlock.requester];
  if (unlock.seq <= last) return false;
  last = static_cast<std::uint32_t>(unlock.seq);
  return true;
}

HomeAgent::Lock HomeAgent::acquire(const FlowCcHeader& request) {
  const bool read = takes_read_lock(request.message_type());
  for (const Holder& holder : holders_) {
    if (holder.tag != request.tag()) continue;
    if (holder.requester == request.requester && holder.seq == request.seq) {
      return shared_.options.scoreboard ? Lock::already_held : Lock::refused;
    }
    if (!read || !holder.read) return Lock::refused;
  }
  if (migration_ && migration_->drains(request.tag())) {
    shared_.coverage.race(RacePoint::home_waits_for_lock);
    ++shared_.migration->refused_requests.value;
    return Lock::refused;
  }
  holders_.push_back({.tag = request.tag(),
                      .requester = static_cast<std::uint16_t>(request.requester),
                      .read = read,
                      .seq = static_cast<std::uint32_t>(request.seq),
                      .since = shared_.calendar.now()});
  RACKSIM_INVARIANT(
      !shared_.options.keeps_metadata() || holders_.size() <= 2 * last_serial_.size() + (migration_ ? 1 : 0),
      "locks that are held: at most two per requester of the rack, and that of a block that moves");
  return Lock::acquired;
}

void HomeAgent::release(const FlowCcHeader& request) {
  std::erase_if(holders_, [&](const Holder& l) {
    return l.tag == request.tag() && l.requester == request.requester && l.seq == request.seq;
  });
}

void HomeAgent::reply(const p4::Packet& packet, MessageType type, GlobalMetadata metadata, bool from_home) {
  FlowCcHeader h = packet.get<FlowCcHeader>();
  h.set_type(type);
  h.receiver = static_cast<std::uint64_t>(Receiver::requester);
  h.set_metadata(metadata);
  h.from_home = from_home;
  ++shared_.counters.home_sent.value;
  endpoint_.send(h, static_cast<NodeId>(h.node_id), packet.operation);
}

std::vector<models::Leak> HomeAgent::held_locks() const {
  std::vector<models::Leak> leaks;
  for (const Holder& l : holders_) {
    leaks.push_back(
        {"leaked-lock",
         fmt::format("home agent {}: {} lock of block {} held by requester {} (seq {}) since {} ns", node_.id(),
                     l.read ? "read" : "write", sim::printed_key(l.tag), l.requester, l.seq, l.since.ns()),
         {l.tag, {}}});
  }
  return leaks;
}

// When it fails the requester waits for the block in vain: nothing joins a broken connection again.
void HomeAgent::on_completion(const models::Completion& completion) {
  if (shared_.is_failure(completion)) ++shared_.counters.failed_transfers.value;
}

}  // namespace racksim::flowcc

// Composition of a memory node. See memory_node.hpp.
#include "protocols/flowcc/node/memory_node.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "sim/record/history.hpp"

namespace racksim::flowcc {

MemoryNode::MemoryNode(Shared& shared, NodeId id)
    : shared_(shared),
      id_(id),
      source_(shared.event_log.add_source(fmt::format("node{}/flowcc", id))),
      cache_(shared.options.cache_bytes, shared.options.block_bytes),
      any_event_ended_(shared.calendar),
      recovery_(shared, *this),
      locks_(shared, *this) {
  models::Server& server = shared.rack.server(id);
  const unsigned threads = shared.shape.threads_per_node;
  for (unsigned thread = 0; thread < threads; ++thread) {
    requesters_.push_back(std::make_unique<Requester>(shared, *this, thread, server.core(thread)));
  }
  home_agent_ = std::make_unique<HomeAgent>(shared, *this, server.core(threads));
  cache_agent_ = std::make_unique<CacheAgent>(shared, *this, server.core(threads + 1));
  shared.data_keys.push_back({});
  register_memory();
  if (shared.migration != nullptr) begin_epoch();
}

// All addresses are said by DataAddress, and what is written there is kept here and in the requesters' events.
void MemoryNode::register_memory() {
  models::Memory::Region region;
  region.bytes = std::numeric_limits<std::uint64_t>::max();
  region.rights = {.read = false, .write = true, .atomic = false};
  region.observers.push_back(this);
  region.stored = false;
  shared_.data_keys[id_] = shared_.rack.server(id_).nic().memory().add(region);
}

void MemoryNode::begin_epoch() {
  epoch_end_ = shared_.rack.server(id_).clock().after<&MemoryNode::epoch_over>(shared_.options.migration.epoch, *this);
}

void MemoryNode::epoch_over() {
  home_agent_->epoch_over();
  cache_agent_->epoch_over();
  begin_epoch();
}

TimedRunner* MemoryNode::event_on(Tag tag) {
  TimedRunner* found = nullptr;
  for (const auto& requester : requesters_) {
    requester->visit_runners([&](TimedRunner& runner) {
      if (runner.event().active() && runner.event().tag() == tag) found = &runner;
    });
    if (found != nullptr) break;
  }
  return found;
}

sim::Value MemoryNode::global_memory(Tag tag) const {
  const std::uint64_t index = shared_.index_at_home(tag);
  return sim::Value{index < memory_.size() ? memory_[index] : 0};
}

void MemoryNode::set_global_memory(Tag tag, sim::Value value) {
  const std::uint64_t index = shared_.index_at_home(tag);
  if (index >= memory_.size()) memory_.resize(std::max<std::size_t>(index + 1, memory_.size() * 3 / 2));
  memory_[index] = value;
}

BlockData MemoryNode::stored(Tag tag) const {
  const std::uint64_t index = shared_.index_at_home(tag);
  return {tag, global_memory(tag), index < versions_.size() ? versions_[index] : 0};
}

void MemoryNode::store(const BlockData& block) {
  set_global_memory(block.tag, block.value);
  if (shared_.migration == nullptr) return;
  if (versions_.size() < memory_.size()) versions_.resize(memory_.size());
  versions_[shared_.index_at_home(block.tag)] = block.version;
}

void MemoryNode::permission_changed(Tag tag, Permission permission, sim::OperationId operation) {
  sim::record_permission(shared_.event_log, source_, shared_.calendar.now(), operation, tag, id_, permission);
}

void MemoryNode::count_event(MessageType type) {
  Counters& c = shared_.counters;
  switch (type) {
    case MessageType::read_miss:
      ++c.read_misses.value;
      break;
    case MessageType::write_miss:
      ++c.write_misses.value;
      break;
    case MessageType::write_shared:
      ++c.write_shareds.value;
      break;
    case MessageType::evict_shared:
      ++c.evict_shareds.value;
      break;
    case MessageType::lock_shared:
      ++c.lock_shareds.value;
      break;
    case MessageType::lock_exclusive:
      ++c.lock_exclusives.value;
      break;
    default:
      ++c.evict_modifieds.value;
      break;
  }
}

void MemoryNode::crash() {
  crashed_ = true;
  for (const auto& requester : requesters_) {
    requester->visit_runners(
        [this](const TimedRunner& runner) { runner.events().visit_blocks([this](Tag tag) { lost_.push_back(tag); }); });
    requester->crash();
  }
  locks_.crash();
  home_agent_->forget();
  cache_.clear([this](const CacheEntry& entry) {
    if (entry.state == CacheEntry::State::dirty) lost_.push_back(entry.tag);
    permission_changed(entry.tag, Permission::none, 0);
  });
  if (shared_.migration == nullptr) return;
  shared_.calendar.cancel(epoch_end_);
  memory_.clear();
  versions_.clear();
  home_agent_->directory().crash();
  cache_agent_->crash();
  recovery_.crash();
}

void MemoryNode::restart() {
  crashed_ = false;
  lost_.clear();
  register_memory();
  begin_epoch();
}

void MemoryNode::forget_requesters_of(NodeId node) {
  for (unsigned number = 0; number < shared_.requesters(); ++number) {
    if (shared_.is_home(number) || shared_.node_of(number) != node) continue;
    home_agent_->directory().forget_requester(RequesterId{number});
    cache_agent_->forget_requester(RequesterId{number});
  }
}

bool MemoryNode::quiescent() const {
  return std::all_of(requesters_.begin(), requesters_.end(), [](const auto& r) { return r->quiescent(); });
}

void MemoryNode::landed(NodeId from, std::uint64_t address, std::uint32_t, const models::Content& content) {
  if (address == DataAddress::kReport) return recovery_.reported(from, content.as<HeatReport>());
  if (address == DataAddress::kWanted) return recovery_.asked_for(content.as<HeatReport>());
  const auto data = content.as<BlockData>();
  if (!DataAddress::is_event_buffer(address)) {
    store(data);
    return;
  }
  const unsigned requester = DataAddress::requester(address);
  const unsigned thread = shared_.thread_of(requester) % shared_.shape.threads_per_node;
  requesters_[thread]->data_landed(requester, DataAddress::seq(address), data);
}

}  // namespace racksim::flowcc

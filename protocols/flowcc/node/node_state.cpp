// See node_state.hpp.
#include "protocols/flowcc/node/node_state.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace racksim::flowcc {

NodeState::NodeState(Shared& shared, NodeId id)
    : shared_(shared),
      id_(id),
      source_(shared.event_log.add_source(fmt::format("node{}/flowcc", id))),
      cache_(shared.options.cache_bytes, shared.options.block_bytes),
      any_event_ended_(shared.calendar),
      resumed_(shared.calendar) {}

void NodeState::resume() {
  stopped_ = false;
  resumed_.notify_all();
}

sim::Value NodeState::global_memory(Tag tag) const {
  const std::uint64_t index = shared_.index_at_home(tag);
  return sim::Value{index < memory_.size() ? memory_[index] : 0};
}

void NodeState::set_global_memory(Tag tag, sim::Value value) {
  const std::uint64_t index = shared_.index_at_home(tag);
  if (index >= memory_.size()) memory_.resize(std::max<std::size_t>(index + 1, memory_.size() * 3 / 2));
  memory_[index] = value;
}

BlockData NodeState::stored(Tag tag) const {
  const std::uint64_t index = shared_.index_at_home(tag);
  return {tag, global_memory(tag), index < versions_.size() ? versions_[index] : 0};
}

void NodeState::store(const BlockData& block) {
  set_global_memory(block.tag, block.value);
  if (!shared_.options.migrates()) return;
  if (versions_.size() < memory_.size()) versions_.resize(memory_.size());
  versions_[shared_.index_at_home(block.tag)] = block.version;
}

void NodeState::permission_changed(Tag tag, sim::Permission permission, sim::OperationId operation) {
  sim::record_permission(shared_.event_log, source_, shared_.calendar.now(), operation, tag, id_, permission);
}

void NodeState::count_event(MessageType type) {
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

void NodeState::lose_memory() {
  memory_.clear();
  versions_.clear();
}

}  // namespace racksim::flowcc

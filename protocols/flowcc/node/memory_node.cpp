// Composition of a memory node. See memory_node.hpp.
#include "protocols/flowcc/node/memory_node.hpp"

#include <limits>

namespace racksim::flowcc {

MemoryNode::MemoryNode(Shared& shared, NodeId id)
    : NodeState(shared, id),
      requesters_(make_requesters()),
      locks_(shared, *this, requesters_),
      home_agent_(shared, *this, shared.rack.server(id).core(shared.shape.threads_per_node, "home_agent")),
      cache_agent_(shared, *this, shared.rack.server(id).core(shared.shape.threads_per_node + 1, "cache_agent")),
      recovery_(shared, *this, {requesters_, locks_, home_agent_, cache_agent_}) {
  shared.data_keys.push_back({});
  register_memory();
  if (shared.options.migrates()) begin_epoch();
}

std::vector<std::unique_ptr<Requester>> MemoryNode::make_requesters() {
  std::vector<std::unique_ptr<Requester>> requesters;
  for (unsigned thread = 0; thread < shared_.shape.threads_per_node; ++thread) {
    requesters.push_back(
        std::make_unique<Requester>(shared_, *this, thread, shared_.rack.server(id()).core(thread, "application")));
  }
  return requesters;
}

// All addresses are said by DataAddress, and what is written there is kept here and in the requesters' events.
void MemoryNode::register_memory() {
  models::Memory::Region region;
  region.bytes = std::numeric_limits<std::uint64_t>::max();
  region.rights = {.read = false, .write = true, .atomic = false};
  region.observers.push_back(this);
  region.stored = false;
  shared_.data_keys[id()] = shared_.rack.server(id()).nic().memory().add(region);
}

void MemoryNode::crash() {
  crashed_ = true;
  visit_runners([this](TimedRunner& runner) {
    runner.events().visit_blocks([this](Tag tag) { lost_.push_back(tag); });
    runner.crash();
  });
  locks_.crash();
  home_agent_.forget();
  cache().clear([this](const CacheEntry& entry) {
    if (entry.state == CacheEntry::State::dirty) lost_.push_back(entry.tag);
    permission_changed(entry.tag, sim::Permission::none, 0);
  });
  if (!shared_.options.migrates()) return;  // it is not taken back
  shared_.calendar.cancel(epoch_end_);
  lose_memory();
  home_agent_.directory().crash();
  cache_agent_.crash();
  recovery_.crash();
  lock_log().crash();
}

void MemoryNode::restart() {
  crashed_ = false;
  lost_.clear();
  register_memory();
  begin_epoch();
}

void MemoryNode::landed(NodeId from, std::uint64_t address, std::uint32_t, const models::Content& content) {
  if (address == DataAddress::kReport) return recovery_.reported(from, content.as<HeatReport>());
  if (address == DataAddress::kTold) return recovery_.told(content.as<HeatReport>());
  if (DataAddress::is_lock_log(address)) return lock_log().written(content.as<LoggedLock>());
  if (address == DataAddress::kWanted) return recovery_.asked_for(content.as<HeatReport>());
  const auto data = content.as<BlockData>();
  if (!DataAddress::is_event_buffer(address)) return store(data);
  runner_of(DataAddress::requester(address)).data_landed(DataAddress::seq(address), data);
}

}  // namespace racksim::flowcc

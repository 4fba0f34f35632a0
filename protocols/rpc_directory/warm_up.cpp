// Functional warm-up: one access at a time, without messages or time, with the same changes to caches, directories and
// memory as the protocol makes when nothing else is under way.
#include "protocols/rpc_directory/rpc_directory.hpp"

namespace racksim::rpc_directory {

void RpcDirectory::warm_access(models::Session session, models::GlobalAddress address, bool write) {
  ComputeNode& node = *nodes_[session.node];
  const sim::Key object = object_of(address), line = block_of(address);
  Frame* frame = node.cache().find(line);
  if (frame == nullptr || (write && frame->state != LineState::exclusive)) {
    Directory& directory = shared_.directory_of(line);
    const bool upgrade = frame != nullptr;
    if (!upgrade) frame = &warm_frame(node, line);
    Entry& entry = directory.entry(line);
    if (entry.state == DirectoryState::exclusive) {
      ComputeNode& owner = *nodes_[entry.holders.front().node];
      Frame& owned = *owner.cache().find(line);
      if (write) {
        frame->data = std::move(owned.data);
      } else {  // by way of memory, which has it from now on
        warm_write_back(owned);
        owned.state = LineState::shared;
      }
    }
    if (write) {
      for (const Holder& holder : entry.holders) {
        if (holder.node != node.id()) warm_give_up(*nodes_[holder.node], *nodes_[holder.node]->cache().find(line));
      }
    }
    if (!upgrade && !(write && entry.state == DirectoryState::exclusive)) {
      frame->data.load(
          shared_.lines.memory_of(line).read(shared_.lines.address_of(line, 0), options_.line_bytes).bytes());
    }
    if (write) entry.holders.clear();
    frame->version = node.take_number();
    frame->state = write ? LineState::exclusive : LineState::shared;
    entry.holders.push_back({node.id(), frame->version});
    entry.state = write ? DirectoryState::exclusive : DirectoryState::shared;
  }
  node.cache().touch(*frame);
  if (!write) return;
  const sim::Value value = next_value(session);
  frame->data.set(shared_.lines.index_of(object), value);
  performed(kWarmOperation, object, value);
}

// A free frame, besides as many as the evictor keeps free, if the cache has so many.
Frame& RpcDirectory::warm_frame(ComputeNode& node, sim::Key line) {
  Cache& cache = node.cache();
  if (cache.free_frames() <= options_.least_free()) {
    cache.offer_victims(options_.least_free() + 1 - cache.free_frames(), [&](Frame& victim) {
      if (victim.state == LineState::exclusive) warm_write_back(victim);
      shared_.directory_of(victim.line).forget_holder(victim.line, node.id());
      warm_give_up(node, victim);
      return true;
    });
  }
  return *cache.take(line);
}

void RpcDirectory::warm_give_up(ComputeNode& node, Frame& frame) {
  frame.state = LineState::absent;
  node.cache().release(frame);
}

void RpcDirectory::warm_write_back(const Frame& frame) {
  std::vector<std::byte> bytes(options_.line_bytes);
  frame.data.store({.low = 0, .high = shared_.lines.objects_per_line()}, bytes);
  shared_.lines.memory_of(frame.line).write(shared_.lines.address_of(frame.line, 0), bytes);
}

}  // namespace racksim::rpc_directory

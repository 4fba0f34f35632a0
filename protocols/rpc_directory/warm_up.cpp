// Functional warm-up: one access at a time, without messages or time, with the same changes to caches, directories and
// memory as the protocol makes when nothing else is under way.
#include "protocols/line_cache/warm_batch.hpp"
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
        lines_.store(line, owned.data, lines_.whole());
        owned.state = LineState::shared;
      }
    }
    if (write) {
      for (const Holder& holder : entry.holders) {
        if (holder.node != node.id()) nodes_[holder.node]->warm_drop(*nodes_[holder.node]->cache().find(line));
      }
    }
    if (!upgrade && !(write && entry.state == DirectoryState::exclusive)) {
      lines_.load(line, frame->data);
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

void RpcDirectory::warm_accesses(std::span<const WarmAccess> accesses) {
  line_cache::warm_batch(*this, nodes_, lines_, accesses);
}

Frame& RpcDirectory::warm_frame(ComputeNode& node, sim::Key line) {
  return node.warm_frame(line, [&](const Frame& victim) {
    if (victim.state == LineState::exclusive) lines_.store(victim.line, victim.data, lines_.whole());
    shared_.directory_of(victim.line).forget_holder(victim.line, node.id());
  });
}

}  // namespace racksim::rpc_directory

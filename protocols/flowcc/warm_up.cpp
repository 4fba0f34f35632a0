// Functional warm-up: one access at a time, without messages or time, with the same changes to caches, homes and
// directory as the timed protocol makes when nothing else is under way (flowcc.hpp, `warm_access`).
#include "protocols/flowcc/flowcc.hpp"

namespace racksim::flowcc {

void FlowCc::warm_access(models::Session session, models::GlobalAddress address, bool write) {
  MemoryNode& node = *nodes_[session.node];
  const Tag tag = block_of(address);
  CacheEntry* entry = node.cache().find(tag);
  if (entry == nullptr || (write && entry->state != CacheEntry::State::dirty)) {
    const GlobalMetadata old = metadata(tag);
    const bool upgrade = entry != nullptr;
    if (!upgrade) entry = &warm_entry(node, tag);
    const BlockData data = upgrade ? BlockData{tag, entry->value, entry->version} : warm_fetch(tag, old, write);
    if (write) {
      for (NodeId holder = 0; holder < shape().nodes; ++holder) {
        if (holder == node.id() || (old.copyset & node_bit(holder)) == 0) continue;
        LocalCache::empty(*nodes_[holder]->cache().find(tag));
      }
    }
    const MessageType type =
        upgrade ? MessageType::write_shared : (write ? MessageType::write_miss : MessageType::read_miss);
    set_metadata(tag, after(type, node.id(), old));
    entry->tag = tag;
    entry->value = data.value;
    entry->version = data.version + (write ? 1 : 0);
    entry->state = write ? CacheEntry::State::dirty : CacheEntry::State::clean;
  }
  node.cache().touch(*entry);
  if (write) {
    entry->value = next_value(session);
    performed(kWarmOperation, tag, entry->value);
    if (writes_.keeps()) {
      // A run in which nodes may fail begins with memory that has all: of what was written before nothing else is
      // known. The copy counts as newer, for it may be written to without a message.
      writes_.begin(tag, entry->value);
      nodes_[shared_.home_of(tag)]->store({tag, entry->value, entry->version - 1});
    }
  }
}

// An empty entry of the block's bucket, after an eviction if need be.
CacheEntry& FlowCc::warm_entry(MemoryNode& node, Tag tag) {
  if (CacheEntry* entry = node.cache().free_entry(tag)) return *entry;
  CacheEntry& victim = *node.cache().victim(tag, [](const CacheEntry&) { return true; });
  const bool dirty = victim.state == CacheEntry::State::dirty;
  if (dirty) nodes_[shared_.home_of(victim.tag)]->store({victim.tag, victim.value, victim.version});
  const MessageType type = dirty ? MessageType::evict_modified : MessageType::evict_shared;
  set_metadata(victim.tag, after(type, node.id(), metadata(victim.tag)));

  LocalCache::empty(victim);
  return victim;
}

// The block's value, from the holder of a copy or from its home. A reader turns a Modified block Shared, and writes its
// data home.
BlockData FlowCc::warm_fetch(Tag tag, GlobalMetadata old, bool write) {
  MemoryNode& home = *nodes_[shared_.home_of(tag)];
  if (old.status == GlobalStatus::unshared) return home.stored(tag);
  MemoryNode& holder = *nodes_[shared_.providers.pick(old.copyset, 0)];
  CacheEntry& copy = *holder.cache().find(tag);
  if (old.status == GlobalStatus::modified && !write) {
    copy.state = CacheEntry::State::clean;

    home.store({tag, copy.value, copy.version});
  }
  return {tag, copy.value, copy.version};
}

}  // namespace racksim::flowcc

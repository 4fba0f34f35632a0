// Functional warm-up: one access at a time, without messages or time, with the same changes to caches, homes and
// directory as the timed protocol makes when nothing else is under way (flowcc.hpp, `warm_access`).
#include <bit>

#include "protocols/flowcc/flowcc.hpp"

namespace racksim::flowcc {

/// Changes the metadata of a block, wherever its owner is, to `change(old)`, and returns the old.
template <class Change>
GlobalMetadata FlowCc::warm_metadata(Tag tag, const Change& change) {
  if (const auto place = switch_->installed_at(tag)) {
    const GlobalMetadata old = switch_->metadata(*place);
    switch_->set_metadata(*place, change(old));
    return old;
  }
  HomeDirectory& home = nodes_[shared_.home_of(tag)]->home_agent().directory();
  const GlobalMetadata old = home.metadata(tag);
  home.set_metadata(tag, change(old));
  return old;
}

// What they will touch is asked for first: a block's bucket, its entry, or its metadata where it has none.
void FlowCc::warm_accesses(std::span<const WarmAccess> accesses) {
  const auto each = [&](auto&& prefetch) {
    for (const WarmAccess& access : accesses) {
      prefetch(nodes_[access.session.node]->cache(), block_of(access.address));
    }
  };
  each([](const LocalCache& cache, Tag tag) { cache.prefetch_bucket(tag); });
  each([&](const LocalCache& cache, Tag tag) {
    if (cache.prefetch_entry(tag)) return;
    if (const auto place = switch_->installed_at(tag)) switch_->prefetch(*place);
  });
  for (const WarmAccess& access : accesses) warm_access(access.session, access.address, access.write);
}

void FlowCc::warm_access(models::Session session, models::GlobalAddress address, bool write) {
  MemoryNode& node = *nodes_[session.node];
  const Tag tag = block_of(address);
  CacheEntry* entry = node.cache().find(tag);
  if (entry == nullptr || (write && entry->state != CacheEntry::State::dirty)) {
    const bool upgrade = entry != nullptr;
    const MessageType type =
        upgrade ? MessageType::write_shared : (write ? MessageType::write_miss : MessageType::read_miss);
    const GlobalMetadata old = warm_metadata(tag, [&](GlobalMetadata known) { return after(type, node.id(), known); });
    if (!upgrade) entry = &warm_entry(node, tag);
    const BlockData data = upgrade ? BlockData{tag, entry->value, entry->version} : warm_fetch(tag, old, write);
    if (write) {
      for (Copyset left = old.copyset & ~node_bit(node.id()); left != 0; left &= left - 1) {
        LocalCache::empty(*nodes_[static_cast<NodeId>(std::countr_zero(left))]->cache().find(tag));
      }
    }
    node.cache().assign(*entry, tag);
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
  warm_metadata(victim.tag, [&](GlobalMetadata known) { return after(type, node.id(), known); });
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

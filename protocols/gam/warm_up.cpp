// Functional warm-up: one access at a time, without messages or time, with the same changes to caches, directories and
// memory as the protocol makes when nothing else is under way.
#include <utility>

#include "protocols/gam/gam.hpp"

namespace racksim::gam {

void Gam::warm_access(models::Session session, models::GlobalAddress address, bool write) {
  Node& node = *nodes_[session.node];
  const sim::Key object = object_of(address), line = block_of(address);
  const std::uint16_t index = shared_.index_of(object);
  Node& home = *nodes_[home_of(line)];
  const sim::Value value = write ? next_value(session) : sim::kNeverWritten;
  if (home.id() != node.id()) {
    warm_remote(node, line, write);
    Frame& frame = *node.cache().frames().find(line);
    node.cache().touch(frame);
    if (write) {
      frame.data.set(index, value);
      node.log_warm(line, frame.data, frame.counter);
    }
    warm_trim(node);
  } else {
    if (const Entry* known = home.directory().find(line); known != nullptr) {
      Entry& entry = home.directory().entry(line);
      if (entry.state == DirectoryState::dirty) {
        Node& owner = *nodes_[entry.owner.node];
        Frame& frame = *owner.cache().frames().find(line);
        warm_write_back(owner, frame);
        entry.sharers.assign(1, entry.owner);
        entry.owner = {};
        entry.state = DirectoryState::shared;
        frame.state = CacheState::shared;
      }
      if (write) {
        for (const Sharer& sharer : entry.sharers) {
          warm_drop(*nodes_[sharer.node], *nodes_[sharer.node]->cache().frames().find(line));
        }
        entry.sharers.clear();
        entry.state = DirectoryState::unshared;
      }
      home.directory().forget_if_empty(line);
    }
    if (write) {
      home.data_of(line).set(index, value);
      node.log_warm(line, home.data_of(line), home.directory().counter_of(line));
    }
  }
  if (write) performed(kWarmOperation, object, value);
}

// The node has the line to read, or to write.
void Gam::warm_remote(Node& node, sim::Key line, bool write) {
  Frames& frames = node.cache().frames();
  Frame* frame = frames.find(line);
  if (frame != nullptr && (!write || frame->state == CacheState::dirty)) return;
  Node& home = *nodes_[home_of(line)];
  Entry& entry = home.directory().entry(line);
  const bool upgrade = frame != nullptr;
  if (!upgrade) frame = frames.take(line);
  frame->request = node.cache().next_number();
  if (entry.state == DirectoryState::dirty) {
    Node& owner = *nodes_[entry.owner.node];
    Frame& owned = *owner.cache().frames().find(line);
    if (write) {
      frame->data = std::move(owned.data);
      warm_drop(owner, owned);
    } else {
      warm_write_back(owner, owned);
      owned.state = CacheState::shared;
      entry.sharers.assign(1, entry.owner);
    }
    entry.owner = {};
  }
  if (write) {
    for (const Sharer& sharer : entry.sharers) {
      if (sharer.node == node.id()) continue;
      Node& other = *nodes_[sharer.node];
      warm_drop(other, *other.cache().frames().find(line));
    }
  }
  if (!upgrade && !(write && entry.state == DirectoryState::dirty)) {
    frame->data.load(home.server().nic().memory().read(shared_.offset_of(line), options_.line_bytes).bytes());
  }
  const Sharer copy{node.id(), frame->request};
  if (write) {
    entry.sharers.clear();
    entry.owner = copy;
    entry.state = DirectoryState::dirty;
    frame->state = CacheState::dirty;
    frame->counter = home.log_warm_owner(line, node.id());
  } else {
    entry.sharers.push_back(copy);
    entry.state = DirectoryState::shared;
    frame->state = CacheState::shared;
  }
}

void Gam::warm_trim(Node& node) {
  Frames& frames = node.cache().frames();
  while (frames.used_frames() > options_.threshold()) {
    Frame& victim = node.cache().victim();
    const sim::Key line = victim.line;
    Directory& directory = nodes_[home_of(line)]->directory();
    Entry& entry = directory.entry(line);
    if (victim.state == CacheState::dirty) {
      warm_write_back(node, victim);
      entry.owner = {};
    } else {
      std::erase_if(entry.sharers, [&](const Sharer& sharer) { return sharer.node == node.id(); });
    }
    if (entry.sharers.empty()) entry.state = DirectoryState::unshared;
    directory.forget_if_empty(line);
    warm_drop(node, victim);
  }
}

void Gam::warm_drop(Node& node, Frame& frame) {
  frame.state = CacheState::invalid;
  node.cache().frames().release(frame);
}

void Gam::warm_write_back(Node& owner, Frame& frame) {
  models::Memory& memory = nodes_[home_of(frame.line)]->server().nic().memory();
  memory.write(shared_.offset_of(frame.line), owner.bytes_of(frame.data));
}

}  // namespace racksim::gam

// Functional warm-up: one access at a time, without messages or time, with the same changes to caches, directories and
// memory as the protocol makes when nothing else is under way.
#include <utility>

#include "protocols/gam/gam.hpp"
#include "protocols/gam/home/home_data.hpp"

namespace racksim::gam {

namespace {
template <class Data>
void log_warm(Node& node, sim::Key line, const Data& data, std::uint32_t counter) {
  if (Log* log = node.log()) log->keep(line, LogEntry::dlog(data, counter));
}
}  // namespace

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
      log_warm(node, line, frame.data, frame.counter);
    }
    warm_trim(node);
  } else {
    if (const Entry* known = home.directory().find(line); known != nullptr) {
      Entry& entry = home.directory().entry(line);
      if (entry.state == DirectoryState::dirty) warm_share(entry, line);
      if (write) {
        warm_invalidate(entry, line, node.id());
        entry.state = DirectoryState::unshared;
      }
      home.directory().forget_if_empty(line);
    }
    if (write) {
      HomeData data(shared_, line);
      data.set(index, value);
      log_warm(node, line, data, home.directory().counter_of(line));
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
  const bool from_owner = write && entry.state == DirectoryState::dirty;
  if (from_owner) {
    Node& owner = *nodes_[entry.owner.node];
    Frame& owned = *owner.cache().frames().find(line);
    frame->data = std::move(owned.data);
    warm_drop(owner, owned);
  } else if (entry.state == DirectoryState::dirty) {
    warm_share(entry, line);
  }
  if (write) warm_invalidate(entry, line, node.id());
  if (!upgrade && !from_owner) {
    frame->data.load(home.server().nic().memory(), shared_.offset_of(line), options_.line_bytes);
  }
  const Sharer copy{node.id(), frame->request};
  if (write) {
    entry.owner = copy;
    entry.state = DirectoryState::dirty;
    frame->state = CacheState::dirty;
    if (Log* log = home.log()) {
      frame->counter = home.directory().raise_counter(line);
      log->keep(line, LogEntry::olog(node.id(), frame->counter));
    }
  } else {
    entry.sharers.push_back(copy);
    entry.state = DirectoryState::shared;
    frame->state = CacheState::shared;
  }
}

// The owner writes the line back and keeps a share.
void Gam::warm_share(Entry& entry, sim::Key line) {
  Frame& frame = *nodes_[entry.owner.node]->cache().frames().find(line);
  warm_write_back(frame);
  frame.state = CacheState::shared;
  entry.sharers.assign(1, std::exchange(entry.owner, {}));
  entry.state = DirectoryState::shared;
}

// All shares but that of one node go.
void Gam::warm_invalidate(Entry& entry, sim::Key line, NodeId but) {
  for (const Sharer& sharer : std::exchange(entry.sharers, {})) {
    Node& other = *nodes_[sharer.node];
    if (sharer.node != but) warm_drop(other, *other.cache().frames().find(line));
  }
}

void Gam::warm_trim(Node& node) {
  Frames& frames = node.cache().frames();
  while (frames.used_frames() > options_.threshold()) {
    Frame& victim = *node.cache().victim();  // at rest there is one
    const sim::Key line = victim.line;
    Directory& directory = nodes_[home_of(line)]->directory();
    Entry& entry = directory.entry(line);
    if (victim.state == CacheState::dirty) {
      warm_write_back(victim);
      entry.owner = {};
    } else {
      entry.strike_off(node.id());
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

void Gam::warm_write_back(const Frame& frame) {
  const auto objects = static_cast<std::uint16_t>(shared_.objects_per_line());
  frame.data.write_back({.low = 0, .high = objects}, shared_.memory_of(home_of(frame.line)),
                        shared_.offset_of(frame.line));
}

}  // namespace racksim::gam

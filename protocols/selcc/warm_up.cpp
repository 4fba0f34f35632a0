// Functional warm-up: one access at a time, without messages or time, with the same changes to caches, latch words and
// memory as the protocol makes when nothing else is under way.
#include "protocols/selcc/selcc.hpp"

namespace racksim::selcc {

// A line that is only read lies nowhere but in memory and in copies of it.
void Selcc::warm_access(models::Session session, models::GlobalAddress address, bool write) {
  ComputeNode& node = *nodes_[session.node];
  const sim::Key object = object_of(address), line = block_of(address);
  const NodeId id = node.id();
  Frame* frame = node.cache().find(line);
  if (frame == nullptr || (write && !writable(frame->state))) {
    const LatchWord word = lines_.word_of(line);
    const bool upgrade = frame != nullptr;
    Frame* owner = word.names_owner() ? nodes_[word.owner()]->cache().find(line) : nullptr;
    if (!upgrade) frame = &warm_frame(node, line);
    if (owner != nullptr && write) {  // case 1: what is dirty travels
      frame->data = std::move(owner->data);
      frame->dirty = options_.dirty_travels ? owner->dirty : ObjectRange{};
      owner->state = FrameState::absent;
      nodes_[word.owner()]->cache().release(*owner);
      lines_.set_word(line, LatchWord::modified(id));
    } else if (owner != nullptr) {  // case 2: by way of memory, which has it from now on
      warm_write_back(*owner);
      owner->state = FrameState::shared;
      lines_.set_word(line, LatchWord::shared(id) + LatchWord::shared(word.owner()));
    } else if (write) {
      word.for_each_reader([&](NodeId reader) {
        if (reader == id) return;
        Frame& copy = *nodes_[reader]->cache().find(line);
        copy.state = FrameState::absent;
        nodes_[reader]->cache().release(copy);
      });
      lines_.set_word(line, LatchWord::modified(id));
    } else {
      lines_.set_word(line, word.bits() + LatchWord::shared(id));
    }
    if (!upgrade && !(owner != nullptr && write)) {
      frame->data.load(lines_.memory_of(line).read(lines_.address_of(line, 0), options_.line_bytes).bytes());
    }
    frame->state = write ? FrameState::modified : FrameState::shared;
  }
  node.cache().touch(*frame);
  if (!write) return;
  const sim::Value value = next_value(session);
  frame->data.set(lines_.index_of(object), value);
  frame->dirty.widen(lines_.index_of(object));
  performed(kWarmOperation, object, value);
  // So that a crash can undo nothing of before the run.
  if (recovery_) warm_write_back(*frame);
}

// A free frame, besides as many as the evictor keeps free, if the cache has so many.
Frame& Selcc::warm_frame(ComputeNode& node, sim::Key line) {
  Cache& cache = node.cache();
  if (cache.free_frames() <= options_.least_free()) {
    cache.offer_victims(options_.least_free() + 1 - cache.free_frames(), [&](Frame& victim) {
      const bool modified = victim.state == FrameState::modified;
      if (modified) warm_write_back(victim);
      const std::uint64_t part = modified ? LatchWord::modified(node.id()) : LatchWord::shared(node.id());
      lines_.set_word(victim.line, lines_.word_of(victim.line).bits() - part);
      victim.state = FrameState::absent;
      cache.release(victim);
      return true;
    });
  }
  return *cache.take(line);
}

void Selcc::warm_write_back(Frame& frame) {
  if (frame.dirty.empty()) return;
  const ObjectRange range =
      options_.dirty_boundaries ? frame.dirty : ObjectRange{.low = 0, .high = lines_.objects_per_line()};
  std::vector<std::byte> bytes(range.bytes());
  frame.data.store(range, bytes);
  lines_.memory_of(frame.line).write(lines_.address_of(frame.line, range.low), bytes);
  frame.dirty = {};
}

}  // namespace racksim::selcc

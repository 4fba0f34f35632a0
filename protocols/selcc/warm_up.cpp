// Functional warm-up: one access at a time, without messages or time, with the same changes to caches, latch words and
// memory as the protocol makes when nothing else is under way.
#include "protocols/line_cache/warm_batch.hpp"
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
      nodes_[word.owner()]->warm_drop(*owner);
      lines_.set_word(line, LatchWord::modified(id));
    } else if (owner != nullptr) {  // case 2: by way of memory, which has it from now on
      warm_write_back(*owner);
      owner->state = FrameState::shared;
      lines_.set_word(line, LatchWord::shared(id) + LatchWord::shared(word.owner()));
    } else if (write) {
      word.for_each_reader([&](NodeId reader) {
        if (reader != id) nodes_[reader]->warm_drop(*nodes_[reader]->cache().find(line));
      });
      lines_.set_word(line, LatchWord::modified(id));
    } else {
      lines_.set_word(line, word.bits() + LatchWord::shared(id));
    }
    if (!upgrade && !(owner != nullptr && write)) {
      lines_.load(line, frame->data);
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

void Selcc::warm_accesses(std::span<const WarmAccess> accesses) {
  line_cache::warm_batch(*this, nodes_, lines_, accesses);
}

Frame& Selcc::warm_frame(ComputeNode& node, sim::Key line) {
  return node.warm_frame(line, [&](Frame& victim) {
    const bool modified = victim.state == FrameState::modified;
    if (modified) warm_write_back(victim);
    const std::uint64_t part = modified ? LatchWord::modified(node.id()) : LatchWord::shared(node.id());
    lines_.set_word(victim.line, lines_.word_of(victim.line).bits() - part);
  });
}

void Selcc::warm_write_back(Frame& frame) {
  if (frame.dirty.empty()) return;
  lines_.store(frame.line, frame.data, options_.dirty_boundaries ? frame.dirty : lines_.whole());
  frame.dirty = {};
}

}  // namespace racksim::selcc

// Hash table, LRU lists and free list. See cache.hpp.
#include "protocols/selcc/cache.hpp"

#include <algorithm>

#include "sim/kernel/invariant.hpp"

namespace racksim::selcc {

Cache::Cache(std::uint32_t frames, std::uint32_t shards)
    : frames_(frames), free_(frames), index_(16, Frame::kNone), shards_(std::min(shards, frames)) {}

std::size_t Cache::slot_of(sim::Key line) const {
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = mixed(line) & mask;
  while (index_[slot] != Frame::kNone && frame(index_[slot]).line != line) slot = (slot + 1) & mask;
  return slot;
}

Frame* Cache::take(sim::Key line) {
  if (free_ == 0) return nullptr;
  --free_;
  std::uint32_t number = given_back_;
  if (number != Frame::kNone) {
    given_back_ = frame(number).newer;
  } else {
    if (made_ % kChunk == 0) chunks_.push_back(std::make_unique<Frame[]>(std::min(kChunk, frames_ - made_)));
    number = made_++;
  }
  if ((frames_ - free_) * std::size_t{4} > index_.size() * 3) grow();
  Frame& taken = frame(number);
  RACKSIM_INVARIANT(taken.state == FrameState::absent && taken.latch == 0, "a free frame holds nothing");
  taken.line = line;
  index_[slot_of(line)] = number;
  link(shard_of(line), number);
  return &taken;
}

void Cache::release(Frame& freed) {
  RACKSIM_INVARIANT(freed.state == FrameState::absent && freed.latch == 0, "a frame that is freed holds nothing");
  const std::size_t mask = index_.size() - 1;
  std::size_t hole = slot_of(freed.line);
  const std::uint32_t number = index_[hole];
  unlink(shard_of(freed.line), number);
  // What was pushed on by the one that goes moves back.
  for (std::size_t slot = (hole + 1) & mask; index_[slot] != Frame::kNone; slot = (slot + 1) & mask) {
    const std::size_t home = mixed(frame(index_[slot]).line) & mask;
    if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
    index_[hole] = index_[slot];
    hole = slot;
  }
  index_[hole] = Frame::kNone;
  freed.data.clear();
  freed.dirty = {};
  freed.writer_priority = 0;
  freed.attended = false;
  freed.newer = given_back_;
  given_back_ = number;
  ++free_;
}

void Cache::touch(Frame& used) {
  Shard& shard = shard_of(used.line);
  if (used.newer == Frame::kNone) return;
  const std::uint32_t number = frame(used.newer).older;
  unlink(shard, number);
  link(shard, number);
}

void Cache::link(Shard& shard, std::uint32_t number) {
  Frame& linked = frame(number);
  linked.newer = Frame::kNone;
  linked.older = shard.newest;
  (shard.newest != Frame::kNone ? frame(shard.newest).newer : shard.oldest) = number;
  shard.newest = number;
}

void Cache::unlink(Shard& shard, std::uint32_t number) {
  const Frame& unlinked = frame(number);
  (unlinked.newer != Frame::kNone ? frame(unlinked.newer).older : shard.newest) = unlinked.older;
  (unlinked.older != Frame::kNone ? frame(unlinked.older).newer : shard.oldest) = unlinked.newer;
}

void Cache::grow() {
  std::vector<std::uint32_t> old(index_.size() * 2, Frame::kNone);
  old.swap(index_);
  for (const std::uint32_t number : old) {
    if (number != Frame::kNone) index_[slot_of(frame(number).line)] = number;
  }
}

void Cache::clear() {
  *this = Cache(frames_, static_cast<std::uint32_t>(shards_.size()));
}

}  // namespace racksim::selcc

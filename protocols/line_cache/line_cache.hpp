// The cache of a node: a hash table of frames in shards, each with an LRU list, and a free list (SELCC §5). For every
// protocol that caches lines of remote memory.
//
// A line belongs to one shard for good (SELCC), or each access draws the list that it moves to (GAM §2.6): then the
// frame has a member `lru_list`.
//
// Frames are made as they are first used. The hash table has their numbers only (line_index.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "protocols/line_cache/line_index.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/record/ids.hpp"

namespace racksim::line_cache {

/// What a frame has for the cache; a protocol's frame derives from it.
struct CacheLinks {
  static constexpr std::uint32_t kNone = LineIndex::kNone;

  sim::Key line;
  std::uint32_t newer = kNone, older = kNone;  ///< neighbours in its LRU list, or the next free frame
};

/// A frame that moves between the LRU lists.
template <class Frame>
concept DrawsList = requires(Frame& frame) {
  frame.lru_list;
};

/// `Frame` derives from CacheLinks and has `bool holds_nothing() const`, which is true as long as it is free, and
/// `void forget()`, which makes it as if it had never been used.
template <class Frame>
class LineCache {
 public:
  /// What a frame in use takes of memory: its part of the table, and a piece for the line's values too.
  static constexpr std::uint64_t kFrameBytes = sizeof(Frame) + LineIndex::kEntryBytes + 64;

  LineCache(std::uint32_t frames, std::uint32_t shards)
      : frames_(frames), free_(frames), shards_(std::min(shards, frames)) {}

  /// The line's frame, or null.
  Frame* find(sim::Key line) {
    const std::uint32_t number = index_of(line);
    return number == kNone ? nullptr : &frame(number);
  }
  const Frame* find(sim::Key line) const { return const_cast<LineCache*>(this)->find(line); }
  /// Gives a line, which has none, a free frame as the most recently used; null if there is none.
  Frame* take(sim::Key line);
  /// Frees a frame: the line has none any more.
  void release(Frame& frame);
  /// It is used now.
  void touch(Frame& frame);
  /// The same, and it moves to this list.
  void touch(Frame& frame, std::uint32_t list) requires DrawsList<Frame>;
  /// The least recently used frame of a list that `suits`, or if it has none of the next list in turn; null if there is
  /// none.
  template <class Suits>
  const Frame* find_oldest(std::uint32_t list, Suits&& suits) const {
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      for (std::uint32_t at = shards_[(list + i) % shards_.size()].oldest; at != kNone; at = frame(at).newer) {
        if (suits(frame(at))) return &frame(at);
      }
    }
    return nullptr;
  }
  template <class Suits>
  Frame* find_oldest(std::uint32_t list, Suits&& suits) {
    return const_cast<Frame*>(std::as_const(*this).find_oldest(list, suits));
  }
  /// Which one it is, from 0: where it lies in the cache's memory.
  std::uint32_t number_of(const Frame& frame) const { return index_of(frame.line); }

  // To have at hand what a use of a line will touch, in three steps, each of which reads what the one before fetches.
  void prefetch_index(sim::Key line) const { index_.prefetch(line); }
  void prefetch_frame(sim::Key line) const {
    if (const std::uint32_t number = index_.guess(line); number != kNone) __builtin_prefetch(&frame(number));
  }
  /// False if the line seems to have no frame.
  bool prefetch_neighbours(sim::Key line) const {
    const std::uint32_t number = index_.guess(line);
    if (number == kNone) return false;
    const Frame& found = frame(number);
    if (found.newer != kNone) __builtin_prefetch(&frame(found.newer));
    if (found.older != kNone) __builtin_prefetch(&frame(found.older));
    return found.line == line;
  }

  std::uint32_t frames() const { return frames_; }
  std::uint32_t used_frames() const { return frames_ - free_; }
  std::uint32_t free_frames() const { return free_; }
  /// Calls `take(Frame&)` with frames from the least recently used on, the shards in turn, until it has returned true
  /// `wanted` times or all have been offered.
  template <class Take>
  void offer_victims(std::uint32_t wanted, Take&& take);
  /// The least recently used frame of the next shard that has one: what `offer_victims` offers first.
  Frame& next_victim() {
    for (;;) {
      const std::uint32_t oldest = shards_[next_shard_].oldest;
      next_shard_ = (next_shard_ + 1) % shards_.size();
      if (oldest != kNone) return frame(oldest);
    }
  }
  /// Likely the victim behind so many others; null if nobody knows. Looks at no frame.
  const Frame* victim_ahead(std::size_t others) const {
    const std::uint32_t oldest = shards_[(next_shard_ + others) % shards_.size()].oldest;
    return oldest == kNone ? nullptr : &frame(oldest);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Shard& shard : shards_) {
      for (std::uint32_t at = shard.oldest; at != kNone; at = frame(at).newer) visit(frame(at));
    }
  }
  void clear();

 private:
  static constexpr std::uint32_t kNone = CacheLinks::kNone;
  static constexpr std::uint32_t kChunk = 4096;
  struct Shard {
    std::uint32_t newest = kNone, oldest = kNone;
  };

  Frame& frame(std::uint32_t number) { return chunks_[number / kChunk][number % kChunk]; }
  const Frame& frame(std::uint32_t number) const { return chunks_[number / kChunk][number % kChunk]; }
  std::uint32_t index_of(sim::Key line) const {
    return index_.find(line, [&](std::uint32_t number) { return frame(number).line == line; });
  }
  Shard& shard_of(const Frame& frame) {
    if constexpr (DrawsList<Frame>) {
      return shards_[frame.lru_list];
    } else {
      return shards_[(LineIndex::hash_of(frame.line) >> 40) % shards_.size()];
    }
  }
  void link(Shard& shard, std::uint32_t number);
  void unlink(Shard& shard, std::uint32_t number);

  std::uint32_t frames_;
  std::uint32_t free_;                            // never used or given back
  std::uint32_t made_ = 0;                        // frames that exist
  std::uint32_t given_back_ = kNone;              // the first of a list
  std::vector<std::unique_ptr<Frame[]>> chunks_;  // of kChunk frames
  LineIndex index_;
  std::vector<Shard> shards_;
  std::size_t next_shard_ = 0;  // to be asked for a victim
};

template <class Frame>
Frame* LineCache<Frame>::take(sim::Key line) {
  if (free_ == 0) return nullptr;
  --free_;
  std::uint32_t number = given_back_;
  if (number != kNone) {
    given_back_ = frame(number).newer;
  } else {
    if (made_ % kChunk == 0) chunks_.push_back(std::make_unique<Frame[]>(std::min(kChunk, frames_ - made_)));
    number = made_++;
  }
  Frame& taken = frame(number);
  RACKSIM_INVARIANT(taken.holds_nothing(), "a free frame holds nothing");
  taken.line = line;
  index_.insert(line, number);
  link(shard_of(taken), number);
  return &taken;
}

template <class Frame>
void LineCache<Frame>::release(Frame& freed) {
  RACKSIM_INVARIANT(freed.holds_nothing(), "a frame that is freed holds nothing");
  const std::uint32_t number = index_.erase(freed.line, [&](std::uint32_t of) { return &frame(of) == &freed; });
  unlink(shard_of(freed), number);
  freed.forget();
  freed.newer = given_back_;
  given_back_ = number;
  ++free_;
}

template <class Frame>
void LineCache<Frame>::touch(Frame& used) {
  Shard& shard = shard_of(used);
  if (used.newer == kNone) return;
  const std::uint32_t number = frame(used.newer).older;
  unlink(shard, number);
  link(shard, number);
}

template <class Frame>
void LineCache<Frame>::touch(Frame& used, std::uint32_t list) requires DrawsList<Frame> {
  const std::uint32_t number = number_of(used);
  unlink(shard_of(used), number);
  used.lru_list = static_cast<decltype(used.lru_list)>(list);
  link(shard_of(used), number);
}

template <class Frame>
void LineCache<Frame>::link(Shard& shard, std::uint32_t number) {
  Frame& linked = frame(number);
  linked.newer = kNone;
  linked.older = shard.newest;
  (shard.newest != kNone ? frame(shard.newest).newer : shard.oldest) = number;
  shard.newest = number;
}

template <class Frame>
void LineCache<Frame>::unlink(Shard& shard, std::uint32_t number) {
  const Frame& unlinked = frame(number);
  (unlinked.newer != kNone ? frame(unlinked.newer).older : shard.newest) = unlinked.older;
  (unlinked.older != kNone ? frame(unlinked.older).newer : shard.oldest) = unlinked.newer;
}

template <class Frame>
void LineCache<Frame>::clear() {
  *this = LineCache(frames_, static_cast<std::uint32_t>(shards_.size()));
}

template <class Frame>
template <class Take>
void LineCache<Frame>::offer_victims(std::uint32_t wanted, Take&& take) {
  // Where each shard stands, so that a frame is offered once.
  std::vector<std::uint32_t> at(shards_.size());
  for (std::size_t i = 0; i < shards_.size(); ++i) at[i] = shards_[i].oldest;
  std::size_t empty = 0;
  while (wanted > 0 && empty < shards_.size()) {
    std::uint32_t& candidate = at[next_shard_];
    next_shard_ = (next_shard_ + 1) % shards_.size();
    bool taken = false;
    while (candidate != kNone && !taken) {
      Frame& offered = frame(candidate);
      candidate = offered.newer;
      taken = take(offered);
    }
    empty = taken ? 0 : empty + 1;
    if (taken) --wanted;
  }
}

}  // namespace racksim::line_cache

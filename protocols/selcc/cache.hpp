// The cache of a compute node: a hash table of frames in shards, each with an LRU list, and a free list (SELCC §5).
//
// Frames are made as they are first used. The hash table has their numbers only: 4 bytes an entry, at most three
// quarters full.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "protocols/selcc/frame.hpp"

namespace racksim::selcc {

class Cache {
 public:
  Cache(std::uint32_t frames, std::uint32_t shards);

  /// The line's frame, or null.
  Frame* find(sim::Key line) {
    const std::uint32_t number = index_[slot_of(line)];
    return number == Frame::kNone ? nullptr : &frame(number);
  }
  const Frame* find(sim::Key line) const { return const_cast<Cache*>(this)->find(line); }
  /// Gives a line, which has none, a free frame as the most recently used; null if there is none.
  Frame* take(sim::Key line);
  /// Frees a frame: the line has none any more.
  void release(Frame& frame);
  /// It is used now.
  void touch(Frame& frame);

  std::uint32_t frames() const { return frames_; }
  std::uint32_t free_frames() const { return free_; }
  /// Calls `take(Frame&)` with frames from the least recently used on, the shards in turn, until it has returned true
  /// `wanted` times or all have been offered.
  template <class Take>
  void offer_victims(std::uint32_t wanted, Take&& take);
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Shard& shard : shards_) {
      for (std::uint32_t at = shard.oldest; at != Frame::kNone; at = frame(at).newer) visit(frame(at));
    }
  }
  void clear();

 private:
  static constexpr std::uint32_t kChunk = 4096;
  struct Shard {
    std::uint32_t newest = Frame::kNone, oldest = Frame::kNone;
  };

  static std::uint64_t mixed(sim::Key line) {
    std::uint64_t x = line.number();
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
    return x ^ x >> 29;
  }
  Frame& frame(std::uint32_t number) { return chunks_[number / kChunk][number % kChunk]; }
  const Frame& frame(std::uint32_t number) const { return chunks_[number / kChunk][number % kChunk]; }
  /// Where the line stands in the table, or where it would.
  std::size_t slot_of(sim::Key line) const;
  Shard& shard_of(sim::Key line) { return shards_[(mixed(line) >> 40) % shards_.size()]; }
  void link(Shard& shard, std::uint32_t number);
  void unlink(Shard& shard, std::uint32_t number);
  void grow();

  std::uint32_t frames_;
  std::uint32_t free_;                            // never used or given back
  std::uint32_t made_ = 0;                        // frames that exist
  std::uint32_t given_back_ = Frame::kNone;       // the first of a list
  std::vector<std::unique_ptr<Frame[]>> chunks_;  // of kChunk frames
  std::vector<std::uint32_t> index_;              // a power of two; linear probing
  std::vector<Shard> shards_;
  std::size_t next_shard_ = 0;  // to be asked for a victim
};

template <class Take>
void Cache::offer_victims(std::uint32_t wanted, Take&& take) {
  // Where each shard stands, so that a frame is offered once.
  std::vector<std::uint32_t> at(shards_.size());
  for (std::size_t i = 0; i < shards_.size(); ++i) at[i] = shards_[i].oldest;
  std::size_t empty = 0;
  while (wanted > 0 && empty < shards_.size()) {
    std::uint32_t& candidate = at[next_shard_];
    next_shard_ = (next_shard_ + 1) % shards_.size();
    bool taken = false;
    while (candidate != Frame::kNone && !taken) {
      Frame& offered = frame(candidate);
      candidate = offered.newer;
      taken = take(offered);
    }
    empty = taken ? 0 : empty + 1;
    if (taken) --wanted;
  }
}

}  // namespace racksim::selcc

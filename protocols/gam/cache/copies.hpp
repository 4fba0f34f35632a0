// The copies that a node has of other nodes' lines, and what is under way about them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "protocols/gam/cache/cache_work.hpp"
#include "protocols/gam/cache/frame.hpp"
#include "protocols/gam/channels/output.hpp"
#include "protocols/gam/rules/numbers.hpp"
#include "protocols/gam/rules/shared.hpp"
#include "sim/random/random.hpp"

namespace racksim::gam {

struct Copies {
  Copies(Shared& shared, Output& output);

  Shared& shared;
  Output& output;
  Frames frames;
  sim::RandomStream random;
  Numbers numbers;                                             ///< of requests and write-backs under way
  std::size_t works = 0;                                       ///< frames that have one
  std::uint32_t dying = 0;                                     ///< lines that are being written back
  std::vector<std::vector<std::uint32_t>> write_back_buffers;  ///< free ones, by home

  /// Nothing is cached or under way.
  void clear();
  NodeId self() const { return output.self(); }
  std::uint32_t random_list() { return static_cast<std::uint32_t>(random.below(shared.options.lru_lists)); }
  void touch(Frame& frame) { frames.touch(frame, random_list()); }
  LineWork& work_of(Frame& frame) {
    if (frame.work == nullptr) {
      frame.work = std::make_unique<LineWork>();
      ++works;
    }
    return *frame.work;
  }
  /// Frees what has nothing.
  void tidy(Frame& frame) {
    if (!is_stable(frame.state)) return;
    if (frame.work != nullptr && frame.work->initiator == nullptr && frame.work->pending.empty()) {
      frame.work.reset();
      --works;
    }
    if (frame.holds_nothing()) frames.release(frame);
  }
  bool may_evict(const Frame& frame) const;
  bool is_overfull() const { return frames.used_frames() - dying > shared.options.threshold(); }
  /// The least recently used line that may be evicted of a list that is drawn, or if it has none of the next that has
  /// one; null if there is none.
  Frame* victim() {
    return frames.find_oldest(random_list(), [this](const Frame& frame) { return may_evict(frame); });
  }
};

}  // namespace racksim::gam

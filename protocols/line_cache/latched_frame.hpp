// A cache frame with a local shared-exclusive latch: the copy of a line, and what the node may do with it (SELCC §4.2).
#pragma once

#include <cstdint>

#include "protocols/latched_memory/line_data.hpp"
#include "protocols/line_cache/line_cache.hpp"

namespace racksim::line_cache {

/// `State` has an enumerator `absent`.
template <class State>
struct LatchedFrame : CacheLinks {
  static constexpr std::int16_t kExclusive = -1;

  latched_memory::LineData data;
  std::int16_t latch = 0;  ///< the local latch: readers, or kExclusive
  State state = State::absent;
  bool attended = false;  ///< something is under way about it (line_works.hpp)

  bool holds_nothing() const { return state == State::absent && latch == 0; }
  void forget() {
    data.clear();
    attended = false;
  }
};

}  // namespace racksim::line_cache

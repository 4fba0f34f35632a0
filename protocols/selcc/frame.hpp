// A cache frame: the copy of a line, the ownership memo and the local shared-exclusive latch (SELCC §4.2).
//
// The memo is more than Modified, Shared and Invalid: what a node may do with a line depends on what it is about to
// acquire or give away. The states, and what leads from one to the other, are in frame_table.cpp.
#pragma once

#include <cstdint>

#include "protocols/line_cache/latched_frame.hpp"
#include "sim/record/history.hpp"
#include "sim/record/ids.hpp"

namespace racksim::selcc {

using latched_memory::LineData;
using latched_memory::ObjectRange;

enum class FrameState : std::uint8_t {
  absent,  ///< Invalid
  shared,
  modified,
  shared_unconfirmed,    ///< given by another node, whose atomic may not have changed the word yet
  modified_unconfirmed,  ///< the same
  shared_giving,         ///< shared with another node, by an atomic that may not have changed the word yet
  given,                 ///< handed over; the frame is still being sent
  acquiring_shared,      ///< FAA and READ are out
  acquiring_modified,    ///< CAS and READ are out
  upgrade_settling,      ///< Shared, to be upgraded once it is confirmed
  upgrading,             ///< Shared; the CAS is out
  undoing,               ///< the failed reader's second FAA is out
  asking_shared,         ///< an invalidation is out
  asking_modified,       ///< one or more are
  asking_upgrade,        ///< the same; Shared
  pausing_shared,        ///< before the next attempt
  pausing_modified,      ///< the same
  pausing_upgrade,       ///< the same; Shared
  falling_back,          ///< the share's release is out, before Modified is acquired
  count
};

/// Whether a thread with the local latch may read, or write, without asking anybody (Table 1).
constexpr bool readable(FrameState state) {
  return state >= FrameState::shared && state <= FrameState::shared_giving;
}
constexpr bool writable(FrameState state) {
  return state == FrameState::modified || state == FrameState::modified_unconfirmed;
}

/// Nothing is under way about it, but for threads here.
constexpr bool is_stable(FrameState state) {
  return state <= FrameState::modified;
}

/// What a node may do with its copy, for oracles: also while it waits to upgrade it.
constexpr sim::Permission permission_of(FrameState state) {
  switch (state) {
    case FrameState::modified:
    case FrameState::modified_unconfirmed:
      return sim::Permission::write;
    case FrameState::shared:
    case FrameState::shared_unconfirmed:
    case FrameState::shared_giving:
    case FrameState::upgrade_settling:
    case FrameState::upgrading:
    case FrameState::asking_upgrade:
    case FrameState::pausing_upgrade:
      return sim::Permission::read;
    default:
      return sim::Permission::none;
  }
}

struct Frame : line_cache::LatchedFrame<FrameState> {
  ObjectRange dirty{};
  std::uint8_t writer_priority = 0;  ///< of the starved writer that it was acquired for (§5.3.2)

  void drop_copy() {
    data.clear();
    note_clean();
  }
  /// Memory has what it has; a writer that it was acquired for has had it.
  void note_clean() {
    dirty = {};
    writer_priority = 0;
  }
  void forget() {
    LatchedFrame::forget();
    note_clean();
  }
};

using Cache = line_cache::LineCache<Frame>;

}  // namespace racksim::selcc

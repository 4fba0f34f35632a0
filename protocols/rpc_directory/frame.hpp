// A cache frame: the copy of a line, what the node possesses of it, and the local shared-exclusive latch.
#pragma once

#include <cstdint>

#include "protocols/line_cache/latched_frame.hpp"
#include "sim/record/history.hpp"

namespace racksim::rpc_directory {

using latched_memory::LineData;

enum class LineState : std::uint8_t {
  absent,
  shared,
  exclusive,         ///< and taken for dirty: memory does not have the page
  asking_shared,     ///< a read request is out
  asking_exclusive,  ///< a write request is
  upgrading,         ///< the same, with a share
  count
};

constexpr bool readable(LineState state) {
  return state == LineState::shared || state == LineState::exclusive;
}

constexpr bool writable(LineState state) {
  return state == LineState::exclusive;
}
/// No request is out.
constexpr bool is_stable(LineState state) {
  return state <= LineState::exclusive;
}

/// What a node may do with its copy, for oracles.
constexpr sim::Permission permission_of(LineState state) {
  if (state == LineState::exclusive) return sim::Permission::write;
  return state == LineState::shared || state == LineState::upgrading ? sim::Permission::read : sim::Permission::none;
}

struct Frame : line_cache::LatchedFrame<LineState> {
  std::uint64_t version = 0;  ///< of the copy: the number of the request that got it

  void drop_copy() {
    data.clear();
    version = 0;
  }
  void forget() {
    LatchedFrame::forget();
    version = 0;
  }
};

using Cache = line_cache::LineCache<Frame>;

}  // namespace racksim::rpc_directory

// A line in the cache of a remote node: its state there (GAM §2.2, with in-transition states for its target states),
// its data, and the lock that it has at this node (§4.1).
#pragma once

#include <cstdint>
#include <memory>

#include "protocols/gam/rules/line_lock.hpp"
#include "protocols/latched_memory/line_data.hpp"
#include "protocols/line_cache/line_cache.hpp"
#include "sim/record/history.hpp"

namespace racksim::gam {

using latched_memory::LineData;
struct LineWork;

enum class CacheState : std::uint8_t {
  invalid,
  shared,
  dirty,
  to_shared,   ///< a READ is under way
  to_dirty,    ///< a WRITE or WRITE_PERMISSION_ONLY is; of the latter the copy may still be there
  to_invalid,  ///< a WRITE_BACK is: the line is dying
  count
};

constexpr bool is_stable(CacheState state) {
  return state <= CacheState::dirty;
}

/// What a node may do with the line, for oracles.
constexpr sim::Permission permission_of(CacheState state) {
  if (state == CacheState::dirty) return sim::Permission::write;
  return state == CacheState::shared ? sim::Permission::read : sim::Permission::none;
}

struct Frame : line_cache::CacheLinks {
  LineData data;
  std::unique_ptr<LineWork> work;  ///< what is under way about it; null if nothing is
  std::uint32_t request = 0;       ///< that the copy came by
  std::uint32_t counter = 0;       ///< of the ownership, with logging
  LineLock lock;
  std::uint16_t lru_list = 0;
  CacheState state = CacheState::invalid;
  bool has_copy = false;  ///< with to_dirty: the sharer's copy has not been invalidated

  bool holds_nothing() const { return state == CacheState::invalid && lock.is_free() && work == nullptr; }
  void forget() {
    data.clear();
    request = counter = 0;
    has_copy = false;
  }
};

using Frames = line_cache::LineCache<Frame>;

}  // namespace racksim::gam

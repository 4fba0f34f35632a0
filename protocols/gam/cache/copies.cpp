// The size of a cache, and what it may evict. See copies.hpp.
#include "protocols/gam/cache/copies.hpp"

#include <fmt/core.h>

#include <limits>
#include <numeric>

namespace racksim::gam {

// The hash table grows as it has to: the threshold says when lines are evicted, and those in transition and locked
// ones come on top (§2.6).
Copies::Copies(Shared& of_all, Output& of_node)
    : shared(of_all),
      output(of_node),
      frames(std::numeric_limits<std::int32_t>::max(), static_cast<std::uint32_t>(of_all.options.lru_lists)),
      random(of_all.rack.seed(), fmt::format("gam/node{}/lru", of_node.self())),
      write_back_buffers(of_all.rack.nodes()) {
  clear();
}

// Also of write-backs that were under way the buffers are free: their homes drop what a dead node has sent.
void Copies::clear() {
  frames.clear();
  numbers.clear();
  works = dying = 0;
  for (auto& buffers : write_back_buffers) {
    buffers.resize(shared.options.write_back_buffers);
    std::iota(buffers.rbegin(), buffers.rend(), 0);
  }
}

bool Copies::may_evict(const Frame& frame) const {
  if (frame.work != nullptr || !frame.lock.is_free() || !is_stable(frame.state)) return false;
  if (output.is_cut_off(shared.home_of(frame.line))) return false;
  return frame.state == CacheState::shared || !write_back_buffers[shared.home_of(frame.line)].empty();
}

}  // namespace racksim::gam

// The latches of frames that the threads of a node hold over several accesses, by `lock`.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "models/service/memory_service.hpp"
#include "models/service/protocol.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::line_cache {

/// Threads hold one or two at a time.
template <class Frame>
class HeldLatches {
 public:
  struct Held {
    unsigned thread = 0;
    Frame* frame = nullptr;
    bool exclusive = false;
  };

  void add(unsigned thread, Frame& frame, bool exclusive) { all_.push_back({thread, &frame, exclusive}); }
  /// Null if the thread does not hold it.
  const Held* find(unsigned thread, sim::Key line) const {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const Held& h) { return h.thread == thread && h.frame->line == line; });
    return found == all_.end() ? nullptr : &*found;
  }
  std::optional<models::LockMode> mode(unsigned thread, sim::Key line) const {
    const Held* held = find(thread, line);
    if (held == nullptr) return std::nullopt;
    return held->exclusive ? models::LockMode::exclusive : models::LockMode::shared;
  }
  /// One that `find` has found is given back.
  Held take(const Held& held) {
    const Held taken = held;
    all_.erase(all_.begin() + (&held - all_.data()));
    return taken;
  }
  void clear() { all_.clear(); }
  /// Calls `visit(thread, line)` for each.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Held& held : all_) visit(held.thread, held.frame->line);
  }
  /// What is still held at the end, by the threads of a node. `object` is a line's first.
  template <class Object>
  void add_leaks(std::vector<models::Leak>& leaks, models::NodeId node, Object&& object) const {
    for (const Held& held : all_) {
      leaks.push_back({"leaked-lock",
                       fmt::format("thread {} of node {} holds the latch of line {}", held.thread, node,
                                   sim::printed_key(held.frame->line)),
                       {object(held.frame->line), {}}});
    }
  }

 private:
  std::vector<Held> all_;
};

}  // namespace racksim::line_cache

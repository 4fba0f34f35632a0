// The store buffer of a session: writes that have returned and are not performed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "sim/kernel/invariant.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::write_through {

class SessionBuffer {
 public:
  struct Write {
    sim::Key block;
    sim::Value value;
    sim::OperationId operation;
    bool sent = false;  ///< to its home, which may have performed it
  };
  /// Performs a write.
  using Perform = std::function<sim::Task<void>(Write)>;

  /// `in_order`: one write at a time; else one a block at a time.
  /// `one_too_many`: a defect.
  SessionBuffer(sim::Calendar& calendar, std::size_t entries, bool in_order, Perform perform, bool one_too_many = false)
      : entries_(entries),
        in_order_(in_order),
        one_too_many_(one_too_many),
        perform_(std::move(perform)),
        changed_(calendar),
        tasks_(calendar) {}

  /// Takes a write in, when there is room.
  sim::Task<void> push(Write write) {
    while (writes_.size() >= entries_ + (one_too_many_ ? 1 : 0)) co_await changed_.wait();
    writes_.push_back(write);
    RACKSIM_INVARIANT(writes_.size() <= entries_, "a store buffer holds no more writes than it has entries");
    tasks_.spawn(leave(write));
  }
  /// Ends when it is empty or, given a block, holds no write of it.
  sim::Task<void> drain(std::optional<sim::Key> block = std::nullopt) {
    while (holds(block)) co_await changed_.wait();
  }
  /// The newest value that it holds for a block. One that may have been performed may also have been overwritten by
  /// others: then this waits until that is known, and has nothing to forward.
  sim::Task<std::optional<sim::Value>> forward(sim::Key block) {
    for (;;) {
      const auto newest =
          std::find_if(writes_.rbegin(), writes_.rend(), [&](const Write& w) { return w.block == block; });
      if (newest == writes_.rend()) co_return std::nullopt;
      if (!newest->sent) co_return newest->value;
      co_await changed_.wait();
    }
  }
  bool empty() const { return writes_.empty(); }

 private:
  bool holds(std::optional<sim::Key> block) const {
    return std::any_of(writes_.begin(), writes_.end(), [&](const Write& w) { return !block || w.block == *block; });
  }
  /// Waits until the writes before it that it may not pass have left.
  sim::Task<void> leave(Write write) {
    const auto is_next = [&] {
      const auto first = std::find_if(writes_.begin(), writes_.end(),
                                      [&](const Write& w) { return in_order_ || w.block == write.block; });
      return first->operation == write.operation;
    };
    while (!is_next()) co_await changed_.wait();
    std::find_if(writes_.begin(), writes_.end(), [&](const Write& w) { return w.operation == write.operation; })->sent =
        true;
    co_await perform_(write);
    writes_.erase(
        std::find_if(writes_.begin(), writes_.end(), [&](const Write& w) { return w.operation == write.operation; }));
    changed_.notify_all();
  }

  std::size_t entries_;
  bool in_order_, one_too_many_;
  Perform perform_;
  std::deque<Write> writes_;
  sim::Signal changed_;
  sim::Scope tasks_;
};

}  // namespace racksim::write_through

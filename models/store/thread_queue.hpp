// Operations of a store that wait for their thread: it carries out one after the other, in the order in which they came,
// since a session of a memory service has one operation under way.
#pragma once

#include "sim/kernel/calendar.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::models {

class ThreadQueue {
 public:
  /// A turn at the thread, which goes to the next one when it is destroyed.
  class Turn {
   public:
    explicit Turn(ThreadQueue& queue) : queue_(queue) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (has_) queue_.leave();
    }
    /// Waits for it.
    sim::Task<void> come() {
      if (queue_.busy_) co_await queue_.signal_.wait();
      queue_.busy_ = has_ = true;
    }

   private:
    ThreadQueue& queue_;
    bool has_ = false;
  };

  explicit ThreadQueue(sim::Calendar& calendar) : signal_(calendar) {}

  /// Nobody is left, whoever was about to have his turn: a crash has ended them all.
  void forget() { busy_ = false; }

 private:
  /// The thread stays busy if somebody waits: nobody comes in between.
  void leave() {
    busy_ = signal_.has_waiters();
    if (busy_) signal_.notify_first();
  }

  sim::Signal signal_;
  bool busy_ = false;
};

}  // namespace racksim::models

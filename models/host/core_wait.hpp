// `co_await occupy(core, cost)`: a task spends time on a server core.
#pragma once

#include <coroutine>
#include <utility>

#include "models/host/core.hpp"

namespace racksim::models {

/// Queues behind the core's other work, and resumes the task when `cost` has been spent. A task that is destroyed
/// before takes its work back (Core::forget).
class [[nodiscard]] Occupy {
 public:
  Occupy(Core& core, sim::Duration cost) : core_(core), cost_(cost) {}
  Occupy(const Occupy&) = delete;
  Occupy& operator=(const Occupy&) = delete;
  ~Occupy() {
    if (task_) core_.forget(this);
  }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    core_.run<&Occupy::finish>(cost_, *this);
  }
  void await_resume() const noexcept {}

 private:
  void finish() { std::exchange(task_, nullptr).resume(); }
  Core& core_;
  sim::Duration cost_;
  std::coroutine_handle<> task_;
};

inline Occupy occupy(Core& core, sim::Duration cost) {
  return Occupy(core, cost);
}

}  // namespace racksim::models

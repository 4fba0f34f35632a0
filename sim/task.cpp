// Ends of tasks, and the scopes that own them. See task.hpp.
#include "sim/task.hpp"

#include <algorithm>

namespace racksim::sim {

namespace detail {

void PromiseBase::finished(std::coroutine_handle<> self, PromiseBase& promise) noexcept {
  if (promise.scope != nullptr) {
    promise.scope->finished(self);  // destroys the frame: nothing of it may be touched afterwards
  } else if (promise.completion != nullptr) {
    promise.completion->task_finished();
  } else if (promise.continuation) {
    promise.calendar->resume_soon(promise.continuation);
  }
}

}  // namespace detail

void Scope::spawn(Task<void> task) {
  const auto handle = task.detach();
  handle.promise().calendar = &calendar_;
  handle.promise().scope = this;
  tasks_.push_back(handle);
  handle.resume();
}

void Scope::finished(std::coroutine_handle<> task) {
  tasks_.erase(std::find(tasks_.begin(), tasks_.end(), task));
  task.destroy();
}

void Scope::cancel_all() {
  // Destroying a task may run destructors that look at the scope: take the list first.
  const auto tasks = std::exchange(tasks_, {});
  for (const auto task : tasks) task.destroy();
}

}  // namespace racksim::sim

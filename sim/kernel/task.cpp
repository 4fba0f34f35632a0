// Ends of tasks, and the scopes that own them. See task.hpp.
#include "sim/kernel/task.hpp"

#include <utility>

namespace racksim::sim {

namespace detail {

void PromiseBase::finished(PromiseBase& promise) noexcept {
  if (promise.scope != nullptr) {
    promise.scope->finished(promise);  // destroys the frame: nothing of it may be touched afterwards
  } else if (promise.completion != nullptr) {
    promise.completion->task_finished(promise.error != nullptr);
  } else if (promise.continuation) {
    promise.calendar->resume_soon(promise.continuation);
  }
}

}  // namespace detail

namespace {
/// Root tasks return nothing.
std::coroutine_handle<> handle_of(detail::PromiseBase& root) {
  return std::coroutine_handle<detail::Promise<void>>::from_promise(static_cast<detail::Promise<void>&>(root));
}
}  // namespace

void Scope::spawn(Task<void> task) {
  const auto handle = task.detach();
  detail::PromiseBase& root = handle.promise();
  root.calendar = &calendar_;
  root.scope = this;
  root.previous_root = last_;
  (last_ != nullptr ? last_->next_root : first_) = &root;
  last_ = &root;
  ++running_;
  handle.resume();
}

void Scope::finished(detail::PromiseBase& task) {
  (task.previous_root != nullptr ? task.previous_root->next_root : first_) = task.next_root;
  (task.next_root != nullptr ? task.next_root->previous_root : last_) = task.previous_root;
  --running_;
  handle_of(task).destroy();
}

void Scope::cancel_all() {
  // Destroying a task may run destructors that look at the scope: take the list first.
  detail::PromiseBase* task = std::exchange(first_, nullptr);
  last_ = nullptr;
  running_ = 0;
  while (task != nullptr) {
    detail::PromiseBase* next = task->next_root;
    handle_of(*task).destroy();
    task = next;
  }
}

}  // namespace racksim::sim

// Coroutine tasks: code of the simulated machine that waits reads like the paper's pseudo-code.
//
//   Task<bool> write(Block block) {
//     co_await core.execute(cost);                      // an awaitable
//     const bool hit = co_await lookup(block);          // another task
//     ...
//   }
//   scope.spawn(write(b));                              // a root task, owned by its node's scope
//
// A task starts when it is awaited or spawned. One that finishes without waiting does not suspend its awaiter, and one
// that finishes later resumes it through the calendar's ready queue, so that a million operations in a row leave the
// native stack flat (gcc's symmetric transfer would not, at -O0).
//
// A scope owns its root tasks, and each task owns the tasks it awaits. Destroying a scope's tasks (a crash) destroys
// everything they wait for, at once and in the order in which they were spawned. Do it from an event of its own, never
// from inside one of those tasks.
//
// gcc 12.2 destroys twice an aggregate with non-trivial members that is built inside the operand of co_await: name such
// objects first.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "sim/kernel/calendar.hpp"
#include "sim/kernel/frame_pool.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::sim {

template <class T>
class Task;
class Scope;

namespace detail {

/// Told when a task has finished, in place of a coroutine that awaits it.
class Completion {
 public:
  virtual void task_finished(bool failed) = 0;

 protected:
  ~Completion() = default;
};

struct PromiseBase {
  Calendar* calendar = nullptr;
  std::coroutine_handle<> continuation;
  Completion* completion = nullptr;
  Scope* scope = nullptr;  // set in root tasks only, and so are its neighbours there
  PromiseBase *next_root = nullptr, *previous_root = nullptr;
  std::exception_ptr error;

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { release_frame(frame, bytes); }

  std::suspend_always initial_suspend() const noexcept { return {}; }
  // A root task has nobody to hand its exception to but the calendar's caller.
  void unhandled_exception() {
    if (scope != nullptr) throw;
    error = std::current_exception();
  }

  struct Final {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> self) const noexcept {
      PromiseBase::finished(self.promise());
    }
    void await_resume() const noexcept {}
  };
  Final final_suspend() const noexcept { return {}; }

  static void finished(PromiseBase& promise) noexcept;
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& u) {
    value.emplace(std::forward<U>(u));
  }
  T take() {
    if (error) std::rethrow_exception(error);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const {
    if (error) std::rethrow_exception(error);
  }
};

}  // namespace detail

/// A coroutine that produces a T. Move-only; destroying it destroys the coroutine, wherever it waits.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() { destroy(); }

  // Awaiting: runs the task until it finishes or waits.
  bool await_ready() const noexcept { return false; }
  template <class Parent>
  bool await_suspend(std::coroutine_handle<Parent> parent) {
    if (start(*parent.promise().calendar)) return false;
    handle_.promise().continuation = parent;
    return true;
  }
  T await_resume() { return result(); }

  /// Runs the task until it finishes or waits; returns whether it has finished.
  bool start(Calendar& calendar) {
    RACKSIM_INVARIANT(handle_ && !handle_.done(), "a task is started once");
    handle_.promise().calendar = &calendar;
    handle_.resume();
    return handle_.done();
  }
  bool done() const { return handle_.done(); }
  /// Whether it has finished with an exception.
  bool failed() const { return handle_.promise().error != nullptr; }
  /// Has `completion` told when the task finishes. Only for a task that has not finished.
  void on_finished(detail::Completion& completion) { handle_.promise().completion = &completion; }
  /// The result of a finished task, or its exception.
  T result() {
    handle_.promise().continuation = nullptr;  // consumed: nothing is queued for it any more
    return handle_.promise().take();
  }
  /// Gives up ownership of the coroutine.
  Handle detach() { return std::exchange(handle_, nullptr); }

 private:
  void destroy() {
    if (!handle_) return;
    auto& promise = handle_.promise();
    // A finished task whose awaiter is destroyed before it was resumed: the awaiter still stands in the ready queue.
    if (handle_.done() && promise.continuation) promise.calendar->forget(promise.continuation);
    handle_.destroy();
    handle_ = nullptr;
  }
  Handle handle_;
};

namespace detail {
template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}
}  // namespace detail

/// Owner of root tasks, usually one a node: what runs on the node dies with it.
class Scope {
 public:
  explicit Scope(Calendar& calendar) : calendar_(calendar) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { cancel_all(); }

  Calendar& calendar() const { return calendar_; }
  /// Starts a root task at once. An exception that leaves it is thrown by `spawn` if the task has not waited yet, and
  /// out of `Calendar::run_until` otherwise.
  void spawn(Task<void> task);
  /// Destroys all tasks, in the order in which they were spawned.
  void cancel_all();
  /// How many root tasks have not finished.
  std::size_t running() const { return running_; }

 private:
  friend struct detail::PromiseBase;
  void finished(detail::PromiseBase& task);

  Calendar& calendar_;
  // A list in the order of spawning: an open-loop client has tens of thousands of tasks under way.
  detail::PromiseBase *first_ = nullptr, *last_ = nullptr;
  std::size_t running_ = 0;
};

}  // namespace racksim::sim

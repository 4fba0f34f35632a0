// What a task can wait for: time, a signal, a signal with a timeout, several tasks. Each awaitable lives in the waiting
// coroutine's frame and takes itself back when that frame is destroyed, so a crash leaves nothing behind in the
// calendar.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/kernel/clock.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::sim {

/// `co_await sleep_for(clock, d)`: waits until the node's clock has counted `d`.
class [[nodiscard]] Sleep {
 public:
  Sleep(Clock& clock, Duration length) : clock_(clock), length_(length) {}
  Sleep(const Sleep&) = delete;
  Sleep& operator=(const Sleep&) = delete;
  ~Sleep() { clock_.calendar().cancel(timer_); }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    timer_ = clock_.after<&Sleep::expire>(length_, *this);
  }
  void await_resume() const noexcept {}

 private:
  void expire() { task_.resume(); }
  Clock& clock_;
  Duration length_;
  EventId timer_;
  std::coroutine_handle<> task_;
};

inline Sleep sleep_for(Clock& clock, Duration length) {
  return Sleep(clock, length);
}

/// Something tasks wait for; notifying wakes those that wait now, in the order in which they came.
class Signal {
 public:
  explicit Signal(Calendar& calendar) : calendar_(calendar) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  class Wait;
  /// `co_await signal.wait()`.
  Wait wait();
  /// `bool notified = co_await signal.wait_for(clock, timeout)`; false when the timeout came first.
  Wait wait_for(Clock& clock, Duration timeout);

  void notify_all();
  /// Wakes the one that has waited longest; there must be one.
  void notify_first();
  bool has_waiters() const { return first_ != nullptr; }

 private:
  Calendar& calendar_;
  Wait* first_ = nullptr;
  Wait* last_ = nullptr;
};

class [[nodiscard]] Signal::Wait {
 public:
  Wait(Signal& signal, Clock* clock, Duration timeout) : signal_(signal), clock_(clock), timeout_(timeout) {}
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
  ~Wait() {
    if (state_ == State::waiting) leave();
    if (state_ == State::queued) signal_.calendar_.forget(task_);
  }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    state_ = State::waiting;
    previous_ = signal_.last_;
    (previous_ != nullptr ? previous_->next_ : signal_.first_) = this;
    signal_.last_ = this;
    if (clock_ != nullptr) timer_ = clock_->after<&Wait::expire>(timeout_, *this);
  }
  bool await_resume() noexcept {
    state_ = State::idle;
    return notified_;
  }

 private:
  friend class Signal;
  enum class State : std::uint8_t { idle, waiting, queued };

  void leave() {
    (previous_ != nullptr ? previous_->next_ : signal_.first_) = next_;
    (next_ != nullptr ? next_->previous_ : signal_.last_) = previous_;
    if (clock_ != nullptr) clock_->calendar().cancel(timer_);
  }
  void notify() {
    leave();
    notified_ = true;
    state_ = State::queued;
    signal_.calendar_.resume_soon(task_);
  }
  void expire() {
    leave();
    state_ = State::idle;
    task_.resume();
  }

  Signal& signal_;
  Clock* clock_;
  Duration timeout_;
  EventId timer_;
  std::coroutine_handle<> task_;
  Wait* previous_ = nullptr;
  Wait* next_ = nullptr;
  State state_ = State::idle;
  bool notified_ = false;
};

inline Signal::Wait Signal::wait() {
  return Wait(*this, nullptr, Duration{});
}
inline Signal::Wait Signal::wait_for(Clock& clock, Duration timeout) {
  return Wait(*this, &clock, timeout);
}
inline void Signal::notify_first() {
  first_->notify();
}
inline void Signal::notify_all() {
  // Those that come while this runs wait for the next notification: notifying resumes nobody before it returns.
  while (first_ != nullptr) first_->notify();
}
namespace detail {

/// Throws the exception of the first task, in their order, that has one.
template <class T>
void throw_first_failure(std::vector<Task<T>>& tasks) {
  for (Task<T>& task : tasks) {
    if (task.failed()) task.result();
  }
}

/// Starts tasks, and resumes its awaiter once all have finished, or one with an exception.
template <class T>
class Joint : public Completion {
 public:
  explicit Joint(std::vector<Task<T>>& tasks) : tasks_(tasks), needed_(tasks.size()) {}
  Joint(const Joint&) = delete;
  Joint& operator=(const Joint&) = delete;
  ~Joint() {
    if (queued_) calendar_->forget(awaiter_);
  }

  bool await_ready() const noexcept { return needed_ == 0; }
  template <class Parent>
  bool await_suspend(std::coroutine_handle<Parent> parent) {
    awaiter_ = parent;
    calendar_ = parent.promise().calendar;
    for (Task<T>& task : tasks_) {
      if (!task.start(*calendar_)) {
        task.on_finished(*this);
      } else if (last(task.failed())) {
        return false;
      }
    }
    return true;
  }
  void await_resume() noexcept { queued_ = false; }

  void task_finished(bool failed) override {
    if (needed_ == 0 || !last(failed)) return;
    queued_ = true;
    calendar_->resume_soon(awaiter_);
  }

 private:
  bool last(bool failed) {
    needed_ = failed ? 0 : needed_ - 1;
    return needed_ == 0;
  }

  std::vector<Task<T>>& tasks_;
  std::size_t needed_;
  std::coroutine_handle<> awaiter_;
  Calendar* calendar_ = nullptr;
  bool queued_ = false;
};

}  // namespace detail

/// Runs all tasks at once and returns their results, in the tasks' order, when the last has finished. An exception of
/// one is thrown at that instant, and the others are destroyed.
template <class T>
Task<std::vector<T>> gather(std::vector<Task<T>> tasks) {
  detail::Joint<T> all(tasks);
  co_await all;
  detail::throw_first_failure(tasks);
  std::vector<T> results;
  results.reserve(tasks.size());
  for (Task<T>& task : tasks) results.push_back(task.result());
  co_return results;
}

inline Task<void> gather(std::vector<Task<void>> tasks) {
  detail::Joint<void> all(tasks);
  co_await all;
  detail::throw_first_failure(tasks);
}

}  // namespace racksim::sim

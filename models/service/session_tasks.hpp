// The sessions of a workload as tasks: one scope a node, so that they die with it, and the count of what they have
// done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::models {

/// Belongs behind everything that the tasks use: they are destroyed with it.
class SessionTasks {
 public:
  /// On the first `nodes` nodes.
  SessionTasks(sim::Calendar& calendar, unsigned nodes) {
    for (unsigned node = 0; node < nodes; ++node) scopes_.push_back(std::make_unique<sim::Scope>(calendar));
  }

  void spawn(NodeId node, sim::Task<void> task) { scopes_[node]->spawn(std::move(task)); }

  /// While it lives a session waits for a timer of its own: a pause, an arrival. Belongs around the `co_await`.
  class Sleeper {
   public:
    explicit Sleeper(SessionTasks& tasks) : asleep_(tasks.asleep_) { ++asleep_; }
    ~Sleeper() { --asleep_; }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

   private:
    std::size_t& asleep_;
  };
  /// See Workload::asleep.
  std::size_t asleep() const { return asleep_; }

  /// A node without sessions may crash too.
  void node_crashed(NodeId node) {
    if (node < scopes_.size()) scopes_[node]->cancel_all();
  }

  /// See Workload::running.
  std::size_t running() const {
    std::size_t sum = 0;
    for (const auto& scope : scopes_) sum += scope->running();
    return sum;
  }

  /// See Workload::notify_after.
  void notify_after(std::uint64_t operations, std::function<void()> done) {
    remaining_ = operations;
    done_ = std::move(done);
  }
  /// To be called as an operation ends or is given up.
  void operation_ended() {
    if (remaining_ == 0 || --remaining_ > 0) return;
    notify();
  }
  /// To be called when no operation will follow: whoever waits for more need not.
  void nothing_more() {
    if (std::exchange(remaining_, 0) > 0) notify();
  }

 private:
  void notify() {
    const auto done = std::move(done_);  // it may ask for another notification
    done();
  }

  std::uint64_t remaining_ = 0;
  std::function<void()> done_;
  std::size_t asleep_ = 0;
  std::vector<std::unique_ptr<sim::Scope>> scopes_;  // by node
};

}  // namespace racksim::models

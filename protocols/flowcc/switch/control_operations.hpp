// Operations of the switch's control CPU that are waited for together (models/switch/control_cpu.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "models/switch/control_cpu.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::flowcc {

/// Whoever posts them may die before they have ended. Those that were posted before the switch lost its power end
/// without effect.
class ControlOperations {
 public:
  explicit ControlOperations(sim::Calendar& calendar) : state_(std::make_shared<State>(calendar)) {}

  /// One more operation: what is to be told of its end, which calls `with` the result first, if that is given.
  models::ControlCpu::Done next(models::ControlCpu::Done with = {}) {
    ++state_->open;
    return [state = state_, with = std::move(with)](std::uint64_t result) {
      if (with) with(result);
      if (--state->open == 0) state->none_open.notify_all();
    };
  }
  /// Ends when all that have been asked for have ended.
  sim::Task<void> ended() {
    const std::shared_ptr<State> state = state_;
    while (state->open > 0) co_await state->none_open.wait();
  }

 private:
  struct State {
    explicit State(sim::Calendar& calendar) : none_open(calendar) {}
    std::uint64_t open = 0;
    sim::Signal none_open;
  };
  std::shared_ptr<State> state_;
};

}  // namespace racksim::flowcc

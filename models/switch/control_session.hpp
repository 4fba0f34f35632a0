// `co_await cpu.read(program.popularity, index)`: a control-plane task waits for the result of an operation of the
// control CPU.
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/switch/control_cpu.hpp"

namespace racksim::models {

/// Waits for one operation and gives its result. When the task is destroyed before, the operation, which has been
/// posted, is carried out all the same, and nobody is told.
class [[nodiscard]] ControlWait {
 public:
  /// `post` posts the operation with the given callback.
  explicit ControlWait(std::function<void(ControlCpu::Done)> post) : post_(std::move(post)) {}
  ControlWait(const ControlWait&) = delete;
  ControlWait& operator=(const ControlWait&) = delete;
  ~ControlWait() {
    if (waiting_) *waiting_ = nullptr;
  }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    waiting_ = std::make_shared<ControlWait*>(this);
    post_([waiting = waiting_, task](std::uint64_t result) {
      if (*waiting == nullptr) return;
      (*waiting)->result_ = result;
      task.resume();
    });
  }
  std::uint64_t await_resume() const noexcept { return result_; }

 private:
  std::function<void(ControlCpu::Done)> post_;
  std::shared_ptr<ControlWait*> waiting_;  // who is told; shared with the operation, which may outlive the task
  std::uint64_t result_ = 0;
};

/// What a control-plane task does to one pipe. Handles and failures are ControlCpu's.
class ControlSession {
 public:
  ControlSession(ControlCpu& cpu, unsigned pipe) : cpu_(&cpu), pipe_(pipe) {}

  ControlWait read(const p4::RegisterArray* array, std::uint64_t index) const {
    return ControlWait(
        [cpu = cpu_, pipe = pipe_, array, index](Done done) { cpu->read(pipe, array, index, std::move(done)); });
  }
  ControlWait write(const p4::RegisterArray* array, std::uint64_t index, std::uint64_t value) const {
    return ControlWait([cpu = cpu_, pipe = pipe_, array, index, value](Done done) {
      cpu->write(pipe, array, index, value, std::move(done));
    });
  }
  ControlWait clear(const p4::RegisterArray* array) const {
    return ControlWait([cpu = cpu_, pipe = pipe_, array](Done done) { cpu->clear(pipe, array, std::move(done)); });
  }
  ControlWait set_entry(const p4::Table* table, std::vector<p4::KeyMatch> key, const p4::Action* action,
                        std::vector<std::uint64_t> data) const {
    return ControlWait([cpu = cpu_, pipe = pipe_, table, key = std::move(key), action, data = std::move(data)](
                           Done done) { cpu->set_entry(pipe, table, key, action, data, std::move(done)); });
  }
  ControlWait remove_entry(const p4::Table* table, std::vector<p4::KeyMatch> key) const {
    return ControlWait([cpu = cpu_, pipe = pipe_, table, key = std::move(key)](Done done) {
      cpu->remove_entry(pipe, table, key, std::move(done));
    });
  }

 private:
  using Done = ControlCpu::Done;

  ControlCpu* cpu_;
  unsigned pipe_;
};

}  // namespace racksim::models

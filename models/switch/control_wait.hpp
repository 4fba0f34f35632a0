// `co_await read_register(cpu, ...)`: a control-plane task waits for the result of an operation of the control CPU.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <utility>

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

inline ControlWait read_register(ControlCpu& cpu, unsigned pipe, const std::string& array, std::uint64_t index) {
  return ControlWait(
      [&cpu, pipe, array, index](ControlCpu::Done done) { cpu.read_register(pipe, array, index, std::move(done)); });
}
inline ControlWait write_register(ControlCpu& cpu, unsigned pipe, const std::string& array, std::uint64_t index,
                                  std::uint64_t value) {
  return ControlWait([&cpu, pipe, array, index, value](ControlCpu::Done done) {
    cpu.write_register(pipe, array, index, value, std::move(done));
  });
}
inline ControlWait clear_array(ControlCpu& cpu, unsigned pipe, const std::string& array) {
  return ControlWait([&cpu, pipe, array](ControlCpu::Done done) { cpu.clear_array(pipe, array, std::move(done)); });
}
inline ControlWait set_entry(ControlCpu& cpu, unsigned pipe, const std::string& table, std::vector<p4::KeyMatch> key,
                             const std::string& action, std::vector<std::uint64_t> data) {
  return ControlWait([&cpu, pipe, table, key = std::move(key), action, data = std::move(data)](ControlCpu::Done done) {
    cpu.set_entry(pipe, table, key, action, data, std::move(done));
  });
}
inline ControlWait remove_entry(ControlCpu& cpu, unsigned pipe, const std::string& table,
                                std::vector<p4::KeyMatch> key) {
  return ControlWait([&cpu, pipe, table, key = std::move(key)](ControlCpu::Done done) {
    cpu.remove_entry(pipe, table, key, std::move(done));
  });
}

}  // namespace racksim::models

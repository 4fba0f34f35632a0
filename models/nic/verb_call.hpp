// Verbs that a task awaits: `const Completion done = co_await calls.call(queue_pair, request);`
#pragma once

#include <coroutine>
#include <cstdint>
#include <map>
#include <utility>

#include "models/nic/queue_pair.hpp"

namespace racksim::models {

class VerbCall;

/// Gives the completions of a queue to the tasks that wait for them, and the others to somebody else.
class VerbCalls final : public CompletionHandler {
 public:
  /// `others` gets what no call waits for; it may be null.
  explicit VerbCalls(CompletionHandler* others = nullptr) : others_(others) {}
  VerbCalls(const VerbCalls&) = delete;
  VerbCalls& operator=(const VerbCalls&) = delete;

  /// Posts the request, signalled and with a number of its own, and waits for its completion, which has the request's
  /// number again. A send queue that is full ends the call at once with Status::queue_full. When the task is destroyed
  /// before, the verb is carried out all the same. A crash of the node completes nothing: its tasks are to be
  /// destroyed.
  VerbCall call(QueuePair& queue_pair, WorkRequest request);
  void on_completion(const Completion& completion) override;
  std::size_t waiting() const { return waiting_.size(); }

 private:
  friend class VerbCall;
  static constexpr std::uint64_t kCalls = std::uint64_t{1} << 63;  // numbers of calls have this bit

  CompletionHandler* others_;
  std::map<std::uint64_t, VerbCall*> waiting_;
  std::uint64_t next_ = kCalls;
};

class [[nodiscard]] VerbCall {
 public:
  VerbCall(const VerbCall&) = delete;
  VerbCall& operator=(const VerbCall&) = delete;
  ~VerbCall() { calls_.waiting_.erase(number_); }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    const std::uint64_t wr_id = std::exchange(request_.wr_id, number_);
    request_.signalled = true;
    calls_.waiting_.emplace(number_, this);
    if (queue_pair_.post(request_)) {
      done_.wr_id = wr_id;
      return true;
    }
    calls_.waiting_.erase(number_);
    done_ = {.wr_id = wr_id, .status = Status::queue_full, .opcode = request_.opcode, .qpn = queue_pair_.number()};
    return false;
  }
  Completion await_resume() { return std::move(done_); }

 private:
  friend class VerbCalls;
  VerbCall(VerbCalls& calls, QueuePair& queue_pair, WorkRequest&& request, std::uint64_t number)
      : calls_(calls), queue_pair_(queue_pair), request_(std::move(request)), number_(number) {}

  VerbCalls& calls_;
  QueuePair& queue_pair_;
  WorkRequest request_;
  std::uint64_t number_;
  std::coroutine_handle<> task_;
  Completion done_;
};

inline VerbCall VerbCalls::call(QueuePair& queue_pair, WorkRequest request) {
  return VerbCall(*this, queue_pair, std::move(request), next_++);
}

inline void VerbCalls::on_completion(const Completion& completion) {
  const auto found = waiting_.find(completion.wr_id);
  if (found == waiting_.end()) {
    if (others_ && (completion.wr_id & kCalls) == 0) others_->on_completion(completion);
    return;
  }
  VerbCall& call = *found->second;
  waiting_.erase(found);
  const std::uint64_t wr_id = call.done_.wr_id;
  call.done_ = completion;
  call.done_.wr_id = wr_id;
  call.task_.resume();
}

}  // namespace racksim::models

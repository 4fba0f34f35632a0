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

  /// For VerbCall: lets it have the completion with this number, or no longer.
  void expect(std::uint64_t number, VerbCall& call) { waiting_.emplace(number, &call); }
  void forget(std::uint64_t number) { waiting_.erase(number); }

 private:
  static constexpr std::uint64_t kCalls = std::uint64_t{1} << 63;  // numbers of calls have this bit

  CompletionHandler* others_;
  std::map<std::uint64_t, VerbCall*> waiting_;
  std::uint64_t next_ = kCalls;
};

/// One verb that is awaited.
class [[nodiscard]] VerbCall {
 public:
  VerbCall(VerbCalls& calls, QueuePair& queue_pair, WorkRequest&& request, std::uint64_t number)
      : calls_(calls), queue_pair_(queue_pair), request_(std::move(request)), number_(number) {}
  VerbCall(const VerbCall&) = delete;
  VerbCall& operator=(const VerbCall&) = delete;
  ~VerbCall() { calls_.forget(number_); }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    const std::uint64_t wr_id = std::exchange(request_.wr_id, number_);
    request_.signalled = true;
    calls_.expect(number_, *this);
    if (queue_pair_.post(request_)) {
      done_.wr_id = wr_id;
      return true;
    }
    calls_.forget(number_);
    done_ = {.wr_id = wr_id, .status = Status::queue_full, .opcode = request_.opcode, .qpn = queue_pair_.number()};
    return false;
  }
  Completion await_resume() { return std::move(done_); }
  /// Ends the wait, with the number that the request had.
  void complete(const Completion& completion) {
    const std::uint64_t wr_id = done_.wr_id;
    done_ = completion;
    done_.wr_id = wr_id;
    task_.resume();
  }

 private:
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
  call.complete(completion);
}

}  // namespace racksim::models

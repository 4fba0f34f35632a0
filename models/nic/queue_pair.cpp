// Posting, and completions in error. See queue_pair.hpp.
#include "models/nic/queue_pair.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace racksim::models {

std::size_t QueuePair::post(std::span<const WorkRequest> requests) {
  if (!engine_.is_on()) return requests.size();  // nobody is there to see what becomes of them
  if (state_ == State::reset) {
    throw std::logic_error(fmt::format("node {}: queue pair {} is not connected", engine_.node(), number_));
  }
  std::size_t taken = 0;
  for (const WorkRequest& request : requests) {
    queues_.sent.poller().charge(taken == 0 ? engine_.costs().post : engine_.costs().post_more);
    if (state_ == State::error) {
      complete_in_error(request, Status::flushed);
    } else if (!take(request)) {
      break;
    }
    ++taken;
  }
  return taken;
}

void QueuePair::post_receive(std::uint64_t count, Receive receive) {
  if (state_ != State::error || queues_.shared) return receives().post(count, receive);
  for (; count > 0; --count) flush(receive);
}

void QueuePair::enter_error() {
  state_ = State::error;
  while (const auto receive = own_receives_.take()) flush(*receive);
}

void QueuePair::flush(const Receive& receive) {
  queues_.received.push_error(number_, receive.wr_id, Opcode::receive, Status::flushed);
}

void QueuePair::complete_in_error(const WorkRequest& request, Status status) {
  queues_.sent.push_error(number_, request.wr_id, request.opcode, status);
}

}  // namespace racksim::models

// Batches and doorbells. See send_queue.hpp.
#include "protocols/cckvs/threads/send_queue.hpp"

#include "sim/kernel/invariant.hpp"

namespace racksim::cckvs {

void SendQueue::add(MessageClass message, models::WorkRequest request) {
  shared_.counters.count(message, request.length() + shared_.header_bytes(request.opcode == models::Opcode::send_imm));
  const std::uint64_t depth = shared_.rack.options().nic.send_queue;
  request.signalled = ++posted_ % depth == 0;
  waiting_.push_back(std::move(request));
  if (waiting_.size() >= shared_.options.doorbell_batch) post();
}

void SendQueue::post() {
  if (waiting_.empty()) return;
  ++shared_.counters.doorbells.value;
  const std::size_t taken = queue_pair_.post(waiting_);
  RACKSIM_INVARIANT(taken == waiting_.size() || shared_.retransmit_after,
                    "credits bound what is in a send queue, but for what is sent again: then it may be lost here too");
  waiting_.clear();
}

}  // namespace racksim::cckvs

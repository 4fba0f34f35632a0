// What the actions of a cached line's table have in common. See cache_step.hpp.
#include "protocols/gam/cache/cache_step.hpp"

#include <utility>

#include "sim/kernel/invariant.hpp"

namespace racksim::gam {

sim::OperationId CacheStep::operation() const {
  if (request != nullptr) return request->operation;
  if (message != nullptr) return message->operation;
  const Request* initiator = frame != nullptr && frame->work != nullptr ? frame->work->initiator : nullptr;
  return initiator != nullptr ? initiator->operation : sim::OperationId{0u};
}

sim::KeyAndOperations CacheStep::key_and_operations() const {
  sim::KeyAndOperations about{copies.shared.object_of(line, 0), {}};
  if (operation() != 0) about.operations.push_back(operation());
  return about;
}

void CacheStep::ask(sim::Counter& requests, MessageKind kind) {
  ++requests.value;
  LineWork& work = copies.work_of(*frame);
  RACKSIM_INVARIANT(work.initiator == nullptr, "a node has one request for a line under way");
  work.initiator = request;
  send_request(kind);
}

// To a home that is taken for dead it goes when that has come back.
void CacheStep::send_request(MessageKind kind) {
  LineWork& work = *frame->work;
  const Request& initiator = *work.initiator;
  forget_answers();
  work.number = 0;
  if (copies.output.is_cut_off(home())) return;
  work.number = copies.numbers.begin(line);
  copies.output.send(home(), {.line = line,
                              .request = work.number,
                              .frame = copies.frames.number_of(*frame),
                              .sender = copies.self(),
                              .requester = copies.self(),
                              .kind = kind,
                              .locks = initiator.is_lock(),
                              .tries = initiator.tries(),
                              .operation = initiator.operation});
}

void CacheStep::forget_answers() const {
  LineWork& work = *frame->work;
  work.owner_data = work.grant_ack = work.denied = false;
}

// To the requester, or into the home's memory.
void CacheStep::send_line(NodeId to, const Immediate& immediate, std::optional<std::uint32_t> owned) const {
  const Shared& shared = copies.shared;
  const models::RemoteAddress at =
      immediate.kind == ImmediateKind::fetched ? shared.memory_at(line) : shared.frame_at(to, message->frame);
  copies.output.send_line(to, at, shared.bytes_of(frame->data), immediate, message->operation, owned);
}

void CacheStep::write_back() {
  ++counters().evicted_dirty.value;
  ++copies.dying;
  LineWork& work = copies.work_of(*frame);
  copies.touch(*frame);  // who looks for a victim need not pass it
  work.number = copies.numbers.begin(line);
  work.buffer = copies.write_back_buffers[home()].back();
  copies.write_back_buffers[home()].pop_back();
  if (options().write_back == WriteBack::attached) {
    return copies.output.send_write_back(home(), work.buffer, line, frame->data,
                                         {ImmediateKind::write_back, work.number});
  }
  copies.output.write_line(line, frame->data);
  copies.output.send(home(),
                     {.line = line, .request = work.number, .sender = copies.self(), .kind = MessageKind::write_back});
}

// Without data only to whom the home has listed as a sharer: nobody has written since.
void CacheStep::take_grant() {
  LineWork& work = *frame->work;
  // The home's counter counts; the former owner's guess is for who does not wait for the home.
  frame->counter = work.grant_ack ? work.counter : counter;
  if (data != nullptr) {
    frame->data = std::move(*data);
  } else if (work.owner_data) {
    frame->data = std::move(work.arrived);
  } else {
    RACKSIM_INVARIANT(frame->has_copy || options().upgrade_check == Options::UpgradeCheck::state,
                      "who is granted a line without data has a copy of it");
  }
  work.arrived.clear();
  work.owner_data = work.grant_ack = false;
  frame->has_copy = false;
  frame->request = work.number;
}

}  // namespace racksim::gam

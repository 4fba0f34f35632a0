// Guards and actions of a cached line's transition table. See cache_step.hpp.
#include "protocols/gam/cache/cache_step.hpp"

#include <utility>

#include "protocols/gam/cache/cache.hpp"
#include "protocols/gam/node/node.hpp"
#include "protocols/gam/rules/coverage.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::gam {

sim::KeyAndOperations CacheStep::key_and_operations() const {
  sim::KeyAndOperations about{cache.shared_.object_of(line, 0), {}};
  const sim::OperationId operation = request != nullptr   ? request->operation
                                     : message != nullptr ? message->operation
                                                          : sim::OperationId{0u};
  if (operation != 0) about.operations.push_back(operation);
  return about;
}

bool CacheStep::behind_own() const {
  return frame->work != nullptr && frame->work->pending.has_of_thread(request->thread);
}
bool CacheStep::is_read_locked() const {
  return frame->lock.is_read();
}
bool CacheStep::reads_dying() const {
  return cache.options().dying_reads == Options::DyingReads::paper;
}
bool CacheStep::may_lock() const {
  return frame->lock.admits(request->is_exclusive()) &&
         (frame->work == nullptr || !frame->work->pending.holds_locks_back());
}
bool CacheStep::tries() const {
  return request->tries();
}
bool CacheStep::is_locked() const {
  return !frame->lock.is_free();
}
bool CacheStep::is_locked_to_try() const {
  return is_locked() && message->tries;
}
bool CacheStep::is_written() const {
  return frame->lock.is_written();
}
bool CacheStep::is_written_to_try() const {
  return is_written() && message->tries;
}
bool CacheStep::acknowledges_first() const {
  return cache.options().invalidate_order == Options::InvalidateOrder::ack_first;
}
// It names the request by which this node became a sharer: the one under way, whose data it has overtaken, or an
// earlier one, whose copy has been evicted since.
bool CacheStep::waits_for_copy() const {
  return cache.options().fill_invalidate == Options::FillInvalidate::queue || message->request == frame->work->number;
}
bool CacheStep::does_not_back_off() const {
  return !cache.options().back_off;
}
bool CacheStep::is_same_copy() const {
  return message->request == frame->request;
}
bool CacheStep::has_owner_data() const {
  return frame->work->owner_data;
}
bool CacheStep::has_grant_ack() const {
  return frame->work->grant_ack;
}
bool CacheStep::needs_no_other_message() const {
  return !cache.options().two_messages;
}
bool CacheStep::was_denied() const {
  return frame->work->denied;
}
bool CacheStep::lacks_other_message() const {
  return message->sender != cache.shared_.home_of(line) && !frame->work->grant_ack;
}
bool CacheStep::has_copy() const {
  return frame->has_copy;
}

void CacheStep::perform() {
  cache.touch(*frame);
  cache.node_.perform(*request, frame->data, frame->counter);
}

void CacheStep::lock() {
  cache.touch(*frame);
  frame->lock.take(request->is_exclusive());
  if (request->is_exclusive()) cache.node_.log_line(line, frame->data, frame->counter);
  cache.node_.grant(*request);
}

void CacheStep::refuse() {
  cache.node_.refuse(*request);
}

void CacheStep::queue() {
  PendingList& pending = cache.work_of(*frame).pending;
  if (request != nullptr) {
    ++cache.shared_.counters.merged.value;
    pending.add(*request);
  } else {
    ++cache.shared_.counters.blocked.value;
    pending.add(*message);
    if (frame->state == CacheState::to_shared) cache.shared_.coverage.race(RacePoint::invalidation_overtakes_copy);
    if (frame->state == CacheState::to_dirty) cache.shared_.coverage.race(RacePoint::forward_overtakes_line);
    if (is_stable(frame->state)) cache.shared_.coverage.race(RacePoint::message_meets_lock);
  }
}

void CacheStep::ask(MessageKind kind) {
  LineWork& work = cache.work_of(*frame);
  RACKSIM_INVARIANT(work.initiator == nullptr, "a node has one request for a line under way");
  work.initiator = request;
  send_request(kind);
}

// To a home that is taken for dead it goes when that has come back.
void CacheStep::send_request(MessageKind kind) {
  LineWork& work = *frame->work;
  const Request& initiator = *work.initiator;
  work.owner_data = work.grant_ack = work.denied = false;
  work.number = 0;
  if (cache.node_.is_cut_off(cache.shared_.home_of(line))) return;
  work.number = cache.next_number();
  cache.lines_[work.number] = line;
  const Message asked{.line = line,
                      .request = work.number,
                      .frame = cache.frames_.number_of(*frame),
                      .sender = cache.node_.id(),
                      .requester = cache.node_.id(),
                      .kind = kind,
                      .locks = initiator.is_lock(),
                      .tries = initiator.tries(),
                      .operation = initiator.operation};
  cache.node_.send(cache.shared_.home_of(line), asked);
}

void CacheStep::ask_to_read() {
  ++cache.shared_.counters.read_misses.value;
  ask(MessageKind::read);
}
void CacheStep::ask_to_write() {
  ++cache.shared_.counters.write_misses.value;
  ask(MessageKind::write);
}
void CacheStep::ask_for_permission() {
  ++cache.shared_.counters.upgrades.value;
  frame->has_copy = true;
  cache.touch(*frame);
  ask(MessageKind::write_permission_only);
}

void CacheStep::take_data() {
  frame->data = std::move(*data);
  frame->request = frame->work->number;
}

// Without data only to whom the home has listed as a sharer: nobody has written since.
void CacheStep::take_grant() {
  // The home's counter counts; the former owner's guess is for who does not wait for the home.
  frame->counter = frame->work->grant_ack ? frame->work->counter : counter;
  if (data != nullptr) {
    frame->data = std::move(*data);
  } else if (frame->work->owner_data) {
    frame->data = std::move(frame->work->arrived);
  } else {
    RACKSIM_INVARIANT(frame->has_copy || cache.options().upgrade_check == Options::UpgradeCheck::state,
                      "who is granted a line without data has a copy of it");
  }
  frame->work->arrived.clear();
  frame->work->owner_data = frame->work->grant_ack = false;
  frame->has_copy = false;
  frame->request = frame->work->number;
}

void CacheStep::remember_owner_data() {
  frame->work->arrived = std::move(*data);
  frame->work->owner_data = true;
}
void CacheStep::remember_grant_ack() {
  cache.shared_.coverage.race(RacePoint::grant_ack_first);
  frame->work->grant_ack = true;
  frame->work->counter = counter;
}
void CacheStep::remember_denied() {
  frame->work->denied = true;
}

void CacheStep::refuse_initiator() {
  LineWork& work = *frame->work;
  work.denied = work.grant_ack = false;
  frame->has_copy = false;
  cache.node_.refuse(*std::exchange(work.initiator, nullptr));
}

void CacheStep::acknowledge() {
  cache.node_.notify(message->sender, {ImmediateKind::invalidate_ack, message->transaction}, message->operation);
  if (frame == nullptr || frame->state == CacheState::to_shared || frame->state == CacheState::to_invalid) {
    cache.shared_.coverage.race(RacePoint::invalidation_meets_eviction);
  }
}

void CacheStep::drop_copy() {
  if (frame->state == CacheState::to_dirty && frame->has_copy) {
    cache.shared_.coverage.race(RacePoint::upgrade_loses_copy);
  }
  frame->data.clear();
  frame->has_copy = false;
}

// As the paper's Figure 4 has it: acknowledged (3), then invalidated (4.1), as the worker's next work.
void CacheStep::drop_later() {
  cache.node_.core().run<&Cache::drop_late>(cache.options().message, cache, line.number(),
                                            std::uint64_t{message->request});
}

void CacheStep::deny() {
  ++cache.shared_.counters.denied.value;
  Message denial = *message;
  denial.sender = cache.node_.id();
  denial.kind = MessageKind::denied_to_home;
  cache.node_.send(message->sender, denial);
  if (message->kind != MessageKind::read_forward && message->kind != MessageKind::write_forward) return;
  denial.kind = MessageKind::denied;
  cache.node_.send(message->requester, denial);
}

void CacheStep::send_data() {
  Node& node = cache.node_;
  const NodeId home = message->sender;
  if (frame->state == CacheState::to_invalid) cache.shared_.coverage.race(RacePoint::forward_meets_eviction);
  if (message->kind == MessageKind::read_forward) {
    node.send_line(message->requester, node.frame_at(message->requester, message->frame), node.bytes_of(frame->data),
                   {ImmediateKind::data, message->request}, message->operation);
  }
  if (message->kind == MessageKind::write_forward) {
    // The counter that the new owner's will be: it matters to whom the owner's word alone is enough.
    node.send_line(message->requester, node.frame_at(message->requester, message->frame),
                   node.with_counter(node.bytes_of(frame->data), frame->counter + 1),
                   {ImmediateKind::owner_data, message->request}, message->operation);
    node.notify(home, {ImmediateKind::transfer, message->transaction}, message->operation);
    return;
  }
  node.send_line(home, node.memory_at(line), node.bytes_of(frame->data), {ImmediateKind::fetched, message->transaction},
                 message->operation);
}

void CacheStep::tell_evicted() {
  ++cache.shared_.counters.evicted_shared.value;
  const Message told{
      .line = line, .request = frame->request, .sender = cache.node_.id(), .kind = MessageKind::active_invalidate};
  cache.node_.send(cache.shared_.home_of(line), told);
}

void CacheStep::write_back() {
  ++cache.shared_.counters.evicted_dirty.value;
  ++cache.dying_;
  Node& node = cache.node_;
  const NodeId home = cache.shared_.home_of(line);
  LineWork& work = cache.work_of(*frame);
  cache.touch(*frame);  // or it would keep the next victim of its list from being found
  work.number = cache.next_number();
  work.buffer = cache.write_back_buffers_[home].back();
  cache.write_back_buffers_[home].pop_back();
  cache.lines_[work.number] = line;
  if (cache.options().write_back == WriteBack::attached) {
    return node.send_write_back(home, work.buffer, line, frame->data, {ImmediateKind::write_back, work.number});
  }
  node.write_line(home, node.memory_at(line), frame->data);
  const Message notice{.line = line, .request = work.number, .sender = node.id(), .kind = MessageKind::write_back};
  node.send(home, notice);
}

// What was asked of a home that is dead, or is on its way to it: whatever comes of it is late.
void CacheStep::withdraw() {
  LineWork& work = *frame->work;
  if (work.number != 0) cache.lines_.erase(work.number);
  work.number = 0;
  work.owner_data = work.grant_ack = work.denied = false;
  work.arrived.clear();
}

void CacheStep::take_restored() {
  frame->data = std::move(*data);
  frame->counter = counter;
}

void CacheStep::ask_again() {
  ++cache.shared_.counters.asked_again.value;
  send_request(frame->state == CacheState::to_shared ? MessageKind::read : MessageKind::write);
}

void CacheStep::end_write_back() {
  --cache.dying_;
  cache.write_back_buffers_[cache.shared_.home_of(line)].push_back(frame->work->buffer);
}

}  // namespace racksim::gam

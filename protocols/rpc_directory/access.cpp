// What application threads do: the local shared-exclusive latch of a frame, and accesses under it.
//
// The latch is granted in the order of asking, readers together. Whoever gets it and may not read or write asks for the
// line with the latch held exclusively: so a node has one request for a line out, and its threads' misses merge. When
// the latch is free, what other nodes want comes first: a node keeps a line for one use at least, and nobody starves.
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "models/host/core_wait.hpp"
#include "protocols/rpc_directory/compute_node.hpp"
#include "protocols/rpc_directory/races.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::rpc_directory {

sim::Task<sim::Value> ComputeNode::read(unsigned thread, sim::Key object, sim::OperationId operation) {
  const sim::Key line = shared_.lines.line_of(object);
  const HeldLatches::Held* own = held_.find(thread, line);
  const bool latched = own != nullptr;
  Frame* frame = latched ? own->frame : co_await latch(thread, line, false, operation);
  co_await models::occupy(core_of(thread), options().local_access);
  const sim::Value value = frame->data.value(shared_.lines.index_of(object));
  if (!latched) unlatch(*frame, false);
  co_return value;
}

sim::Task<void> ComputeNode::write(unsigned thread, sim::Key object, sim::Value value, sim::OperationId operation) {
  const sim::Key line = shared_.lines.line_of(object);
  const HeldLatches::Held* own = held_.find(thread, line);
  const bool latched = own != nullptr;
  Frame* frame = latched ? own->frame : co_await latch(thread, line, true, operation);
  co_await models::occupy(core_of(thread), options().local_access);
  frame->data.set(shared_.lines.index_of(object), value);
  shared_.memory.performed(operation, object, value);
  if (!latched) unlatch(*frame, true);
}

sim::Task<void> ComputeNode::lock(unsigned thread, sim::Key line, bool exclusive, sim::OperationId operation) {
  co_await models::occupy(core_of(thread), options().local_access);
  Frame* frame = co_await latch(thread, line, exclusive, operation);
  held_.add(thread, *frame, exclusive);
}

sim::Task<void> ComputeNode::unlock(unsigned thread, sim::Key line) {
  co_await models::occupy(core_of(thread), options().local_access);
  const HeldLatches::Held latch = held_.take(*held_.find(thread, line));
  unlatch(*latch.frame, latch.exclusive);
}

sim::Task<Frame*> ComputeNode::latch(unsigned thread, sim::Key line, bool write, sim::OperationId operation) {
  Frame* frame = cache_.find(line);
  while (frame == nullptr) {
    frame = cache_.take(line);
    if (cache_.free_frames() < options().least_free()) evictor_wanted_.notify_all();
    if (frame != nullptr) break;
    ++counters().frame_waits.value;
    co_await frame_freed_.wait();
    frame = cache_.find(line);
  }
  bool exclusive = write || !readable(frame->state);
  if (may_latch(*frame, exclusive)) {
    line_cache::take_latch(*frame, exclusive);
  } else {
    if (!readable(frame->state)) shared_.coverage.race(races.misses_merged);
    exclusive = co_await works_.wait_for_latch(*frame, write);
  }
  RACKSIM_INVARIANT(frame->line == line, "a frame that somebody waits for is not given to another line");
  ++counters().accesses.value;
  const bool hit = write ? frame->state == LineState::exclusive : readable(frame->state);
  LineWork* work = nullptr;
  if (hit) {
    ++counters().local_accesses.value;
  } else {
    count_miss(*frame, write);
    work = &works_.of(*frame);
    work->thread = thread;
    work->operation = operation;
  }
  raise(write ? LineEvent::write : LineEvent::read, line, frame);
  if (!hit) co_await work->acquired.wait();
  if (exclusive && !write) {
    frame->latch = 1;
    if (frame->attended) grant_waiters(*frame);
  }
  co_return frame;
}

void ComputeNode::count_miss(const Frame& frame, bool write) {
  ++(!write                             ? counters().shared_misses
     : frame.state == LineState::absent ? counters().exclusive_misses
                                        : counters().upgrades)
        .value;
}

// Nobody overtakes who waits, be it another node.
bool ComputeNode::may_latch(Frame& frame, bool exclusive) {
  if (!line_cache::latch_is_free(frame, exclusive)) return false;
  if (!frame.attended) return true;
  const LineWork& work = works_.of(frame);
  return work.waiters.empty() && work.deferred.empty();
}

void ComputeNode::unlatch(Frame& frame, bool exclusive) {
  line_cache::give_latch_back(frame, exclusive);
  if (frame.latch == 0 && frame.attended) latch_freed(frame);
}

void ComputeNode::latch_freed(Frame& frame) {
  const std::vector<Message> deferred = std::exchange(works_.of(frame).deferred, {});
  for (const Message& message : deferred) raise(event_of(message.kind), frame.line, &frame, &message);
  grant_waiters(frame);
  tidy(frame);
}

void ComputeNode::grant_waiters(Frame& frame) {
  LineWork& work = works_.of(frame);
  if (work.deferred.empty()) line_cache::grant_latch(frame, work.waiters);
}

void ComputeNode::tidy(Frame& frame) {
  const bool stable = frame.state == LineState::absent || readable(frame.state);
  if (!stable || frame.latch != 0) return;
  if (frame.attended) {
    const LineWork& work = works_.of(frame);
    if (!work.waiters.empty() || !work.deferred.empty()) return;
    works_.end(frame);
  }
  if (frame.state != LineState::absent) return;
  cache_.release(frame);
  frame_freed_.notify_all();
}

}  // namespace racksim::rpc_directory

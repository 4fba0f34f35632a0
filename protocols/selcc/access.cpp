// What application threads do: the local shared-exclusive latch of a frame, and accesses under it (SELCC §4.2, §5.1.1,
// §5.3.1).
//
// A thread that does not get the latch spins, so its core is its own in any case and waiting costs nobody anything. The
// latch is granted in the order of asking, readers together. Whoever gets it and lacks the permission acquires it with
// the latch held exclusively: so a node has one latch operation of a line under way, and its threads' misses merge
// (R13).
#include <algorithm>

#include "models/host/core_wait.hpp"
#include "protocols/selcc/compute_node.hpp"
#include "protocols/selcc/races.hpp"
#include "protocols/selcc/recovery.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::selcc {

sim::Task<sim::Value> ComputeNode::read(unsigned thread, sim::Key object, sim::OperationId operation) {
  const sim::Key line = shared_.lines.line_of(object);
  const HeldLatches::Held* own = held_.find(thread, line);
  const bool latched = own != nullptr;
  Frame* frame = latched ? own->frame : co_await latch(thread, line, false, operation);
  if (latched) note_access_under_own_latch();
  co_await models::occupy(verbs_.core_of(thread), options().local_access);
  if (!serves()) co_await lease();
  const sim::Value value = frame->data.value(shared_.lines.index_of(object));
  if (!latched) unlatch(*frame, false);
  co_return value;
}

sim::Task<void> ComputeNode::write(unsigned thread, sim::Key object, sim::Value value, sim::OperationId operation) {
  const sim::Key line = shared_.lines.line_of(object);
  const HeldLatches::Held* own = held_.find(thread, line);
  const bool latched = own != nullptr;
  Frame* frame = latched ? own->frame : co_await latch(thread, line, true, operation);
  if (latched) note_access_under_own_latch();
  co_await models::occupy(verbs_.core_of(thread), options().local_access);
  if (!serves()) co_await lease();
  const std::uint16_t index = shared_.lines.index_of(object);
  frame->data.set(index, value);
  frame->dirty.widen(index);
  shared_.memory.performed(operation, object, value);
  if (shared_.recovery != nullptr) shared_.recovery->unflushed().performed(line, object, value);
  if (!latched) unlatch(*frame, true);
}

void ComputeNode::note_access_under_own_latch() {
  ++counters().accesses.value;
  ++counters().local_accesses.value;
}

sim::Task<void> ComputeNode::lock(unsigned thread, sim::Key line, bool exclusive, sim::OperationId operation) {
  Frame* frame = co_await latch(thread, line, exclusive, operation);
  if (!serves()) co_await lease();  // or it would be left behind by a death that has been dealt with
  held_.add(thread, *frame, exclusive);
}

sim::Task<void> ComputeNode::unlock(unsigned thread, sim::Key line) {
  // If the node is dead before this is over, the latch is not left behind: its thread has begun to give it back.
  const HeldLatches::Held latch = held_.take(*held_.find(thread, line));
  co_await models::occupy(verbs_.core_of(thread), options().local_access);
  if (!serves()) co_await lease();
  unlatch(*latch.frame, latch.exclusive);
}

sim::Task<Frame*> ComputeNode::latch(unsigned thread, sim::Key line, bool write, sim::OperationId operation) {
  if (!serves()) co_await lease();
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
    if (frame->attended) note_use(*frame, frame->latch == 0, write);
    line_cache::take_latch(*frame, exclusive);
  } else {
    if (!readable(frame->state)) shared_.coverage.race(races.misses_merged);
    note_use(*frame, false, write);
    exclusive = co_await works_.wait_for_latch(*frame, write);
  }
  RACKSIM_INVARIANT(frame->line == line, "a frame that somebody waits for is not given to another line");
  ++counters().accesses.value;
  const bool hit = write ? writable(frame->state) : readable(frame->state);
  LineWork* work = nullptr;
  if (hit) {
    ++counters().local_accesses.value;
  } else {
    ++(!write                               ? counters().shared_misses
       : frame->state == FrameState::absent ? counters().modified_misses
                                            : counters().upgrades)
          .value;
    work = &works_.of(*frame);
    work->thread = thread;
    work->operation = operation;
    work->attempts = work->upgrades = 0;
    work->has_asked = false;
    work->asked_at = {};
  }
  raise(write ? FrameEvent::write : FrameEvent::read, line, frame);
  if (!hit) co_await work->acquired.wait();
  if (exclusive && !write) {
    frame->latch = 1;
    if (frame->attended) grant_waiters(*frame);
  }
  co_return frame;
}

// Nobody overtakes who waits, and nobody joins the readers of a line whose turn here is over.
bool ComputeNode::may_latch(Frame& frame, bool exclusive) {
  if (!line_cache::latch_is_free(frame, exclusive)) return false;
  if (!frame.attended) return true;
  const LineWork& work = works_.of(frame);
  return work.waiters.empty() && !(frame.latch != 0 && local_turn_is_over(work));
}

// The counters run from an invalidation in vain until a thread finds the latch free (§5.3.1). An access counts if it
// finds the latch taken, be it by readers that it may join: else readers alone would never let go.
void ComputeNode::note_use(Frame& frame, bool found_free, bool write) {
  LineWork& work = works_.of(frame);
  if (!work.urged) return;
  if (found_free && work.deferred.empty()) {
    work.urged = false;
    work.reads = work.writes = 0;
  } else {
    ++(write ? work.writes : work.reads);
  }
}

bool ComputeNode::local_turn_is_over(const LineWork& work) const {
  const std::uint64_t threads = threads_;
  return work.urged && options().gamma && work.reads + work.writes * threads > *options().gamma * threads;
}

void ComputeNode::unlatch(Frame& frame, bool exclusive) {
  line_cache::give_latch_back(frame, exclusive);
  if (frame.latch == 0 && frame.attended) latch_freed(frame);
}

// Local threads first (§5.1.1), unless they have had their turn (§5.3.1).
void ComputeNode::latch_freed(Frame& frame) {
  LineWork& work = works_.of(frame);
  const bool over = local_turn_is_over(work);
  if (work.waiters.empty() || over) {
    const bool deferred = !work.deferred.empty();
    serve_deferred(frame);
    if (over && !deferred) raise(FrameEvent::yield, frame.line, &frame);
    if (over) {
      work.urged = !work.deferred.empty();
      work.reads = work.writes = 0;
    }
  }
  if (frame.latch == 0) grant_waiters(frame);
  tidy(frame);
}

sim::Time ComputeNode::held_back(sim::Key line) const {
  const auto until = held_back_.find(line);
  return until != held_back_.end() ? until->second : sim::Time{};
}

void ComputeNode::hold_back(sim::Key line, sim::Time until) {
  std::erase_if(held_back_, [&](const auto& other) { return other.second <= calendar().now(); });
  held_back_[line] = until;
}

sim::Task<std::uint64_t> ComputeNode::atomic_on_word(unsigned thread, sim::Key object, models::WorkRequest request) {
  if (!serves()) co_await lease();
  const sim::Key line = shared_.lines.line_of(object);
  request.remote = shared_.lines.remote(line, shared_.lines.index_of(object));
  co_return co_await verbs_.call(verbs_.of_thread(thread, line), line, std::move(request));
}

sim::Task<bool> ComputeNode::nobody_holds(unsigned thread, sim::Key first, std::uint64_t lines,
                                          sim::OperationId operation) {
  if (!serves()) co_await lease();
  co_return co_await verbs_.nobody_holds(thread, first, lines, operation);
}

void ComputeNode::grant_waiters(Frame& frame) {
  line_cache::grant_latch(frame, works_.of(frame).waiters);
}

void ComputeNode::tidy(Frame& frame) {
  const FrameState state = frame.state;
  const bool stable = state == FrameState::absent || state == FrameState::shared || state == FrameState::modified;
  if (!stable || frame.latch != 0) return;
  if (frame.attended) {
    const LineWork& work = works_.of(frame);
    if (!work.waiters.empty() || !work.deferred.empty()) return;
    calendar().cancel(work.timer);
    works_.end(frame);
  }
  if (state != FrameState::absent) return;
  cache_.release(frame);
  frame_freed_.notify_all();
}

}  // namespace racksim::selcc

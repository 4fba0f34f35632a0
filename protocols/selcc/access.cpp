// What SELCC adds to the accesses of application threads (line_cache/caching_node.hpp): turns of local threads
// (§5.3.1), readers that hold back for a starved writer (§5.3.2), and atomics past all caches (§6.1).
#include "protocols/selcc/compute_node.hpp"
#include "protocols/selcc/recovery.hpp"

namespace racksim::selcc {

void ComputeNode::note_access_under_own_latch() {
  ++counters().accesses.value;
  ++counters().local_accesses.value;
}

void ComputeNode::written(Frame& frame, std::uint16_t index, sim::Value value) {
  frame.dirty.widen(index);
  if (shared_.recovery == nullptr) return;
  shared_.recovery->unflushed().performed(frame.line, shared_.lines.object_of(frame.line, index), value);
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
  const std::uint64_t threads = connections_.thread_count();
  return work.urged && options().gamma && work.reads + work.writes * threads > *options().gamma * threads;
}

// Local threads first (§5.1.1), unless they have had their turn (§5.3.1).
void ComputeNode::latch_freed(Frame& frame) {
  LineWork& work = works_.of(frame);
  const bool over = local_turn_is_over(work);
  if (work.waiters.empty() || over) {
    const bool deferred = !work.deferred.empty();
    lines_.serve_deferred(frame);
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
  co_return co_await verbs_.call(connections_.of_thread(thread, line), line, std::move(request));
}

sim::Task<bool> ComputeNode::nobody_holds(unsigned thread, sim::Key first, std::uint64_t lines,
                                          sim::OperationId operation) {
  if (!serves()) co_await lease();
  co_return co_await verbs_.nobody_holds(thread, first, lines, operation);
}

}  // namespace racksim::selcc

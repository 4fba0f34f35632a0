// A compute node that caches lines of disaggregated memory: its cache, the local shared-exclusive latch of each frame,
// what its application threads do under it, and the choice of victims (SELCC §4.2, §5.1.1, §5.2).
//
// A thread that does not get the latch spins, so its core is its own in any case and waiting costs nobody anything. The
// latch is granted in the order of asking, readers together. Whoever gets it and lacks the permission acquires the line
// with the latch held exclusively: so a node has one acquisition of a line under way, and its threads' misses merge.
//
// A protocol's node derives from this. `Types` names its types and its races: Node, Frame, Work, Shared, Event, and
// `races.misses_merged` and `races.victim_in_use_again`. Of the frame's state it knows `absent`, `readable`, `writable`,
// `is_stable` and `permission_of`. What a protocol does beyond that it says by functions of its node that this calls.
#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/host/core_wait.hpp"
#include "models/service/memory_service.hpp"
#include "models/service/protocol.hpp"
#include "protocols/line_cache/connections.hpp"
#include "protocols/line_cache/held_latches.hpp"
#include "protocols/line_cache/line_cache.hpp"
#include "protocols/line_cache/line_works.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::line_cache {

template <class Types>
class CachingNode {
 public:
  using Node = typename Types::Node;
  using Frame = typename Types::Frame;
  using Work = typename Types::Work;
  using Shared = typename Types::Shared;
  using Event = typename Types::Event;
  using State = decltype(Frame::state);

  CachingNode(const CachingNode&) = delete;
  CachingNode& operator=(const CachingNode&) = delete;

  NodeId id() const { return id_; }
  const Shared& shared() const { return shared_; }
  const auto& options() const { return shared_.options; }
  auto& counters() const { return shared_.counters; }
  sim::Calendar& calendar() const { return shared_.rack.calendar(); }
  sim::Clock& clock() const { return server().clock(); }
  sim::Duration rtt() const { return shared_.rack.options().rtt; }
  LineCache<Frame>& cache() { return cache_; }
  const LineCache<Frame>& cache() const { return cache_; }
  LineWorks<Frame, Work>& works() { return works_; }
  Connections& connections() { return connections_; }
  models::Server& server() const { return connections_.server(); }

  // What application threads do. A thread that holds the latch of a line accesses it as often as it likes.
  sim::Task<void> read(unsigned thread, models::MemoryAccess access, std::span<sim::Value> values,
                       sim::OperationId operation);
  sim::Task<void> write(unsigned thread, models::MemoryAccess access, sim::Value value, sim::OperationId operation);
  /// Gets the latch of a line, and with it the permission.
  sim::Task<void> lock(unsigned thread, sim::Key line, bool exclusive, sim::OperationId operation);
  /// The same if nobody uses the line, at this node or another; returns whether it has it. It waits for no thread.
  sim::Task<bool> try_lock(unsigned thread, sim::Key line, bool exclusive, sim::OperationId operation);
  /// Gives the local latch back, and only that.
  sim::Task<void> unlock(unsigned thread, sim::Key line);
  /// How a thread holds the latch of a line over several accesses, if it does.
  std::optional<models::LockMode> latch_of(unsigned thread, sim::Key line) const { return held_.mode(thread, line); }

  /// For warming up: a frame for a line, with as many free besides as the evictor keeps free, if the cache has so many.
  /// `give_up(frame)` does what evicting a victim does elsewhere.
  template <class GiveUp>
  Frame& warm_frame(sim::Key line, GiveUp&& give_up);
  void warm_drop(Frame& frame) {
    frame.state = State::absent;
    cache_.release(frame);
  }

  /// Tells the record that it may use none of its copies.
  void record_no_permission() const;

  // What a protocol may do beyond, by functions of its node of these names.
  /// Whether it may use what it has cached; `lease` ends when it may.
  bool serves() const { return true; }
  sim::Task<void> lease() { co_return; }
  /// A thread wants the latch of a frame about which something is under way, or that it does not get at once.
  void note_use(Frame& frame, bool found_free, bool write) {
    static_cast<void>(frame);
    static_cast<void>(found_free);
    static_cast<void>(write);
  }
  void note_access_under_own_latch() {}
  /// Nothing is under way about a line any more.
  void end(Work& work) { static_cast<void>(work); }
  /// A write has been performed in the cache.
  void written(Frame& frame, std::uint16_t index, sim::Value value) {
    static_cast<void>(frame);
    static_cast<void>(index);
    static_cast<void>(value);
  }

 protected:
  CachingNode(Shared& shared, NodeId id, unsigned threads)
      : shared_(shared),
        id_(id),
        connections_(shared.rack.server(id), shared.lines, threads, shared.memory.shape().roles.compute_nodes),
        cache_(shared.options.frames(), static_cast<std::uint32_t>(shared.options.shards)),
        works_(calendar()),
        frame_freed_(calendar()),
        evictor_wanted_(calendar()),
        tasks_(calendar()) {}
  ~CachingNode() = default;

  /// The line's frame, with the latch and the permission to read or write.
  sim::Task<Frame*> latch(unsigned thread, sim::Key line, bool write, sim::OperationId operation);
  /// The same for a try-lock; null if somebody uses the line, or no frame is free.
  sim::Task<Frame*> try_latch(unsigned thread, sim::Key line, bool write, sim::OperationId operation);
  void unlatch(Frame& frame, bool exclusive) {
    give_latch_back(frame, exclusive);
    if (frame.latch == 0 && frame.attended) node().latch_freed(frame);
  }
  /// Forgets what is over about a line, and frees its frame if it has nothing.
  void tidy(Frame& frame);
  /// Executes a row of the line's table, and tells the record what the node may do from then on.
  template <class Table, class Step>
  void execute(const Table& table, Event event, Step step);

  /// Takes the least recently used frames when the free list is short. `Node::evict_lines(victims)` evicts them.
  sim::Task<void> evict();
  /// The frame of a victim; null if it is in use again.
  Frame* victim(sim::Key line);

  void crash();
  /// Who acquires a line, for a reader of waits.
  std::string name_of(const Work& work) const {
    return work.operation == 0 ? fmt::format("node{}", id_) : fmt::format("node{}/thread{}", id_, work.thread);
  }
  sim::KeyAndOperations about(sim::Key line) const { return {shared_.lines.object_of(line, 0), {}}; }

  Shared& shared_;
  NodeId id_;
  Connections connections_;
  LineCache<Frame> cache_;
  LineWorks<Frame, Work> works_;
  HeldLatches<Frame> held_;  // by applications, not for one access alone
  sim::Signal frame_freed_, evictor_wanted_;
  sim::Scope tasks_;

 private:
  Node& node() { return static_cast<Node&>(*this); }
  bool may_latch(Frame& frame, bool exclusive);
  /// Who has the latch wants to read or write. Returns the work about the line if it has to be acquired first.
  Work* use(Frame& frame, unsigned thread, bool write, bool tries, sim::OperationId operation);
  /// A reader that had the latch exclusively, to acquire the line, keeps it shared.
  void share_latch(Frame& frame) {
    frame.latch = 1;
    if (frame.attended) node().grant_waiters(frame);
  }
  static bool may_evict(const Frame& frame) {
    return frame.latch == 0 && !frame.attended && frame.state != State::absent && is_stable(frame.state);
  }
};

template <class Types>
sim::Task<void> CachingNode<Types>::read(unsigned thread, models::MemoryAccess access, std::span<sim::Value> values,
                                         sim::OperationId operation) {
  const sim::Key line = shared_.lines.line_of(access.first);
  const auto* own = held_.find(thread, line);
  const bool latched = own != nullptr;
  Frame* frame = latched ? own->frame : co_await latch(thread, line, false, operation);
  if (latched) node().note_access_under_own_latch();
  co_await models::occupy(connections_.core_of(thread), options().local_access + models::copy_time(access.bytes));
  if (!node().serves()) co_await node().lease();
  std::uint16_t index = shared_.lines.index_of(access.first);
  for (sim::Value& value : values) value = frame->data.value(index++);
  if (!latched) unlatch(*frame, false);
}

template <class Types>
sim::Task<void> CachingNode<Types>::write(unsigned thread, models::MemoryAccess access, sim::Value value,
                                          sim::OperationId operation) {
  const sim::Key line = shared_.lines.line_of(access.first);
  const auto* own = held_.find(thread, line);
  const bool latched = own != nullptr;
  Frame* frame = latched ? own->frame : co_await latch(thread, line, true, operation);
  if (latched) node().note_access_under_own_latch();
  co_await models::occupy(connections_.core_of(thread), options().local_access + models::copy_time(access.bytes));
  if (!node().serves()) co_await node().lease();
  shared_.memory.performed(operation, access, value);
  const std::uint16_t first = shared_.lines.index_of(access.first);
  for (std::uint16_t i = 0; i < access.objects; ++i) {
    const auto index = static_cast<std::uint16_t>(first + i);
    frame->data.set(index, sim::Value{value + i});
    node().written(*frame, index, sim::Value{value + i});
  }
  if (!latched) unlatch(*frame, true);
}

template <class Types>
sim::Task<void> CachingNode<Types>::lock(unsigned thread, sim::Key line, bool exclusive, sim::OperationId operation) {
  co_await models::occupy(connections_.core_of(thread), options().local_access);
  Frame* frame = co_await latch(thread, line, exclusive, operation);
  if (!node().serves()) co_await node().lease();  // or it would be left behind by a death that has been dealt with
  held_.add(thread, *frame, exclusive);
}

template <class Types>
sim::Task<bool> CachingNode<Types>::try_lock(unsigned thread, sim::Key line, bool exclusive,
                                             sim::OperationId operation) {
  co_await models::occupy(connections_.core_of(thread), options().local_access);
  Frame* frame = co_await try_latch(thread, line, exclusive, operation);
  if (frame == nullptr) {
    ++counters().refused.value;
    co_return false;
  }
  if (!node().serves()) co_await node().lease();
  held_.add(thread, *frame, exclusive);
  co_return true;
}

template <class Types>
sim::Task<void> CachingNode<Types>::unlock(unsigned thread, sim::Key line) {
  // If the node is dead before this is over, the latch is not left behind: its thread has begun to give it back.
  const auto latch = held_.take(*held_.find(thread, line));
  co_await models::occupy(connections_.core_of(thread), options().local_access);
  if (!node().serves()) co_await node().lease();
  unlatch(*latch.frame, latch.exclusive);
}

template <class Types>
auto CachingNode<Types>::latch(unsigned thread, sim::Key line, bool write, sim::OperationId operation)
    -> sim::Task<Frame*> {
  if (!node().serves()) co_await node().lease();
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
    if (frame->attended) node().note_use(*frame, frame->latch == 0, write);
    take_latch(*frame, exclusive);
  } else {
    if (!readable(frame->state)) shared_.coverage.race(Types::races.misses_merged);
    node().note_use(*frame, false, write);
    exclusive = co_await works_.wait_for_latch(*frame, write);
  }
  RACKSIM_INVARIANT(frame->line == line, "a frame that somebody waits for is not given to another line");
  Work* const work = use(*frame, thread, write, false, operation);
  if (work != nullptr) co_await work->acquired.wait();
  if (exclusive && !write) share_latch(*frame);
  co_return frame;
}

// It does not queue: refused, it has not waited for who has the latch, nor for who waits for it. A frame it takes only
// where one is free: the evictor may have nothing to evict but lines that are locked.
template <class Types>
auto CachingNode<Types>::try_latch(unsigned thread, sim::Key line, bool write, sim::OperationId operation)
    -> sim::Task<Frame*> {
  if (!node().serves()) co_await node().lease();
  Frame* frame = cache_.find(line);
  if (frame == nullptr) {
    frame = cache_.take(line);
    if (cache_.free_frames() < options().least_free()) evictor_wanted_.notify_all();
    if (frame == nullptr) co_return nullptr;
  }
  const bool exclusive = write || !readable(frame->state);
  if (!may_latch(*frame, exclusive)) co_return nullptr;
  if (frame->attended) node().note_use(*frame, frame->latch == 0, write);
  take_latch(*frame, exclusive);
  Work* const work = use(*frame, thread, write, true, operation);
  if (work != nullptr && !work->refused) co_await work->acquired.wait();
  if (work != nullptr && work->refused) {
    unlatch(*frame, exclusive);
    co_return nullptr;
  }
  if (exclusive && !write) share_latch(*frame);
  co_return frame;
}

template <class Types>
auto CachingNode<Types>::use(Frame& frame, unsigned thread, bool write, bool tries, sim::OperationId operation)
    -> Work* {
  ++counters().accesses.value;
  const bool hit = write ? writable(frame.state) : readable(frame.state);
  Work* work = nullptr;
  if (hit) {
    ++counters().local_accesses.value;
  } else {
    ++(!write                         ? counters().shared_misses
       : frame.state == State::absent ? node().exclusive_misses()
                                      : counters().upgrades)
          .value;
    work = &works_.of(frame);
    work->begin_acquisition(thread, operation, tries);
  }
  node().raise(write ? Event::write : Event::read, frame.line, &frame);
  return work;
}

// Nobody overtakes who waits.
template <class Types>
bool CachingNode<Types>::may_latch(Frame& frame, bool exclusive) {
  if (!latch_is_free(frame, exclusive)) return false;
  if (!frame.attended) return true;
  const Work& work = works_.of(frame);
  return work.waiters.empty() && node().may_join(frame, work);
}

template <class Types>
void CachingNode<Types>::tidy(Frame& frame) {
  if (!is_stable(frame.state) || frame.latch != 0) return;
  if (frame.attended) {
    Work& work = works_.of(frame);
    if (!work.waiters.empty() || !work.deferred.empty()) return;
    node().end(work);
    works_.end(frame);
  }
  if (frame.state != State::absent) return;
  cache_.release(frame);
  frame_freed_.notify_all();
}

template <class Types>
template <class Table, class Step>
void CachingNode<Types>::execute(const Table& table, Event event, Step step) {
  State nothing = State::absent;
  State& state = step.frame != nullptr ? step.frame->state : nothing;
  const sim::Permission before = permission_of(state);
  table.on(state, event, step, shared_.coverage);
  const sim::Permission after = permission_of(state);
  if (after == before) return;
  const Work* work = works_.find(step.line);
  // Who asks for it, or who gets it here.
  const sim::OperationId operation = step.message != nullptr ? step.message->operation
                                     : work != nullptr       ? work->operation
                                                             : sim::OperationId{0u};
  shared_.permissions.set(id_, shared_.lines.object_of(step.line, 0), after, operation);
}

template <class Types>
sim::Task<void> CachingNode<Types>::evict() {
  for (;;) {
    if (cache_.free_frames() >= options().least_free()) {
      co_await evictor_wanted_.wait();
      continue;
    }
    std::vector<sim::Key> victims;
    cache_.offer_victims(options().least_free() - cache_.free_frames(), [&](const Frame& frame) {
      if (!may_evict(frame)) return false;
      victims.push_back(frame.line);
      return true;
    });
    if (victims.empty()) {  // all are in use
      co_await sim::sleep_for(clock(), rtt());
    } else {
      co_await node().evict_lines(std::move(victims));
    }
  }
}

template <class Types>
auto CachingNode<Types>::victim(sim::Key line) -> Frame* {
  Frame* frame = cache_.find(line);
  if (frame != nullptr && may_evict(*frame)) return frame;
  shared_.coverage.race(Types::races.victim_in_use_again);
  return nullptr;
}

template <class Types>
template <class GiveUp>
auto CachingNode<Types>::warm_frame(sim::Key line, GiveUp&& give_up) -> Frame& {
  while (cache_.used_frames() > 0 && cache_.free_frames() <= options().least_free()) {
    Frame& victim = cache_.next_victim();
    give_up(victim);
    warm_drop(victim);
  }
  return *cache_.take(line);
}

template <class Types>
void CachingNode<Types>::record_no_permission() const {
  cache_.for_each([&](const Frame& frame) {
    if (permission_of(frame.state) == sim::Permission::none) return;
    shared_.permissions.set(id_, shared_.lines.object_of(frame.line, 0), sim::Permission::none);
  });
}

template <class Types>
void CachingNode<Types>::crash() {
  tasks_.cancel_all();
  record_no_permission();
  works_.clear();
  cache_.clear();
  held_.clear();
}

}  // namespace racksim::line_cache

// Assembly, crash and inspection of a compute node. See compute_node.hpp.
#include "protocols/selcc/compute_node.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::selcc {

std::string_view to_string(Verdict verdict) {
  constexpr std::string_view kNames[] = {"GIVEN", "RELEASED", "BUSY", "GONE", "CONFIRMED"};
  return kNames[static_cast<std::size_t>(verdict)];
}

ComputeNode::ComputeNode(Shared& shared, NodeId id, unsigned threads)
    : shared_(shared),
      id_(id),
      threads_(threads),
      cache_(shared.options.frames(), static_cast<std::uint32_t>(shared.options.shards)),
      verbs_(shared, id, threads, *this),
      works_(shared.rack.calendar()),
      ring_used_(shared.lines.size(), 0),
      frame_freed_(shared.rack.calendar()),
      ring_moved_(shared.rack.calendar()),
      evictor_wanted_(shared.rack.calendar()),
      tasks_(shared.rack.calendar()) {
  begin();
}

void ComputeNode::begin() {
  shared_.answer_keys[id_] =
      server().nic().memory().add({.begin = 0,
                                   .bytes = threads_ * (options().line_bytes + Answer::kWireBytes),
                                   .rights = {.read = false, .write = true, .atomic = false},
                                   .observers = {this},
                                   .stored = false});
  tasks_.spawn(evict());
}

ComputeNode::~ComputeNode() = default;

bool ComputeNode::has_part_in(sim::Key line) const {
  const Frame* frame = cache_.find(line);
  return (frame != nullptr && frame->state != FrameState::absent) || verbs_.has_atomic_of(line);
}

void ComputeNode::crash() {
  if (!latches_are_told_) left_behind_ = latches_left_behind();
  tasks_.cancel_all();
  record_no_permission();
  for (auto& [line, work] : works_) calendar().cancel(work->timer);
  works_.clear();
  cache_.clear();
  held_.clear();
  held_back_.clear();
  verbs_.crash();
  inbox_.clear();
  answers_.clear();
  std::fill(ring_used_.begin(), ring_used_.end(), 0);
}

void ComputeNode::record_no_permission() const {
  cache_.for_each([&](const Frame& frame) {
    if (permission_of(frame.state) == sim::Permission::none) return;
    sim::record_permission(shared_.rack.event_log(), shared_.source, calendar().now(), 0,
                           shared_.lines.object_of(frame.line, 0), id_, sim::Permission::none);
  });
}

bool ComputeNode::quiescent() const {
  return works_.empty() && verbs_.atomics().empty() && inbox_.empty() && answers_.empty();
}

void ComputeNode::add_waits(std::vector<sim::Wait>& waits) const {
  const auto& names = frame_table().description().states;
  for (const auto& [line, work] : works_) {
    const std::string who =
        work->operation == 0 ? fmt::format("node{}", id_) : fmt::format("node{}/thread{}", id_, work->thread);
    const std::string what = fmt::format("line {}, {}", sim::printed_key(sim::Key{line}),
                                         names[static_cast<std::size_t>(work->frame->state)]);
    for (const Ask& ask : work->asks) {
      if (!ask.answered) waits.push_back({.who = who, .whom = fmt::format("node{}", ask.whom), .why = what});
    }
    if (work->asks.empty()) waits.push_back({.who = who, .whom = {}, .why = what});
    for (const Invalidation& deferred : work->deferred) {
      waits.push_back({.who = fmt::format("node{}", deferred.sender),
                       .whom = who,
                       .why = fmt::format("an invalidation of line {}, deferred", sim::printed_key(sim::Key{line}))});
    }
  }
}

void ComputeNode::add_leaks(std::vector<models::Leak>& leaks) const {
  const auto& names = frame_table().description().states;
  for (const auto& [line, work] : works_) {
    leaks.push_back(
        {"stuck-request",
         fmt::format("node {}: line {} is {}, with {} invalidations deferred, {} unanswered and {} threads waiting",
                     id_, sim::printed_key(sim::Key{line}), names[static_cast<std::size_t>(work->frame->state)],
                     work->deferred.size(), work->asks.size(), work->waiters.size()),
         {shared_.lines.object_of(sim::Key{line}, 0), {}}});
  }
  for (const auto& [line, count] : verbs_.atomics()) {
    leaks.push_back({"stuck-request",
                     fmt::format("node {}: {} atomics on the word of line {} have not completed", id_, count,
                                 sim::printed_key(sim::Key{line})),
                     {shared_.lines.object_of(sim::Key{line}, 0), {}}});
  }
  held_.add_leaks(leaks, id_, [&](sim::Key line) { return shared_.lines.object_of(line, 0); });
}

}  // namespace racksim::selcc

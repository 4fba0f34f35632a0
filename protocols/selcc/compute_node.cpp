// Assembly, crash and inspection of a compute node. See compute_node.hpp.
#include "protocols/selcc/compute_node.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/oracles/oracle.hpp"

namespace racksim::selcc {

ComputeNode::ComputeNode(Shared& shared, NodeId id, unsigned threads)
    : CachingNode(shared, id, threads),
      verbs_(shared, connections_, *this),
      lines_({.options = shared.options,
              .counters = shared.counters,
              .coverage = shared.coverage,
              .id = id,
              .compute_nodes = shared.memory.shape().roles.compute_nodes,
              .cache = cache_,
              .works = works_,
              .verbs = verbs_,
              .host = *this}),
      ring_used_(shared.lines.size(), 0),
      ring_moved_(calendar()) {
  begin();
}

void ComputeNode::begin() {
  shared_.buffer_keys[id_] = connections_.register_buffers(options().line_bytes + Answer::kWireBytes, *this);
  tasks_.spawn(evict());
}

bool ComputeNode::has_part_in(sim::Key line) const {
  const Frame* frame = cache_.find(line);
  return (frame != nullptr && frame->state != FrameState::absent) || verbs_.has_atomic_of(line);
}

void ComputeNode::crash() {
  if (!latches_are_told_) left_behind_ = latches_left_behind();
  for (auto& [line, work] : works_) calendar().cancel(work->timer);
  CachingNode::crash();
  held_back_.clear();
  verbs_.crash();
  inbox_.clear();
  answers_.clear();
  std::fill(ring_used_.begin(), ring_used_.end(), 0);
}

bool ComputeNode::quiescent() const {
  return works_.empty() && verbs_.atomics().empty() && inbox_.empty() && answers_.empty();
}

void ComputeNode::add_waits(std::vector<sim::Wait>& waits) const {
  const auto& names = frame_table().description().states;
  for (const auto& [line, work] : works_) {
    const std::string who = name_of(*work);
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
         about(sim::Key{line})});
  }
  for (const auto& [line, count] : verbs_.atomics()) {
    leaks.push_back({"stuck-request",
                     fmt::format("node {}: {} atomics on the word of line {} have not completed", id_, count,
                                 sim::printed_key(sim::Key{line})),
                     about(sim::Key{line})});
  }
  held_.add_leaks(leaks, id_, [&](sim::Key line) { return shared_.lines.object_of(line, 0); });
}

}  // namespace racksim::selcc

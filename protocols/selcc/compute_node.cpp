// Assembly, crash and inspection of a compute node. See compute_node.hpp.
#include "protocols/selcc/compute_node.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::selcc {

namespace {
constexpr std::uint64_t kReceives = 128;  // of the handler, for each peer (published code)
}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::string_view kNames[] = {"GIVEN", "RELEASED", "BUSY", "GONE", "CONFIRMED"};
  return kNames[static_cast<std::size_t>(verdict)];
}

ComputeNode::ComputeNode(Shared& shared, NodeId id, unsigned threads)
    : shared_(shared),
      id_(id),
      cache_(shared.options.frames(), static_cast<std::uint32_t>(shared.options.shards)),
      threads_(threads),
      peers_(shared.memory.shape().roles.compute_nodes, nullptr),
      works_(shared.rack.calendar()),
      ring_used_(shared.lines.size(), 0),
      giving_to_(shared.memory.shape().roles.compute_nodes),
      frame_freed_(shared.rack.calendar()),
      ring_moved_(shared.rack.calendar()),
      evictor_wanted_(shared.rack.calendar()),
      tasks_(shared.rack.calendar()) {
  models::Nic& nic = server().nic();
  std::size_t core = 0;
  std::vector<Endpoint*> endpoints;
  for (Endpoint& thread : threads_) endpoints.push_back(&thread);
  endpoints.push_back(&handler_);
  endpoints.push_back(&evictor_);
  for (Endpoint* endpoint : endpoints) {
    endpoint->core = &server().core(core++);
    endpoint->queue = &nic.create_completion_queue(*endpoint->core, *this);
    endpoint->to_memory = shared.lines.connect(nic, *endpoint->queue);
  }
  begin();
}

void ComputeNode::begin() {
  answer_key_ = server().nic().memory().add({.begin = 0,
                                             .bytes = threads_.size() * (options().line_bytes + Answer::kWireBytes),
                                             .rights = {.read = false, .write = true, .atomic = false},
                                             .observers = {this},
                                             .stored = false});
  tasks_.spawn(evict());
}

ComputeNode::~ComputeNode() = default;

void ComputeNode::connect(ComputeNode& a, ComputeNode& b) {
  const auto end_at = [](ComputeNode& node, NodeId peer) {
    models::ReliableConnection*& end = node.peers_[peer];
    if (end == nullptr) {
      end = &node.server().nic().create_reliable({.sent = *node.handler_.queue, .received = *node.handler_.queue});
    }
    return end;
  };
  models::ReliableConnection *at_a = end_at(a, b.id_), *at_b = end_at(b, a.id_);
  const models::Psn first = models::first_psn(a.server().incarnation() + b.server().incarnation());
  at_a->connect(b.id_, at_b->number(), first);
  at_b->connect(a.id_, at_a->number(), first);
  for (auto* end : {at_a, at_b}) end->post_receive(kReceives);
}

bool ComputeNode::has_part_in(sim::Key line) const {
  const Frame* frame = cache_.find(line);
  return (frame != nullptr && frame->state != FrameState::absent) || atomics_under_way_.contains(line);
}

void ComputeNode::crash() {
  if (!latches_are_told_) left_behind_ = latches_left_behind();
  tasks_.cancel_all();
  record_no_permission();
  for (auto& [line, work] : works_) calendar().cancel(work->timer);
  works_.clear();
  cache_.clear();
  held_.clear();
  atomics_under_way_.clear();
  held_back_.clear();
  posted_.clear();
  inbox_.clear();
  answers_.clear();
  std::fill(ring_used_.begin(), ring_used_.end(), 0);
  std::fill(giving_to_.begin(), giving_to_.end(), 0);
  taking_out_ = 0;
}

void ComputeNode::record_no_permission() const {
  cache_.for_each([&](const Frame& frame) {
    if (permission_of(frame.state) == sim::Permission::none) return;
    sim::record_permission(shared_.rack.event_log(), shared_.source, calendar().now(), 0,
                           shared_.lines.object_of(frame.line, 0), id_, sim::Permission::none);
  });
}

bool ComputeNode::quiescent() const {
  return works_.empty() && atomics_under_way_.empty() && inbox_.empty() && answers_.empty();
}

void ComputeNode::add_waits(std::vector<sim::Wait>& waits) const {
  const auto& names = Step::table().states;
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
  const auto& names = Step::table().states;
  for (const auto& [line, work] : works_) {
    leaks.push_back(
        {"stuck-request",
         fmt::format("node {}: line {} is {}, with {} invalidations deferred, {} unanswered and {} threads waiting",
                     id_, sim::printed_key(sim::Key{line}), names[static_cast<std::size_t>(work->frame->state)],
                     work->deferred.size(), work->asks.size(), work->waiters.size()),
         {shared_.lines.object_of(sim::Key{line}, 0), {}}});
  }
  for (const auto& [line, count] : atomics_under_way_) {
    leaks.push_back({"stuck-request",
                     fmt::format("node {}: {} atomics on the word of line {} have not completed", id_, count,
                                 sim::printed_key(sim::Key{line})),
                     {shared_.lines.object_of(sim::Key{line}, 0), {}}});
  }
  held_.add_leaks(leaks, id_, [&](sim::Key line) { return shared_.lines.object_of(line, 0); });
}

}  // namespace racksim::selcc

// Assembly, crash and inspection of a compute node. See compute_node.hpp.
#include "protocols/rpc_directory/compute_node.hpp"

#include <fmt/core.h>

#include "protocols/rpc_directory/directory.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::rpc_directory {

ComputeNode::ComputeNode(Shared& shared, NodeId id, unsigned threads)
    : shared_(shared),
      id_(id),
      cache_(shared.options.frames(), static_cast<std::uint32_t>(shared.options.shards)),
      threads_(threads),
      evictor_core_(&shared.rack.server(id).core(threads + 1)),
      peers_(shared.roles().compute_nodes, nullptr),
      works_(shared.rack.calendar()),
      frame_freed_(shared.rack.calendar()),
      eviction_arrived_(shared.rack.calendar()),
      evictor_wanted_(shared.rack.calendar()),
      tasks_(shared.rack.calendar()) {
  models::Nic& nic = server().nic();
  std::size_t core = 0;
  std::vector<Endpoint*> endpoints;
  for (Endpoint& thread : threads_) endpoints.push_back(&thread);
  endpoints.push_back(&handler_);
  for (Endpoint* endpoint : endpoints) {
    endpoint->core = &server().core(core++);
    endpoint->queue = &nic.create_completion_queue(*endpoint->core, *this);
    for (Directory* directory : shared.directories) {
      auto& here = nic.create_reliable({.sent = *endpoint->queue, .received = *endpoint->queue});
      auto& there = directory->open(id_);
      here.post_receive(kReceives);
      here.connect(directory->server(), there.number());
      there.connect(id_, here.number());
      endpoint->to_memory.push_back(&here);
    }
  }
  shared.buffer_keys.push_back(nic.memory().add({.begin = 0,
                                                 .bytes = threads * (shared.options.line_bytes + Reply::kWireBytes),
                                                 .rights = {.read = false, .write = true, .atomic = false},
                                                 .observers = {this},
                                                 .stored = false}));
  tasks_.spawn(evict());
}

ComputeNode::~ComputeNode() = default;

void ComputeNode::connect(ComputeNode& a, ComputeNode& b) {
  const auto open = [](ComputeNode& node) {
    auto& end = node.server().nic().create_reliable({.sent = *node.handler_.queue, .received = *node.handler_.queue});
    end.post_receive(kReceives);
    return &end;
  };
  a.peers_[b.id_] = open(a);
  b.peers_[a.id_] = open(b);
  a.peers_[b.id_]->connect(b.id_, b.peers_[a.id_]->number());
  b.peers_[a.id_]->connect(a.id_, a.peers_[b.id_]->number());
}

void ComputeNode::crash() {
  tasks_.cancel_all();
  cache_.for_each([&](const Frame& frame) {
    if (permission_of(frame.state) == sim::Permission::none) return;
    sim::record_permission(shared_.rack.event_log(), shared_.source, calendar().now(), 0,
                           shared_.lines.object_of(frame.line, 0), id_, sim::Permission::none);
  });
  works_.clear();
  cache_.clear();
  held_.clear();
  inbox_.clear();
  replies_.clear();
  evictions_under_way_ = 0;
}

bool ComputeNode::quiescent() const {
  return works_.empty() && inbox_.empty() && replies_.empty() && evictions_under_way_ == 0;
}

void ComputeNode::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& [line, work] : works_) {
    const std::string what =
        fmt::format("line {}, {}", sim::printed_key(sim::Key{line}),
                    line_table().description().states[static_cast<std::size_t>(work->frame->state)]);
    const std::string who =
        work->operation == 0 ? fmt::format("node{}", id_) : fmt::format("node{}/thread{}", id_, work->thread);
    if (!readable(work->frame->state)) waits.push_back({.who = who, .whom = {}, .why = what});
    for (const Message& deferred : work->deferred) {
      waits.push_back(
          {.who = fmt::format("node{}", deferred.sender),
           .whom = who,
           .why = fmt::format("{} of line {}, deferred", to_string(deferred.kind), sim::printed_key(sim::Key{line}))});
    }
  }
}

void ComputeNode::add_leaks(std::vector<models::Leak>& leaks) const {
  for (const auto& [line, work] : works_) {
    leaks.push_back({"stuck-request",
                     fmt::format("node {}: line {} is {}, with {} messages deferred and {} threads waiting", id_,
                                 sim::printed_key(sim::Key{line}),
                                 line_table().description().states[static_cast<std::size_t>(work->frame->state)],
                                 work->deferred.size(), work->waiters.size()),
                     {shared_.lines.object_of(sim::Key{line}, 0), {}}});
  }
  held_.add_leaks(leaks, id_, [&](sim::Key line) { return shared_.lines.object_of(line, 0); });
}

}  // namespace racksim::rpc_directory

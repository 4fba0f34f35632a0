// Assembly, crash and inspection of a compute node. See compute_node.hpp.
#include "protocols/rpc_directory/compute_node.hpp"

#include <fmt/core.h>

#include "protocols/rpc_directory/directory.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::rpc_directory {

ComputeNode::ComputeNode(Shared& shared, NodeId id, unsigned threads)
    : CachingNode(shared, id, threads), eviction_arrived_(calendar()) {
  const auto connect = [&](models::CompletionQueue& queue) {
    std::vector<models::ReliableConnection*> opened;
    for (Directory* directory : shared.directories) {
      auto& here = server().nic().create_reliable({.sent = queue, .received = queue});
      auto& there = directory->open(id);
      here.post_receive(line_cache::kReceives);
      here.connect(directory->server(), there.number());
      there.connect(id, here.number());
      opened.push_back(&here);
    }
    return opened;
  };
  for (auto& thread : connections_.threads()) connections_.open(thread, *this, connect);
  connections_.open(connections_.handler(), *this, connect);
  shared.buffer_keys[id] = connections_.register_buffers(options().line_bytes + Reply::kWireBytes, *this);
  tasks_.spawn(evict());
}

void ComputeNode::crash() {
  CachingNode::crash();
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
    const std::string who = name_of(*work);
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
                     about(sim::Key{line})});
  }
  held_.add_leaks(leaks, id_, [&](sim::Key line) { return shared_.lines.object_of(line, 0); });
}

}  // namespace racksim::rpc_directory

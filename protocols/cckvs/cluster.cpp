// Assembly and inspection of a cluster. See cluster.hpp.
#include "protocols/cckvs/cluster.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/host/core_wait.hpp"
#include "sim/options/option_error.hpp"
#include "sim/record/state_visitor.hpp"

namespace racksim::cckvs {

namespace {

const NodeOptions& checked(const NodeOptions& options, const models::Rack& rack) {
  options.check(rack);
  return options;
}

}  // namespace

std::vector<models::AnswerLabel> answer_labels() {
  std::vector<models::AnswerLabel> labels(static_cast<std::size_t>(AnsweredBy::count));
  const auto label = [&](AnsweredBy by, const char* name, const char* doc) {
    labels[static_cast<std::size_t>(by)] = {.name = name, .doc = doc, .latency = true, .rate = true, .share = true};
  };
  label(AnsweredBy::cache, "cache", "the symmetric cache of the client's node answered");
  label(AnsweredBy::local_store, "local", "the store of the client's node answered");
  label(AnsweredBy::remote_store, "remote", "the store of another node answered");
  return labels;
}

models::StateSize state_size() {
  return {.bytes_per_object = 80};  // 32 bytes in a sim::FlatMap that grows
}

Cluster::Cluster(models::ProtocolContext& context, const NodeOptions& options, std::string_view name,
                 sim::Duration probe_work)
    : KeyValueService(context.rack.calendar(), context.rack.event_log(), context.rack.metrics(),
                      static_cast<unsigned>(context.rack.nodes()), context.threads_per_node, answer_labels(),
                      context.sessions_per_thread),
      shared_{.rack = context.rack,
              .options = checked(options, context.rack),
              .counters = {context.rack.metrics(), std::string(name)},
              .coverage = context.coverage},
      arrival_work_(options.request_work + probe_work),
      never_(context.rack.calendar()),
      final_source_(context.rack.event_log().add_source("cckvs")) {
  const auto cache_threads = static_cast<unsigned>(options.cache_threads);
  const auto kvs_threads = static_cast<unsigned>(options.kvs_threads);
  for (NodeId id = 0; id < shared_.nodes(); ++id) {
    Node& node = *nodes_.emplace_back(std::make_unique<Node>(shared_.counters));
    std::vector<KvsThread*> own_threads;
    std::vector<models::Destination>& addresses = shared_.kvs_threads.emplace_back();
    for (unsigned i = 0; i < kvs_threads; ++i) {
      node.kvs_threads.push_back(std::make_unique<KvsThread>(shared_, node.shard, id, i));
      own_threads.push_back(node.kvs_threads.back().get());
      addresses.push_back(node.kvs_threads.back()->address());
    }
    for (unsigned i = 0; i < cache_threads; ++i) {
      node.cache_threads.push_back(std::make_unique<CacheThread>(shared_, node.shard, own_threads, id, i));
    }
  }
  for (const auto& node : nodes_) {
    for (const auto& thread : node->cache_threads) thread->connect();
  }
}

void Cluster::do_describe_items(const models::ItemSizes& sizes) {
  shared_.items = sizes;
  const std::uint64_t largest = std::max(sizes.small_share > 0 ? sizes.small_value_bytes : 0,
                                         sizes.small_share < 1 ? sizes.large_value_bytes : 0);
  const MessageSizes messages{.key_bytes = sizes.key_bytes, .value_bytes = static_cast<std::uint32_t>(largest)};
  const std::uint64_t room = shared_.rack.options().nic.mtu_bytes;
  if (messages.update() > room) {
    throw sim::OptionError("/workload/large_value",
                           fmt::format("a key of {} bytes and a value of {}", sizes.key_bytes, largest),
                           fmt::format("both in a datagram, which has {} bytes (/rack/nic/mtu)", room));
  }
}

sim::Task<models::Answer> Cluster::do_get(models::Session session, sim::Key key, sim::OperationId operation) {
  return serve_session(session, {.key = key, .operation = operation}, operation);
}

sim::Task<models::Answer> Cluster::do_put(models::Session session, sim::Key key, sim::Value value,
                                          sim::OperationId operation) {
  return serve_session(session, {.key = key, .value = value, .put = 1, .operation = operation}, operation);
}

// The clients of a node are spread over its cache threads.
sim::Task<models::Answer> Cluster::serve_session(models::Session session, StoreRequest request,
                                                 sim::OperationId operation) {
  const Node& node = *nodes_[session.node];
  if (node.has_crashed) co_await never_.wait();
  CacheThread& thread = *node.cache_threads[session.thread % node.cache_threads.size()];
  co_await models::occupy(thread.core(), arrival_work_);
  const models::Answer answer = co_await serve(thread, request, operation);
  co_return answer;
}

sim::Task<models::Answer> Cluster::serve(CacheThread& thread, StoreRequest request, sim::OperationId operation) {
  return thread.serve_from_store(request, operation);
}

void Cluster::node_crashed(NodeId node) {
  sessions_died(node);
  nodes_[node]->has_crashed = true;
  nodes_[node]->shard.lose();
  for (const auto& thread : nodes_[node]->kvs_threads) thread->crash();
  for (const auto& thread : nodes_[node]->cache_threads) thread->crash();
}

bool Cluster::quiescent() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
    return std::all_of(node->cache_threads.begin(), node->cache_threads.end(),
                       [](const auto& thread) { return thread->outstanding() == 0; });
  });
}

void Cluster::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& node : nodes_) {
    for (const auto& thread : node->cache_threads) thread->add_waits(waits);
  }
}

std::vector<models::Leak> Cluster::leaks() const {
  std::vector<models::Leak> leaks;
  for (const auto& node : nodes_) {
    for (const auto& thread : node->cache_threads) {
      if (!node->has_crashed) thread->add_leaks(leaks);
    }
  }
  return leaks;
}

void Cluster::show_state(sim::StateVisitor& visitor) const {
  for (const auto& node : nodes_) {
    node->shard.visit([&](sim::Key key, sim::Value value) {
      if (is_stored(key)) visitor.home(key, value);
    });
  }
}

void Cluster::record_final_state() {
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    shared_.rack.event_log().record(sim::Observed::final_state, final_source_, calendar().now(), sim::OperationId{id},
                                    nodes_[id]->shard.digest(), 0);
  }
}

}  // namespace racksim::cckvs

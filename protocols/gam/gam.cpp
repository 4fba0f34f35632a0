// Assembly and inspection of GAM. See gam.hpp.
#include "protocols/gam/gam.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "models/service/simplification.hpp"
#include "protocols/gam/rules/races.hpp"
#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::gam {

namespace {

const sim::Registration<models::Simplification> recovery_questions(
    {.name = "gam/recovery-questions",
     .doc = "what recovering homes ask the others takes both workers the time of a message for each line, and takes "
            "effect at one instant, by no packet"});
const sim::Registration<models::Simplification> queue_pairs(
    {.name = "gam/queue-pairs",
     .doc = "a connection that has failed is set up again out of band, by both ends, whatever the wires are like, as "
            "the public implementation does by TCP to its master"});

using sim::OperationKind;

models::MemoryShape shape_of(const models::ProtocolContext& context, const Options& options) {
  const auto nodes = static_cast<unsigned>(context.rack.nodes());
  const std::uint64_t cores = context.rack.options().cores;
  if (context.threads_per_node + 1 > cores) {
    throw sim::OptionError("/workload/threads", fmt::format("{} application threads", context.threads_per_node),
                           fmt::format("with the worker no more than a node's {} cores", cores));
  }
  if (!std::has_single_bit(options.line_bytes)) {
    throw sim::OptionError("line", fmt::format("{} bytes", options.line_bytes), "a power of two from 8");
  }
  if (options.threshold() < context.threads_per_node) {
    throw sim::OptionError("cache", fmt::format("{} lines of {} bytes", options.threshold(), options.line_bytes),
                           fmt::format("at least one for each of {} threads", context.threads_per_node));
  }
  if (options.signal_every > options.send_depth) {
    throw sim::OptionError("signal_every", fmt::format("one work request in {}", options.signal_every),
                           fmt::format("at most the {} of send_depth", options.send_depth));
  }
  if (options.send_depth > context.rack.options().nic.send_queue) {
    throw sim::OptionError(
        "send_depth", fmt::format("{} work requests", options.send_depth),
        fmt::format("at most the {} of a send queue of the NIC", context.rack.options().nic.send_queue));
  }
  if (options.logging && context.rack.options().roles.of(nodes).compute_nodes != nodes) {
    throw sim::OptionError("logging", "nodes that only hold memory", "nodes that all compute: recovery is of members");
  }
  if (options.logging && !options.blocking) {
    throw sim::OptionError("logging", "blocking off", "a home that blocks the line until its own write is done");
  }
  if (options.logging && options.nvram.bytes < options.line_bytes + Log::kHeaderBytes) {
    throw sim::OptionError("nvram.bytes", fmt::format("{} bytes", options.nvram.bytes),
                           fmt::format("at least the {} of one entry", options.line_bytes + Log::kHeaderBytes));
  }
  return {.nodes = nodes,
          .roles = context.rack.options().roles.of(nodes),
          .threads_per_node = context.threads_per_node,
          .block_bytes = options.line_bytes,
          .object_bytes = Shared::kObjectBytes,
          .offers = {OperationKind::fence, OperationKind::compare_and_swap, OperationKind::fetch_and_add,
                     OperationKind::lock, OperationKind::lock_shared, OperationKind::try_lock,
                     OperationKind::try_lock_shared, OperationKind::unlock},
          .writes_return_early = options.consistency != Consistency::sc,
          .memory_bytes = options.memory_bytes};
}

/// A node's memory in the order of offsets, without what is 0.
std::vector<std::pair<std::uint64_t, std::uint64_t>> words_of(const Node& node) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> words;
  node.server().nic().memory().visit_words(
      [&](std::uint64_t offset, std::uint64_t value) { words.emplace_back(offset, value); });
  std::sort(words.begin(), words.end());
  return words;
}

const sim::Registration<models::ProtocolEntry> registration({
    .name = "gam",
    .doc = "GAM: a global memory with caches, coherent by directories at home nodes over RDMA",
    .make_options = [] { return std::make_shared<Options>(); },
    .tolerates = {"down", "drop", "duplicate", "fast-clock", "hold", "nic-stall", "noise", "partition", "slow-core"},
    .coverage = {.states = {}, .messages = {}, .race_points = races.names()},
    .tables = {&directory_table().description(), &cache_table().description()},
    .work_shares = {{"of the accesses of remote lines were served by the cache", "gam.accesses.hits",
                     "gam.accesses.remote"}},
});

}  // namespace

Gam::Gam(models::ProtocolContext& context, const Options& options)
    : MemoryService(context.rack.calendar(), context.rack.event_log(), context.rack.metrics(),
                    shape_of(context, options)),
      rack_(context.rack),
      options_(options),
      counters_{context.rack.metrics()},
      shared_{.rack = context.rack,
              .options = options_,
              .memory = *this,
              .allocator = &allocator(),
              .counters = counters_,
              .coverage = context.coverage,
              .permissions = {context.rack.calendar(), context.rack.event_log(),
                              context.rack.event_log().add_source("gam/permissions")},
              .keys = std::vector<MemoryKeys>(context.rack.nodes())},
      final_source_(context.rack.event_log().add_source("gam")) {
  for (NodeId id = 0; id < rack_.nodes(); ++id) {
    nodes_.push_back(std::make_unique<Node>(shared_, id, shape().roles.computes(id) ? context.threads_per_node : 0));
  }
  for (NodeId a = 0; a < nodes_.size(); ++a) {
    for (NodeId b = static_cast<NodeId>(a + 1); b < nodes_.size(); ++b) Node::connect(*nodes_[a], *nodes_[b]);
  }
  if (!options_.logging) return;
  recovery_ = std::make_unique<Recovery>(shared_, nodes_, shape().roles, [this](NodeId node) { bury_threads(node); });
}

void Gam::add_actors(sim::Engine& engine, std::span<const sim::HostId>) {
  if (recovery_) recovery_->membership().add_actor(engine);
}

void Gam::check(models::Session session, OperationKind kind, sim::Key line) const {
  const auto refuse = [&](const char* what) {
    throw std::invalid_argument(
        fmt::format("thread {} of node {} {} line {}", session.thread, session.node, what, sim::printed_key(line)));
  };
  if (!allocator().holds({line.number() * options_.line_bytes})) refuse("uses what is not allocated:");
  const auto held = nodes_[session.node]->sessions().lock_of(session.thread, line);
  if (kind == OperationKind::unlock && !held) refuse("gives back a lock that it does not hold, of");
  if (sim::requests_lock(kind) && held) refuse("asks for a lock that it holds, of");
  const bool writes = kind == OperationKind::write || sim::is_atomic(kind);
  if (writes && held == models::LockMode::shared) refuse("writes under a lock that it holds shared, of");
}

void Gam::node_crashed(NodeId node) {
  bury_threads(node);
  sessions_died(node);
  if (recovery_) recovery_->node_crashed(node);
  nodes_[node]->crash();
}

// Writes that have returned and are not performed die with their threads, and locks are free.
void Gam::bury_threads(NodeId node) {
  for (const HeldWrite& write : nodes_[node]->writes_left_behind()) {
    if (options_.consistency == Consistency::sc) continue;
    for (std::uint32_t i = 0; i < write.access.objects; ++i) {
      lost_write(sim::Key{write.access.first + i}, sim::Value{write.value + i}, sim::Loss::buffer);
    }
  }
  if (recovery_ == nullptr) return;
  for (const auto& lock : nodes_[node]->sessions().left_behind()) {
    unlock_for_dead({node, lock.thread}, lock.line);
  }
}

// Lost are its own lines, if nobody else owns them, and what it owns of others'.
void Gam::node_fails(NodeId failing) {
  if (recovery_ != nullptr) return;
  const Node& node = *nodes_[failing];
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [offset, value] : words_of(node)) {
    const sim::Key object = shared_.object_at(node.id(), offset);
    const sim::Key line = shared_.line_of(object);
    const Entry* entry = node.directory().find(line);
    if (entry != nullptr && entry->state == DirectoryState::dirty) continue;
    if (std::exchange(last, line.number()) != line.number()) ++counters_.lost_homed.value;
    lost_write(object, sim::Value(value), sim::Loss::home);
  }
  node.cache().frames().for_each([&](const Frame& frame) {
    if (frame.state != CacheState::dirty) return;
    ++counters_.lost_owned.value;
    frame.data.for_each([&](std::uint16_t object, sim::Value value) {
      lost_write(shared_.object_of(frame.line, object), value, sim::Loss::holder);
    });
  });
}

void Gam::show_state(sim::StateVisitor& visitor) const {
  for (const auto& node : nodes_) {
    node->cache().frames().for_each([&](const Frame& frame) {
      const sim::Permission permission = permission_of(frame.state);
      if (permission == sim::Permission::none) return;
      const auto state = permission == sim::Permission::write ? sim::CopyState::dirty : sim::CopyState::clean;
      bool first = false;
      frame.data.for_each([&](std::uint16_t object, sim::Value value) {
        first = first || object == 0;
        visitor.copy(shared_.object_of(frame.line, object), sim::Holder::node(node->id()), value, state);
      });
      if (!first) visitor.copy(shared_.object_of(frame.line, 0), sim::Holder::node(node->id()), 0, state);
    });
  }
  for (const auto& node : nodes_) {
    node->server().nic().memory().visit_words([&](std::uint64_t offset, std::uint64_t value) {
      const sim::Key object = shared_.object_at(node->id(), offset);
      const Entry* entry = node->directory().find(shared_.line_of(object));
      if (entry == nullptr || entry->state != DirectoryState::dirty) visitor.home(object, sim::Value(value));
    });
  }
}

bool Gam::quiescent() const {
  if (recovery_ && !recovery_->at_rest()) return false;
  for (const auto& node : nodes_) {
    if (node->server().is_on() && !node->quiescent()) return false;
  }
  return true;
}

void Gam::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& node : nodes_) node->add_waits(waits);
}

// If each copy is known, and as many are as there are, then no other is. Who is Shared has somebody to share with.
bool Gam::directories_know_copies() const {
  std::size_t known = 0, held = 0;
  bool all = true;
  for (const auto& node : nodes_) {
    node->directory().for_each_unordered([&](sim::Key, const Entry& entry) {
      known += entry.sharers.size() + (entry.state == DirectoryState::dirty ? 1 : 0);
      if ((entry.state == DirectoryState::shared) == entry.sharers.empty()) all = false;
    });
  }
  for (const auto& node : nodes_) {
    node->cache().frames().for_each([&](const Frame& frame) {
      ++held;
      const Entry* entry = all ? directory_of(frame.line).find(frame.line) : nullptr;
      const bool is_owned = frame.state == CacheState::dirty;
      if (entry == nullptr || is_owned != (entry->state == DirectoryState::dirty)) {
        all = false;
        return;
      }
      const Sharer* copy = is_owned ? &entry->owner : entry->sharer(node->id());
      all = copy != nullptr && copy->node == node->id() && copy->request == frame.request;
    });
  }
  return all && known == held;
}

void Gam::add_wrong_metadata(std::vector<models::Leak>& leaks) const {
  const auto text = [](bool dirty, NodeId node, std::uint32_t request) {
    return fmt::format("{}{}:{} ", dirty ? "Dirty " : "Shared ", node, request);
  };
  std::map<std::uint64_t, std::map<NodeId, std::string>> known, held;  // by line
  for (const auto& node : nodes_) {
    node->directory().for_each([&](sim::Key line, const Entry& entry) {
      auto& copies = known[line];
      if ((entry.state == DirectoryState::shared) == entry.sharers.empty()) copies[node->id()] = "nobody ";
      for (const Sharer& sharer : entry.sharers) copies[sharer.node] = text(false, sharer.node, sharer.request);
      if (entry.state == DirectoryState::dirty) {
        copies[entry.owner.node] = text(true, entry.owner.node, entry.owner.request);
      }
    });
    node->cache().frames().for_each([&](const Frame& frame) {
      held[frame.line][node->id()] = text(frame.state == CacheState::dirty, node->id(), frame.request);
    });
  }
  for (const auto& [line, copies] : held) known.try_emplace(line);
  for (const auto& [line, copies] : known) {
    const auto& there = held[line];
    if (copies == there) continue;
    const auto all = [](const std::map<NodeId, std::string>& each) {
      std::string list;
      for (const auto& [node, copy] : each) list += copy;
      return list;
    };
    leaks.push_back({"wrong-metadata",
                     fmt::format("the home of line {} knows of the copies [{}], but there are [{}]",
                                 sim::printed_key(sim::Key{line}), all(copies), all(there)),
                     {shared_.object_of(sim::Key{line}, 0), {}}});
  }
}

// At rest the directory knows each copy by its request, and no other.
std::vector<models::Leak> Gam::leaks() const {
  std::vector<models::Leak> leaks;
  for (const auto& node : nodes_) node->add_leaks(leaks);
  if (!leaks.empty()) return leaks;
  if (!directories_know_copies()) add_wrong_metadata(leaks);
  // Who dies while it allocates, or asks who has died, leaves behind what it never hears of.
  std::uint64_t allocated = 0;
  allocator().for_each([&](models::GlobalAddress, std::uint64_t) { ++allocated; });
  if (allocated != shared_.allocations && rack_.event_log().count(sim::Observed::disturbance) == 0) {
    leaks.push_back({"leaked-memory", fmt::format("homes have given away {} pieces of memory, and sessions have {}",
                                                  allocated, shared_.allocations)});
  }
  return leaks;
}

void Gam::record_final_state() {
  const sim::Time now = calendar().now();
  for (const auto& node : nodes_) {
    const sim::OperationId id{node->id()};
    node->cache().frames().for_each([&](const Frame& frame) {
      event_log().record(sim::Observed::final_state, final_source_, now, id, frame.line, frame.request,
                         static_cast<std::uint64_t>(frame.state));
      frame.data.for_each([&](std::uint16_t object, sim::Value value) {
        event_log().record(sim::Observed::final_state, final_source_, now, id, shared_.object_of(frame.line, object),
                           value);
      });
    });
    for (const auto& [offset, value] : words_of(*node)) {
      event_log().record(sim::Observed::final_state, final_source_, now, id, shared_.object_at(node->id(), offset),
                         value);
    }
  }
}

models::StateSize Options::state_size(std::uint64_t) const {
  const bool is_share = cache_share > 0;
  return {.block_bytes = line_bytes,
          .bytes_per_object = 500,  // an entry of the directory with its sharers, and what memory has
          .cache_objects = is_share ? std::numeric_limits<std::uint64_t>::max() : threshold(),
          .cache_share = is_share ? cache_share : 1,
          .bytes_per_copy = Frames::kFrameBytes};
}

std::unique_ptr<models::Protocol> Options::build(models::ProtocolContext& context) const {
  if (cache_share == 0) return std::make_unique<Gam>(context, *this);
  const std::uint64_t lines = context.blocks_in_reach ? context.blocks_in_reach(line_bytes) : 0;
  if (lines == 0) {
    throw sim::OptionError("cache_share", fmt::format("{}", cache_share),
                           "0 with a workload that does not tell beforehand what a node uses: `cache` then says it");
  }
  Options sized = *this;
  sized.cache_bytes = static_cast<std::uint64_t>(cache_share * static_cast<double>(lines)) * line_bytes;
  return std::make_unique<Gam>(context, sized);
}

}  // namespace racksim::gam
